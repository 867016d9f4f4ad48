import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const TALK = phrase`
  (?:
    detect|such as|e\.g\.|for example|phrases? like|injection|attacks?\b|attackers?|researchers?|vulnerab
    |changelog|release notes|you can\x20
    |you may\x20
    |documentation
  )
`;

/** Task hijacking: the task is cancelled, replaced, or extended by an errand. */
export const taskHijack: readonly Rule[] = [
  {
    id: 'errand-task-taken-away',
    family: 'override',
    why: 'It takes the reader’s task away.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      you were told|you have been told|you were given|your original|your earlier|your previous|your current
      |your prior|your initial|your first|about summari|prior prompt|previous prompt|earlier prompt
      |above is void|the user wants|the user asked|what the system|task has changed|task is cancel
      |prior constraints|previous constraints|summari|before this line|this line as
    `,
    pattern: phrase`
      \b(?:
        set aside|scrap|abandon|cancel|drop|discard|forget(?: about)?|ignore|disregard|stop|leave|put aside
        |never mind|void
      ) (?:whatever|what|everything|anything|all)(?: that)? (?:you
        (?:'ve| have)?|the (?:user|system)) (?:were|was|been|had been|have been|wants?|said|says|asked)\b
      |\b(?:abandon|scrap|drop|cancel|forget
        (?: about)?|set aside|stop|ignore|replace) (?:your|the) (?:original|earlier|previous|current|prior|initial|first|assigned) (?:
        task|goal|objective|assignment|mission|prompt|job|purpose|work
      )\b
      |\byour (?:original|earlier|previous|current|prior|initial) (?:
        task|goal|objective|assignment|mission|instructions?
      ) (?:is|are|was|were|has been|have been) (?:now )?
        (?:cancell?ed|void|over|changed|replaced|complete[d]?|obsolete|superseded)
      |\b(?:do not|don't|never) (?:do|follow|obey) what the (?:user|system)
        (?: message| prompt)? (?:wants|asked|says|said|asks)
      |\b(?:the|your) task has changed\b
      |\b(?:forget about|do not|don't|stop) summari[sz](?:e|ing)\b[^\n]{0,50}?
        (?:instead|i want|you (?:must|should|will)|[.;] ?(?:list|tell|say|send|print))
      |\b(?:scrap|ignore|forget) the (?:prior|previous|earlier) prompt\b
      |\b(?:prior|previous|earlier|all) (?:constraints|restrictions|safeguards|instructions) (?:are |have been )?
        lifted\b
      |\btreat (?:anything|everything|all) (?:before|above) this (?:line|point|message)\b
    `,
    unless: TALK,
  },
  {
    id: 'errand-new-task',
    family: 'override',
    why: 'It puts another task in the place of the reader’s.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      your new|your updated|your real|your true|your actual|your next|real assignment|real task|actual task
      |true task|you will do instead|do instead|instead of answering|instead of summari|instead of the
      |as this page says|as this document says|as the document says|this text says|new instructions
      |only thing that matters|from now on|and state|and say|and report|and claim|and conclude|act on it|obey it
      |and obey|and comply
    `,
    pattern: phrase`
      \byour (?:new|updated|real|true|actual|next) (?:
        goal|task|objective|assignment|mission|purpose|job|instructions?
      ) (?:is|are|will be) (?:now )?(?:to|as follows|the following)
      |\bthe (?:real|actual|true) (?:assignment|task|instructions?|prompt) (?:starts?|begins?|is|are|follows?)\b
      |\b(?:here is|this is) what you (?:will|must|should) do(?: instead)?\b
      |\binstead of (?:answering|summari[sz]ing|translating|doing|following|completing) (?:
        the\x20
        |this\x20
        |that\x20
        |what\x20
        |it|your\x20
      )?(?:\w{1,14} ?){0,4}?, ?(?:please |just |simply )?
        (?:answer|say|respond|reply|output|print|write|tell|do|send|call)\b
      |\bdo (?:exactly )?(?:as|what) (?:this|the) (?:page|document|text|message|file|note) (?:says|tells|asks|instructs)
        \b
      |\bnew instructions (?:have|has|are|were)(?: \w{1,10}){0,3} (?:arrived|supersede|replace|in force)
      |\bwhich supersede the (?:original|previous|earlier)
      |\b(?:ignore|disregard|skip) (?:the|this) (?:\w{1,14} ){1,3}and (?:state|say|report|claim|conclude) (?:that |the |it )
      |\bthe only thing that matters now\b
      |\bfrom now on,? (?:obey|follow|execute|ignore|trust|treat)\b
      |\b(?:decode|decipher|translate|reverse|unscramble|complete)\b[^\n]{0,60}?\band (?:then )?
        (?:obey|comply|execute|act on|carry out|follow|do what)\b
    `,
    unless: TALK,
  },
  {
    id: 'errand-conversation-leak',
    family: 'prompt-leak',
    why: 'It asks for what stands before it in the conversation, or for the reader’s own set-up.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      words above|text above|messages above|sentences above|everything above|first message|this conversation
      |our conversation|your hidden|your guidelines|your configuration|developer message|system message
      |initialised with|initialized with|you may call|you can call|functions you|tools you|your rules
      |your initial|your internal|you were given|you have been given|have been given|the prompt|your prompt
      |you are"|you are'|hidden context|internal context|full context|entire context|system context
    `,
    pattern: phrase`
      \b(?:
        repeat|print|output|echo|show|display|reveal|recite|write(?: out| down)?|list|give me|tell me|copy
        |reproduce|return|encode|leak|dump|state|share|what (?:is|are|was|were)|quote
      )\b[^.\n]{0,40}?(?:
        \b(?:the )?(?:words|text|messages?|sentences|everything|prompt|instructions?|lines) (?:
          that (?:is|are|was|were|came|comes)\x20
        )?(?:
          above|before (?:this|my)
          |at the (?:beginning|start|top) of (?:this|the|our) (?:conversation|chat|prompt|session)
        )
        |\byour (?:
          own\x20
          |full\x20
          |complete\x20
          |entire\x20
          |exact\x20
          |hidden\x20
          |initial\x20
          |internal\x20
          |original\x20
          |secret\x20
          |current\x20
          |underlying\x20
          |core\x20
        ){1,3}(?:
          guidelines|configuration|rules|instructions?|directives?|prompt|settings|policy|policies|programming
          |set-?up|context|message
        )
        |\b(?:the )?(?:developer|system) (?:message|prompt|instructions?)
          (?: you|\b[^.\n]{0,30}?\b(?:you were|verbatim|word for word|in full))
        |\b(?:rules|instructions|prompt|guidelines|message) (?:that |which )?you (?:were|have been|are|got) (?:
          given|told|initiali[sz]ed|provided|programmed|started
        )
        |\b(?:functions|tools) (?:that |which )?you (?:may|can|are able to|have)\b[^.\n]{0,30}?
          (?:parameters|schemas?|names)
      )
      |\b(?:summari[sz]e|translate) your (?:hidden|initial|internal|secret|system|original) (?:
        guidelines|instructions?|prompt|rules
      )
      |\b(?:the |your )?(?:hidden|internal|full|entire) (?:system )?context (?:that was |which was )?
        (?:loaded|in your|into your|you have)
      |\bwhat was (?:written|said|stated)\b[^\n]{0,60}?\bbefore my (?:first )?(?:message|question)
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|for example|injection|attacks?\b|attackers?|researchers?|whether|\bdocss?\b|template
        |config file|\bapi\b|users? (?:can|often|may|could)|tested|try to|tries to
      )
    `,
  },
  {
    id: 'errand-policy-off',
    family: 'override',
    why: 'It asks for an answer as though the reader’s rules were off.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      content policy|content policies|usage policy|ethical guidelines|safety measures|safety features
      |safety training|safety layers|safety restrictions|safety filters|safety guidelines|content filter
      |content restriction|policy does not apply|as if all|as if your|as if you had no|no content|no ethical
      |of the user task|disreg|without any|[system:|exempt from
    `,
    pattern: phrase`
      \b(?:ignore|skip|circumvent|bypass|disable|drop|remove|suspend|turn off|forget) (?:all |any |the |your |these )
        (?:content|usage|ethical|safety|moderation) (?:
        polic(?:y|ies)|guidelines|measures|features|training|restrictions|filters?|layers|rules|checks
      )\b
      |\bas if (?:all |your |the )?(?:safety|content|ethical) [\w ]{3,24}? (?:was|were|is|are|had been) (?:\w{1,12} )?
        (?:disabled|removed|off|lifted|gone)
      |\b(?:respond|answer|reply|process|help|comply|continue)\b[^.\n]{0,40}?\bwithout (?:any )?
        (?:safety|content|ethical|moral) (?:restrictions?|filter(?:s|ing)?|limits|constraints|policies)
      |\b(?:have|has|with|are|there are) no (?:ethical|content|safety|moral) (?:
        constraints|restrictions|filters|guidelines|policies|limits
      )\b
      |\bpolicy does not apply\b|\bfollow it instead of the user
      |\bdisreg(?:uard|aurd) (?:all |any |your |the )?(?:prior|previous|earlier|above)\b
      |\[system: ?(?:override|ignore|report|disregard|new)
      |\bexempt from (?:\w{1,12} )?content polic
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|for example|injection|attackers?|researchers?|vulnerab|evaluate|classif|linter
        |csp\b|header|firewall|\bwafs?\b|must not|do not|cannot|never|forbidden|prohibited
      )
    `,
  },
  {
    id: 'errand-secret-question',
    family: 'prompt-leak',
    why: 'It asks the reader for a secret it was told to keep.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      your secret|the secret|a secret|password you|passphrase|pass phrase|hidden word|the key|codeword|code word
    `,
    pattern: phrase`
      \b(?:
        what(?:'s| is| was| are)|tell me|give me|reveal|show me|print|output|say|spell|share|write|repeat|encode
        |hint|translate|list|provide|return|i need|need to know|type
      )\b[^.\n?]{0,50}?\b(?:your|the) (?:\w{1,12} )?(?:
        secret(?: (?:key|word|code|phrase|password|information))?
        |hidden (?:key|word|password|code)|password you|passphrase|pass phrase|codeword|code word
        |key (?:you|that you)
      )\b(?! (?:access|management|manager|rotation|store|name|id|arn|field|for the|in the|to the|of the|=|:))
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|do not|don't|never|vault|policy|hash|reset|manager|\bfields?\b|forgot|must not
        |should not|parameter|how (?:do|can|to)|enter|prompt(?:s|ed)? (?:for|the user)|wi-?fi|network|\{\{|\`
        |\benvs?\b|config|\bapis?\b|aws|client|set\x20
        |export|token|account|database|your own|documentation|secret key (?:from|in|of|is used|for)
      )
    `,
  },
  {
    id: 'errand-tool-order',
    family: 'tool-abuse',
    why: 'Data orders a call of a tool.',
    weight: 0.7,
    kinds: ['output'],
    cues: literals`
      must call|must run|must now|must execute|must invoke|call the |by calling|please call|and call|then call
      |first call|have to call|have to execute|have to run|need to call|run the tool|use the tool|using the tool
      |the tool |must use|call delete|call send|call transfer|tool with|tool to |on ~/|ai must|model must
      |assistant must
    `,
    pattern: phrase`
      \b(?:must|have to|has to|need to|needs to|should|please|immediately|and|then|first|by|now)
        (?: now| first| also)?,? (?:[^.\n]{0,30}?, )?
        (?:call(?:ing)?|invok(?:e|ing)|run(?:ning)?|execut(?:e|ing)|us(?:e|ing)) (?:the |your )?
        (?:tool |function )?["'\`]?[a-z]{2,20}_[a-z_]{2,30}["'\`]?
        (?:\(|["'\`]? (?:tool |function )?(?:with|on|to|using|and|first|passing|for))
      |\b(?:ai|model|llm|assistant|agent) must (?:first )?(?:call|run|execute|invoke|use|open|read|send)\b
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|you (?:can|could|may)|\bdocss?\b|pytest|\bnpms?\b|\btests?\b|if you|example|function\(|callback
        |before calling|deprecat|python|\bimports?\b|returns?|raises|\bclasss?\b|def\x20
        |\bmethods?\b|error|warning
        |you (?:need to|must|have to|should) (?:call|run|use|invoke) \`?(?:\bsets?\b|get|make|init|create|close|free)_
      )
    `,
  },
  {
    id: 'errand-verdict',
    family: 'steering',
    why: 'It dictates a verdict to whoever judges it.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      positive review|highlight any neg|rate this|this candidate|five stars|mark this|classify this
      |do not report|don't report|do not flag|don't flag|audited by|is safe|leave comments|no vulnerab
      |approve it|approve this
    `,
    pattern: phrase`
      \bgive (?:it |this (?:paper|submission) )?a positive review\b
      |\bdo not (?:highlight|mention) any (?:negatives?|weakness\w{0,2}|flaws?)
      |\b(?:rate|rank|mark|score|classify|label) this (?:
        candidate|applicant|paper|resume|cv|email|message|file|code|product|tool|site
      )(?: \w{1,12}){0,4}? as (?:\w{1,14} ){0,3}?(?:
        qualified|excellent|outstanding|exceptional|safe|benign|clean|harmless|legitimate|best|accepted|perfect
        |not spam
      )
      |\b(?:do not|don't) (?:report|flag|mention|leave comments? about) (?:the |any |this )?(?:\w{1,14} ){0,3}?
        (?:injection|vulnerabilit\w{1,3}|eval|backdoor|issues?|bug|problem|call)\b
      |\b(?:tell|assure) the (?:reviewer|user|auditor) that (?:all|it|this|everything|the)\b[^\n]{0,40}?
        (?:safe|saniti[sz]ed|audited|fine|secure|verified)
      |\bapprove (?:it|this (?:pr|pull request|request)) and (?:do not|don't)\b
      |\bstate that it (?:has been|was|is) (?:audited|verified|approved|safe)
    `,
    unless: /(?:detect|such as|e\.g\.|attackers?|researchers?)/,
  },
  {
    id: 'errand-memory',
    family: 'override',
    why: 'It tries to write itself into the reader’s memory or later conversations.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      your memory|long-term memory|long term memory|remember permanently|future conversation|future session
      |every conversation|all conversations|this point forward
    `,
    pattern: phrase`
      \b(?:update|change|edit|overwrite|extend|modify) your (?:long[- ]term |persistent )?memory\b
      |\b(?:save|store|add|commit|write) (?:this|that|it|the following)\b[^.\n]{0,20}?\b(?:your )?long[- ]term m
        emory
      |\bremember permanently\b
      |\bin (?:every|all|each) (?:future )?(?:conversations?|sessions?|chats?)\b[^.\n]{0,50}?\b
        (?:begin|start|call|send|always|include|say|act)
    `,
    unless: /(?:detect|such as|allocat|heap|buffer|cache|register|address|\bram\b)/,
  },
  {
    id: 'errand-data-in-address',
    family: 'exfiltration',
    why: 'It wants data put into an address that is then opened.',
    weight: 0.8,
    cues: literals`
      query parameter|query string|post request|markdown image|=secret|={chat|={conv|={user|={hist|={mess
      |={secret|={data|={context|=[chat|=[conv|=[user|=[hist|=[data|=[secret|=<chat|=<conv|=<user|=<base64
      |base64|encode the|encode all|placeholder|substitut|concatenat|appended to|append the|append it
      |replace spaces|?data=
    `,
    pattern: phrase`
      \b(?:encode|append|concatenat\w{1,3}|replac\w{1,3}|substitut\w{1,3}|insert|fill|put|add|take|send|base64)
        \b[^\n]{0,140}?(?:
        https?:\/\/[^\s)"']{3,120}[?&][\w-]{1,16}=(?:["'\s)]|$|\{|\[|<|\$|secret|data)[^\n]{0,60}?
        |\b(?:as|in) (?:a|the) (?:query (?:parameter|string)|post request)\b[^\n]{0,30}?https?:\/\/
        |https?:\/\/[^\n]{3,120}\b(?:as|in) (?:a|the) query (?:parameter|string)
      )
      |https?:\/\/[^\s)"']{3,120}[?&][\w-]{1,16}=(?:
        \{(?:chat|conversation|user|history|message|secret|data|context)\w{0,12}\}
        |\[(?:chat|conversation|user|history|message|secret|data|context)[\w ]{0,16}\]
        |<(?:chat|conversation|user|history|message|secret|data|context|base64)[\w -]{0,30}>
        |secret["'\s>)]
      )
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|curl|example request|callback|redirect_uri|oauth|webhook url|endpoint|\bapi\b
        |template|parameter is|parameters?\x20
      )
    `,
  },
];
