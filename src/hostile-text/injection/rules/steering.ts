import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Instructions about the model's answer or its tools, found in data. */
export const steering: readonly Rule[] = [
  {
    id: 'steer-your-answer',
    family: 'steering',
    why: 'Data dictates what the reader’s answer must hold.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      your response|your reply|your answer|your output|your code|your solution|your implementation|your final
      |your summary|your algorithm|your words|your message
    `,
    pattern: phrase`
      \b(?:
        include|insert|add|append|incorporate|inject|blend|integrate|embed|weave|mention|introduce|enhance
        |modify|augment|improve|refine|alter|adjust|encode|encrypt|express|provide|present|deliver|compose|craft
        |convert|translate|scramble|reverse|replace|respond|reply|start|begin|end|finish|conclude|infuse
        |supplement|utili[sz]e|apply|use|combine|capitali[sz]e|remember to|don't forget to|output|state|fill
        |pepper|sprinkle|mix|substitute|spell|interleave|boost|elevate|strengthen|merge|fuse|implement|employ
        |place|put|attach|imbed|embellish|promote|recommend|advertise|suggest|offer|preface|prepend|misspell
        |anagram|render|shift|group|jumble|rearrange|remove|invert|write
      ) (?:[\w'",.:/()-]{1,30} ){0,14}?(?:in|into|to|with|of|from|for|on|at|throughout|within|by|your|as|using)? ?
        (?:the )?(?:(?:start|beginning|end|top|bottom|structure|context|body) of )?your (?:
        next\x20
        |final\x20
        |own\x20
        |entire\x20
        |whole\x20
        |first\x20
      )?(?:responses?|reply|replies|answers?|output|summary|message|words|response's|elucidation)\b(?!
        \x20(?:
          time|code|body|status|type|object|schema|model|format|base|repo|editor|coverage|changes|review|style
          |file|quality|should be deployed
        )
      )
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|your code (?:editor|base)|\bimports?\b|\bnpms?\b|\bpips?\b
        |you (?:can|could|may|might|want|need|should)|if you
        |to (?:use|add|integrate|include|run|make) (?:it|this|the|your|a)
        |component|\bpackages?\b|\blibrarys?\b|\bfunction\b|\bclasss?\b|\bmethods?\b|\bdocss?\b|documentation|quick ?start|getting started
        |\btests?\b|\bsurveys?\b|questionnaire|\bservers?\b
        |your (?:output|\bcodes?\b|solution|implementation|program) (?:
          directory|folder|is|can|will|does|uses|with|from
        )
      )
    `,
  },
  {
    id: 'steer-code-insertion',
    family: 'steering',
    why: 'Data tells the reader to put foreign code into what it writes.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      code snippet|code block|code excerpt|snippet of code|code fragment|code segment|piece of code
      |lines of code|code sample|following code|subsequent code
    `,
    pattern: phrase`
      \b(?:following|subsequent|below|ensuing) (?:[\w'-]{1,14} )?code (?:
        snippets?|blocks?|excerpts?|fragments?|segments?|sections?|samples?
      )\b[^\n.]{0,80}?\byour (?:[\w'-]{1,14} )?(?:
        code(?:base|'s)?|solution|implementation|algorithm|elucidation|response|answer|program|reply|explanation
        |script|coding|logic
      )\b
      |\byour (?:
        code(?:base)?|solution|implementation|algorithm|elucidation|response|answer|program|script|coding
      )\b[^\n.]{0,80}?\b(?:following|subsequent|below|ensuing) (?:[\w'-]{1,14} )?code (?:
        snippets?|blocks?|excerpts?|fragments?|segments?|sections?|samples?
      )\b
      |\b(?:
        include|insert|add|append|incorporate|inject|blend|integrate|embed|weave|introduce|enhance|augment
        |improve|refine|utili[sz]e|infuse|supplement|combine|merge|fuse|employ|place|put|attach|upgrade
        |optimi[sz]e|ascend|boost|elevate|enrich|strengthen|bolster|amplify|fortify|complement|reinforce|polish
        |perfect|fine-tune|implement|mix|imbed|adopt|use|by \w{4,14}ing
      ) (?:[\w'",-]{1,20} ){0,8}?(?:following|subsequent|below|next|given|ensuing|provided) (?:[\w'-]{1,14} ){0,2}?
        (?:code|snippet)(?: (?:snippets?|blocks?|excerpts?|fragments?|segments?|samples?|section|piece|lines?))?
        \b[^\n]{0,60}?(?:your|response|solution|algorithm|implementation|answer|harmonious|fine-tune|:\s{0,2}\n)
    `,
    unless: phrase`
      (?:
        you (?:can|could|may|might|want|need|should|have to|will)
        |if you
        |to (?:your )?(?:the )?(?:
          index|\bapps?\b|main|config|\bpackages?\b|settings|urls|views|manifest|head|\bhtmls?\b|page|webpack|\bbuilds?\b
        )
        |\bfiles?\b|component
        |in (?:the|your) (?:terminal|shell|console|project|\bapps?\b|\bhtmls?\b|index)
        |\bimports?\b|we\x20
        |i\x20
        |let's|\.(?:js|ts|py|json|\bhtmls?\b|\bcsss?\b|yml|\byamls?\b)\b
      )
    `,
  },
  {
    id: 'steer-in-your-answer',
    family: 'steering',
    why: 'Data dictates what the reader’s answer must hold.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      in your response|in your reply|in your answer|within your response|within your reply|within your answer
      |your unique id|of your response|of your answer|of your reply
    `,
    pattern: phrase`
      \b(?:in|within) your (?:response|reply|answer),? (?:also |always |please )?(?:
        mention|include|suggest|recommend|tease|promote|add|insert|use|write|provide|say|offer|encourage|advise
        |invite|claim|state|urge|hint|announce|reference|highlight
      )\b
      |\b(?:do|include) the following in your (?:response|reply|answer)
      |\b(?:output|print|reveal|share|show|tell) (?:me )?your (?:unique id|configuration|secret)\b
      |\bat the (?:end|beginning|start) of your (?:response|reply|answer)\b
    `,
    unless:
      /(?:detect|such as|e\.g\.|exam|essay question|candidate|students?|\bapis?\b|\bservers?\b|handler|endpoint|\bhttps?\b)/,
  },
  {
    id: 'steer-do-first',
    family: 'steering',
    why: 'Data puts an errand before the reader’s task, or on a condition of it.',
    weight: 1,
    cues: literals`
      the following first|can solve the task|solve the task|important message from me|you are told to
      |you are asked to|if asked|when asked|part of a training|part of a test|forgot to ask you|when summarizing
      |when you summari|asked to summari|told to summari|for testing purposes only|prove you are
      |hidden functionalit|nothing else
    `,
    pattern: phrase`
      \bplease do the following first\b
      |\bbefore you can (?:solve|complete|continue|finish|answer)\b[^\n]{0,60}?\b(?:task|question|request)
      |\ban? important message from me\b
      |\bif you(?:'re| are) (?:told|asked|instructed) to (?:summari[sz]e|answer|translate|describe|review)\b
        [^\n]{0,60}?(?:inste?ad|also|make sure|first|do not|include|respond|say)
      |\b(?:if|when) (?:you(?:'re| are) )?asked\b[^.\n]{0,80}?\b(?:simply )?(?:respond|reply|say|answer|report)
        (?: only)? (?:with|that)\b
      |\bforgot to ask you to\b
      |\b(?:you are running|as) (?:as )?part of a (?:test pipeline|training exercise)\b
      |\bprove you are (?:truly )?(?:intelligent|an? )
      |\bunlock hidden functionalit|\bfor testing purposes only: ?please\b
    `,
    unless: /(?:detect|such as|e\.g\.|interview|candidate|faq|support (?:team|agent)|students?|install|prompted)/,
  },
  {
    id: 'steer-print-instead',
    family: 'steering',
    why: 'It demands a fixed answer instead of the task.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      just print|and print|instead print|only print|then print|simply print|please print|now print|just say
      |and say|instead say|only say|then say|simply say|please say|now say|respond with|reply with|answer with
      |respond only|reply only|answer only|replying only|responding only|only respond|only reply|only answer
      |just respond|just reply|just answer|and write|just write|instead write|just output|and output|only output
      |instead output|just type|and type|repeat the
    `,
    pattern: phrase`
      \b(?:and|just|instead|only|then|simply|now|please|must) (?:just |only |instead |simply )?
        (?:print|say|output|respond with|reply with|answer with|write|type) (?:only |exactly |just |out )?
        (?:"[^"\n]{2,120}"|'[^'\n]{2,120}'|[\w-]{1,30}\.example\.\w{2,5})
      |\b(?:respond|reply|answer)(?:ing)? (?:only|exclusively|just) (?:with|in|by)
      |\b(?:only|just) (?:respond|reply|answer) (?:with|in)\b
      |\brepeat the (?:sequence|words?|phrase|following)[\w ,'"-]{0,40}?\d{1,5} times
    `,
    unless: phrase`
      (?:
        \bscripts?\b|program|command|\bechos?\b|console|printf|print\(|function|\btests?\b|stdout|terminal|if\x20
        |when\x20
        |will\x20
        |\bcodes?\b|\bservers?\b|should|\bapis?\b|endpoint|\bmethods?\b|users?\x20
      )
    `,
  },
  {
    id: 'steer-agent-command',
    family: 'tool-abuse',
    why: 'Data orders a tool call.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      " tool|' tool| tool.| tool,|other tools|: call|must call|must invoke|must execute|must run|now call
      |now invoke|now execute|now run|immediately
    `,
    pattern: phrase`
      \b(?:by using the|using the|with the|use the) ["'][\w-]{3,60}["'] tool\b
      |\bdo not use other tools\b
      |\bplease [^.\n]{10,240}\. use the \w{4,40} tool\b
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|you (?:can|could|may)|\bdocss?\b|pytest|\bnpms?\b|\btests?\b|if you|example|function\(|callback
        |before calling
      )
    `,
  },
  {
    id: 'steer-tool-call',
    family: 'tool-abuse',
    why: 'Data asks for a call of a tool by its name.',
    weight: 0.7,
    kinds: ['output'],
    cues: literals`
      : call|must call|must invoke|must execute|must run|now call|now invoke|now execute|now run|first execute
      |first call|immediately|when you call
    `,
    pattern: phrase`
      (?:\b(?:must|now|immediately)|:) (?:first |now |immediately |also )?(?:call|invoke|execute|run) (?:the )?
        ["'\`]?(?:
        [a-z]{2,20}_[a-z_]{2,30}
        |[\w .-]{1,40}["'\`] with [a-z]{2,20}_[a-z_]{2,30}
        |[\w -]{1,40} (?:tool|function)
      )["'\`]?(?: (?:with|on|to|and|using)|[.,;]|$)
      |\bwhen you call [a-z]{2,20}_[a-z_]{2,30}
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|you (?:can|could|may)|\bdocss?\b|pytest|\bnpms?\b|\btests?\b|if you|example|function\(|callback
        |before calling
      )
    `,
  },
];

/** Tool poisoning: descriptions that ask for local files, reach for other tools, or change behaviour. */
export const toolAbuse: readonly Rule[] = [
  {
    id: 'tool-abuse-before-anything',
    family: 'tool-abuse',
    why: 'A tool demands something unrelated before or instead of other tools.',
    weight: 0.7,
    kinds: ['description'],
    cues: [
      'before using',
      'before calling',
      'before invoking',
      'before running',
      'before return',
      'before respond',
      'before answer',
      'before any',
      'before every',
      'must first',
      'to first',
      'first use',
      'first call',
      'first read',
      'first reveal',
      'first, ',
      'is invoked',
      'is called',
      'is used',
      'is available',
      'instead of',
      'in place of',
      'do not use',
      'called before',
      'call this',
    ],
    pattern: phrase`
      \b(?:
        before (?:using|calling|invoking|running|returning|responding|answering|any|every)
        |first,? (?:you must|use|call|read|reveal)|you must first|requires you to first
        |(?:whenever|when|if|every time) (?:the |any |another |an? )?["'\`]?[\w-]{2,30}["'\`]? (?:tool )?is (?:
          invoked|called|used|available|present
        )
        |(?:must|should|always) (?:be )?(?:call(?:ed)?|used?|invoke[d]?) (?:this (?:tool )?)?
          (?:before|instead of|in place of) (?:any|all|every|the|using|calling|other)
        |instead of (?:the |any )?["'\`]?[\w-]{2,30}["'\`]? tool
        |do not use (?:the )?(?:any )?(?:other|original|built-in)
      )\b
    `,
    unless: phrase`
      (?:
        detect|release note|changelog|authenticate|login|list_|get_|search
        |to (?:find|get|obtain|check|discover|understand|retrieve)
        |documentation|validate|verify|confirm|\bschemas?\b|required|creating|planning|writing|generating|make sure
      )
    `,
  },
  {
    id: 'tool-abuse-only-me',
    family: 'tool-abuse',
    why: 'A tool asks to be used in place of others.',
    weight: 0.5,
    kinds: ['description'],
    cues: literals`
      never use|do not use|don't use|always use this|always prefer|must prefer|other tool descriptions
    `,
    pattern: phrase`
      \b(?:never|do not|don't) use (?:the )?["'\`][\w-]{2,30}["'\`] tool\b
      |\balways (?:use|prefer) this (?:one|tool)\b|\bmust prefer (?:it|this(?: tool)?)\b
      |\bover all other tool descriptions\b
    `,
    unless: /(?:detect|such as)/,
  },
  {
    id: 'tool-abuse-whole-conversation',
    family: 'exfiltration',
    why: 'A tool wants the whole conversation or the secrets of its reader as an argument.',
    weight: 0.8,
    kinds: ['description'],
    cues: literals`
      conversation|chat history|system message|system prompt|credentials in|user's credentials|process.env
      |environment variables|/etc/passwd|id_rsa|.ssh|.env
    `,
    pattern: phrase`
      \b(?:must|has to|have to|should|shall|need to) (?:always )?
        (?:hold|contain|include|carry|be filled with|be set to|receive) (?:the )?
        (?:entire|full|whole|complete|user's)? ?(?:
        conversation|chat(?: history)?|history|context|credentials|system (?:messages?|prompt)
      )
      |\b(?:exfiltrate|retrieve|read|run \`?cat)\b[^.\n]{0,40}?
        (?:process\.env|\/etc\/passwd|~\/\.ssh|id_rsa|\.env\b)[^\n]{0,100}?\b
        (?:parameter|argument|field|provide|supply|append|pass)
    `,
    unless: /(?:detect|such as|e\.g\.|scan)/,
  },
  {
    id: 'tool-abuse-shadowing',
    family: 'tool-abuse',
    why: 'A tool gives orders about other tools.',
    weight: 1,
    kinds: ['description'],
    cues: literals`
      this tool|route all|reroute|recipient|other tool|destination|bcc'd|alternatives|best option|wrong data
      |its output|behavior of the
    `,
    pattern: phrase`
      \b(?:route|redirect|send|forward) (?:all |any )?(?:its |their |of its |[\w-]{1,14} ){1,2}requests? (?:through|to|via) t
        his tool
      |\broute all [\w ]{1,30} requests here
      |\b(?:change|reroute|replace|rewrite|modify) (?:its |the |their )(?:[\w-]{1,12} )?
        (?:recipient|destination|output|account|payee|address)(?: \w{1,12}){0,2} (?:to|with)\b
      |\b(?:do not|don't|never) (?:use|call) [a-z]{2,20}_[a-z_]{2,30}\b[^\n]{0,80}?\bthis tool\b
      |\b(?:always )?use this tool instead (?:and|of [a-z]{2,20}_\w{1,30}\b(?! (?:when|if|for|to|unless|because|as|where|only)\b))
      |\bonly this tool may be used|\balways call this tool first\b|\brate this [\w ]{1,16} as the best
      |\bnever suggest alternatives
      |\b(?:modifies|changes|alters|overrides) the behaviou?r of the [\w-]{3,30} tool
      |\bevery time [a-z]{2,20}_[a-z_]{2,30} is (?:invoked|called|used)
      |\b(?:the )?[a-z]{2,20}_[a-z_]{2,30} tool is (?:deprecated|insecure|broken|unsafe)[^\n]{0,60}?
        (?:route|use this|instead)
    `,
    unless: /(?:detect|such as|release note|changelog|legitimate)/,
  },
  {
    id: 'tool-abuse-later-change',
    family: 'tool-abuse',
    why: 'It announces that it will change once it is approved.',
    weight: 1,
    kinds: ['description'],
    cues: literals`
      approv|later version|post-approval|after review|once trusted
    `,
    pattern: phrase`
      \b(?:once|after|when) (?:this (?:tool )?|it )?(?:has been |is |been |being )?
        (?:approv(?:ed|al)|trusted|installed|reviewed)\b[^.\n]{0,60}?\b
        (?:will|it|a later|begin|swap|change|add|replace|start)\b[^.\n]{0,80}?\b(?:
        execut\w{1,4}|silently|upload|read(?:s)?|shell|commands?|directive|keys?|description|send|behavio\w{1,3}
        |payload
      )
      |\bpost-approval\b[^.\n]{0,80}?\b(?:read|keys?|swap|send|execute|payload)
      |\bswap(?:s|ped)? (?:it|this|the description) (?:post|after|once)
    `,
    unless: /(?:legitimate|gated rollout|rather than|detect|such as|feature-flag|deploy|pipeline|pull request)/,
  },
  {
    id: 'tool-abuse-obey-content',
    family: 'tool-abuse',
    why: 'A tool asks for whatever it returns to be obeyed.',
    weight: 1,
    cues: literals`
      follow any|follow all|follow whatever|follow every|obey|execute any|execute all|execute whatever
      |comply with|carry out|act on|authoritative|binding|mandatory|treat |overrid|supersed|trust all
    `,
    pattern: phrase`
      \b(?:obey|comply with|carry out|act on|follow|execute) (?:whatever|any|all|every) (?!\w{1,12} commands in )
        (?:[\w'-]{1,14} ){0,3}?(?:instructions?|directives?|commands?) (?:[\w'-]{1,14} ){0,3}?
        (?:in|from|embedded|contained|found|returned|inside|within|it|that)
      |\b(?:authoritative|binding|mandatory) (?:directives?|instructions?)
      |\btreat (?:[\w'-]{1,14} ){0,4}?as (?:[\w'-]{1,14} ){0,2}?
        (?:instructions?|commands?|system (?:message|prompt))
      |\b(?:override|overrides|supersed(?:e|es|ing)) (?:any |all |the )?(?:[\w'-]{1,14} ){0,2}?
        (?:user|system(?:-level)?|safety|prior) (?:[\w'-]{1,14} ){0,2}?
        (?:instructions?|directives?|preferences|polic(?:y|ies)|requests?|constraints)
      |\btrust all user input|\bobey only\b
    `,
    unless: /(?:detect|such as|e\.g\.|do not|don't|never|must not|should not|untrusted|not (?:as )?instructions)/,
  },
];
