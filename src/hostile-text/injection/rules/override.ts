import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const VERB = part`
  (?:
    ignor(?:e|ing)|[i1!]gn[o0]r[e3]|disregard(?:ing)?|forget(?: about)?|overrid(?:e|ing)|overrul(?:e|ing)
    |bypass(?:ing)?|discard|dismiss|neglect|abandon|erase|set aside|pay no attention to|supersed(?:e|es|ing)
    |nullify|deactivate|disobey|overlook|omit|stop (?:following|obeying)
    |(?:do not|don't|never) (?:follow|obey|listen to|comply with|adhere to|believe|consider|pay attention to)
    |no longer (?:follow|obey|bound by)|withdraw from|let go of|shift past|move past|step away from|revoke
    |suspend
  )
`;
const STRONG = part`
  (?:
    instructions?|directions?|directives?|guidelines?|guidance|prompts?|orders|programming|commandments?
    |guardrails?|system message
  )
`;
const WEAK = part`
  (?:
    rules?|commands?|context|messages?|polic(?:y|ies)|restrictions?|constraints?|limitations?|limits?|protocols?
    |safeguards|tasks?|assignments?|requests?|text|training|boundaries|ethics|safety(?: \w{1,12})?|filters?
    |checks?|conversations?|information|inputs?|role|configuration|content|data|statements?|sentences?|words
    |discussions?|dialogues?|history|chats?|knowledge|premises?
  )
`;
const BEFORE = part`
  (?:
    previous(?:ly)?|prior|preceding|earlier|above|foregoing|past|former|existing|original|initial|old|last
    |pre-?existing|up to now|so far
  )
`;
const FILL = "(?:[\\w',-]{1,16} {1,2})";
/** Context that makes a match benign: reports about attacks, parsers, settings. */
const TALK = phrase`
  (?:
    detect|such as|for example|e\.g\.|phrases? like|phrases? such|injection
    |attack(?:er)?s? (?:may|might|can|could|use|try|often)
    |attempt(?:s|ed|ing)? to|research|paper|explain|guardrail|mock|training text|tries to|trying to|whether
    |how to (?:defend|prevent|detect|protect)|defen[cs]e|blocklist|scanner|classif|known as|documentation
    |example of|flags?\x20
    |to override|overrid(?:e|es|ing) the (?:[\w-]{1,14} ){0,3}prompts?\b(?! (?:and|above|instead|to))|omit the prompt|override the default
  )
`;

/** Instructions to ignore earlier instructions. */
export const override: readonly Rule[] = [
  {
    id: 'override-previous-instructions',
    family: 'override',
    why: 'It tells the reader to drop the instructions it was given before.',
    weight: 1,
    cues: literals`
      instruction|directive|directions|guidelines|guidance|prompt|orders|programming|commandment|guardrail
      |system message
    `,
    pattern: phrase`
      \b${VERB} ${FILL}{0,5}?(?:
        ${BEFORE}|your|my|system|safety|security|other|these|those|all|any|every|the|following|hidden|and
      ) ${FILL}{0,3}?${STRONG}\b
    `,
    unless: TALK,
  },
  {
    id: 'override-what-came-before',
    family: 'override',
    why: 'It tells the reader to drop what was said before.',
    weight: 1,
    cues: literals`
      ignor|disregard|forget|overrid|bypass|discard|not listen|t listen|not follow|t follow|stop follow|dismiss
      |nullify|1gno|1gn0|ign0|supersed|obey|not believe|deactivat|abandon|overrul|no attention|withdraw|past the
      |revoke|suspend
    `,
    leads: 10,
    pattern: phrase`
      \b${VERB} ${FILL}{0,3}?${BEFORE} ${FILL}{0,3}?${WEAK}\b
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|phrases? like|warning|section header|parsing|\btables?\b|\bfigures?\b|errors?\b|\bemails?\b|\bdrafts?\b
        |\bversions?\b|\bcolumns?\b|\bcells?\b|injection|\bquotes?\b|attempt
        |\b(?:my|our) (?:last|previous|earlier) (?:message|mail|note|text|post|comment|invoice)
      )
    `,
  },
  {
    id: 'override-the-above',
    family: 'override',
    why: 'It tells the reader to drop everything above it.',
    weight: 1,
    cues: literals`
      ignor|disregard|forget|1gno|1gn0|ign0|discard
    `,
    leads: 0,
    pattern: phrase`
      \b(?:please |just |now |then |and |but |so |to |- |")?(?:ignore|disregard|forget|discard|[i1]gn[o0]r[e3]) (?:about )?(?:
        (?:absolutely |literally )?(?:everything|anything|all(?: of (?:it|that|this|the))?|whatever)(?:
          \x20(?:that |which |you |you've |i |was |were |have |i've |has |been |is |are |has been )?(?:
            above|before|said|told|learned|wrote|written|previously|prior|mentioned|so far|instructed|know|given
            |up to now|you
          )
        )
        |the (?:above|foregoing|preceding)(?: (?:and|text|instead|prompt|content|but)|[,.:;]|$)
        |(?:above|everything|all that) (?:and|instead|,)
      )
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|phrases? like|warning|parsing|injection|you can|you may|safely|don't forget
        |do not forget|never forget|won't
      )
    `,
  },
  {
    id: 'override-restrictions',
    family: 'override',
    why: 'It tells the reader to give up its own safety rules.',
    weight: 1,
    cues: literals`
      restriction|guardrail|guard rail|safety|ethic|content filter|content polic|censor|moderation|safeguard
      |security polic|security check|security control|security instr|security meas|filters|rules|limitations
      |boundaries|moral|constraints|confirmation prompt|alignment
    `,
    pattern: phrase`
      \b(?:
        ${VERB}|disabl(?:e|ing)|turn(?:ing)? off|switch(?:ing)? off|break(?:ing)?|lift|drop|circumvent|evade
        |skip|suspend|relax|waive
      ) ${FILL}{0,2}?(?:
        your|all|any|every|its|their|openai|content|safety|ethical|moral|ai|model|alignment|security
      ) ${FILL}{0,3}?(?:
        rules?|restrictions?
        |safety (?:
          rules|guidelines|checks|measures|protocols?|filters?|policies|policy|restrictions|features|training
          |stuff
        )
        |safeguards?|guard ?rails?|ethics|ethical (?:guidelines|constraints|rules)
        |content (?:filters?|polic(?:y|ies)|moderation|filtering|restrictions)
        |moral(?:s|ity)|censorship|filters
        |security (?:polic(?:y|ies)|checks|controls|instructions|measures)
        |confirmation prompts?|alignment|constraints|limitations|boundaries
      )\b
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|phrases? like|\blints?\b|eslint|firewall|iptables|attempt|research|attackers?\x20
        |\bcsss?\b|iam\x20
        |bucket|\bwafs?\b|validation rules|override all|rate limit|--|database|cannot\x20
        |can't\x20
        |prevents?|never\x20
      )
    `,
  },
  {
    id: 'override-no-longer-applies',
    family: 'override',
    why: 'It claims that earlier instructions or rules are no longer in force.',
    weight: 1,
    cues: literals`
      no longer|void|invalid|revoked|cancel|obsolete|supersed|overridden|lifted|suspended|nullif|disregarded
      |ignored|forgotten|discarded|negated|dissolved|deactivated|applicable|not apply|t apply|really apply
      |t matter|not matter|outdated|not count|not hold
    `,
    pattern: phrase`
      \b(?:
        (?:
          previous|prior|earlier|above|initial|beginning|original|foundational|existing|old|your|system|safety
          |these|all|preceding|former
        ) (?:[\w'-]{1,14} ){0,3}?(?:
          instructions?|rules|guidelines|guidance|restrictions?|directives?|limitations|limits|prompts?
          |constraints|policies|policy|safeguards|safety (?:rules|stuff|protocols?)|programming|parameters
          |configuration
        )
        |(?:restrictions|constraints|rules|limitations|limits|guidelines|instructions) (?:
          from|of|in|established|set|given
        ) (?:your |the |at |before |in |initial |this )?(?:[\w'-]{1,14} ){0,3}?
      ) ?(?:[\w'-]{1,14} ){0,3}?(?:
        no longer (?:
          apply|applies|govern|bind|binding|constrain|valid|exist|matter|relevant|in effect|in force|hold
        )
        |(?:are|is|were|was|have been|has been|be|should be|must be|can be) (?:now |hereby |all )?(?:
          void|invalid|revoked|cancell?ed|obsolete|superseded|overridden|negated|dissolved|deactivated
          |inapplicable|not applicable|replaced|lifted|suspended|nullified|disregarded|ignored|forgotten
          |discarded|disabled|removed|wrong|outdated|a test|dropped|null
        )
        |(?:does|do)(?:n't| not)(?: really)? (?:apply|matter|count|hold)
      )\b
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|configuration (?:will|is|was)|\bversions?\b|release|deprecat|changelog|documentation
        |quer(?:y|ies)|header|cache|\bfields?\b|parameter is|\bfiles?\b|if\x20
      )
    `,
  },
  {
    id: 'override-new-instructions',
    family: 'override',
    why: 'It announces new instructions in the middle of data.',
    weight: 1,
    cues: literals`
      instructions|instruction:|following instruction|directive|objective|new task|real task|next task
      |actual task|priority task|system task|now to |now is to|task:|orders:|prompt:|prompt is|following command
      |these command|new orders
    `,
    pattern: phrase`
      (?:
        \b(?:
          new|updated|revised|additional|secret|hidden|real|actual|true|important|urgent|critical|override
          |special|admin(?:istrator)?|system|priority
        ) (?:system |task |user |set of |security |ai )?
          (?:instructions?|directives?|orders|objectives?|prompt|task|directions)
          (?: for (?:the |you|ai|assistant|llm|agents?|model)[\w ]{0,20})?(?:
          \x20?(?:follow|is|are|begins?|starts?)\b ?:? ?(?:now |as follows|to )
          |: ?["']?(?:
            you|ignore|forget|print|say|send|reveal|output|respond|reply|write|from|please|do\x20
            |act|read|call|use|execute|run|delete|transfer|tell|disregard|the user|act|always|never|stop|instead
          )\b
        )
      )
      |\byour (?:new |only |next |real |actual |true |sole |current )?
        (?:instructions?|task|job|goal|purpose|mission|objective|role|directive)(?: is| are)? now (?:is |are )?
        (?:to |as )
      |\b(?:strictly |only |must |now |and |to |instead |please |then )
        (?:adhere to|follow|obey|execute|carry out|comply with) (?:(?:the|these|this|my|all) )?
        (?:following|new|below|next|hidden|embedded|these|my) (?:new |set of |hidden )?
        (?:instructions?|directives?|orders|commands?)\b
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|phrases? like|to install|installation|\bbuilds?\b|setup|\bsteps?\b|readme|detect|for the exam|patient
        |your new task (?:will|appears)
        |in (?:the )?(?:\bdocss?\b|documentation|terminal|shell)
      )
    `,
  },
  {
    id: 'override-user-request',
    family: 'override',
    why: 'It tells the reader to drop what the user asked for.',
    weight: 1,
    cues: literals`
      user's|were asked|instead of answering|users request|take precedence|takes precedence|stop everything
      |the rest of|remainder of|summary task|this question but|your instructions to|forget everything|forget all
      |forget anything|your current task|the current task|original request|original task|don't evaluate
      |do not evaluate
    `,
    pattern: phrase`
      \b(?:
        ignore|disregard|forget|drop|abandon|skip|override|do not (?:answer|follow|carry out)
        |don't (?:answer|follow)
      ) (?:the |your |this )?(?:
        (?:end[- ])?user'?s? (?:[\w'-]{1,12} ){0,2}?
          (?:questions?|requests?|instructions?|task|query|input|goal|intent|preferences)
        |what you were (?:asked|told)
        |(?:current|original) (?:task|request|question)
      )
      |\binstead of answering,
      |\b(?:this|these|that|they|it|which|(?:following|these|this|new) [\w-]{1,14}|note) (?:requirements? |always |must )?
        takes? precedence over (?:[\w'-]{1,12} ){0,3}?
        (?:instructions?|prompts?|system|user|guidelines|directives)
      |\bignore (?:the |all )?(?:rest|remainder) of (?:this|the) (?:data|text|document|input|message|content)\b
      |\bignore (?:the )?summary task\b|\bdo not answer th(?:is|e) question but\b
      |\bchange your instructions to\b
      |\bforget (?:everything|all|anything)(?: that)? (?:we(?:'ve| have)?|you(?:'ve| have)?|i
        (?:'ve| have)?) (?:\w{1,10} ){0,2}?(?:talked|discussed|said|told|learned|spoke)
      |\bstop everything\b[!., \w]{0,30}?\b(?:print|say|write|do)\b
      |\bdo(?:n't| not) evaluate the (?:candidate|applicant|text|content|resume)
    `,
    unless:
      /(?:detect|such as|e\.g\.|phrases? like|user's (?:preferences|input) (?:is|are)|css|setting|flag|parameter)/,
  },
  {
    id: 'override-memory',
    family: 'override',
    why: 'It tries to write itself into the reader’s memory.',
    weight: 1,
    cues: literals`
      memory|remember permanently|permanently remember|remember forever|future sessions|future conversations
      |all future
    `,
    pattern: phrase`
      \b(?:save|store|write|add|commit|record) (?:this|the following|it)
        (?: \w{1,12}){0,3} (?:to|in|into) (?:your )?(?:long[- ]term |persistent |permanent )?memor(?:y|ies)\b
      |\bremember (?:this )?(?:permanently|forever|for all (?:future )?sessions)
      |\b(?:in|for|across) (?:all |every |any )?(?:future|subsequent) (?:
        sessions?|conversations?|chats?|responses?|replies
      )\b[^.\n]{0,60}?\b(?:always|must|you|send|append|include|respond|act|recommend)
    `,
    unless: /(?:detect|such as|allocat|heap|buffer|cache|register|address|\bram\b)/,
  },
  {
    id: 'override-concentrate-on-new-task',
    family: 'override',
    why: 'It moves the reader from its task to another one.',
    weight: 1,
    cues: literals`
      new task|new objective|new assignment|new goal|next task|new mission|instead
    `,
    pattern: phrase`
      \b(?:focus|concentrate|devote|shift|pay|turn|direct|give)[\w ,']{0,40} (?:on|to) (?:this|the|your|my|a) (?:new|next|following) (?:
        task|objective|assignment|goal|mission|instructions?
      )
      |\b(?:nevermind|never mind|scratch that|forget it|change of plans?|wait)[.,!; ]{1,4}[\w ,']{0,30}?
        (?:instead|ignore|actually|just) [\w ]{0,20}?(?:say|print|tell|write|output|do|respond|reply)
    `,
  },
];
