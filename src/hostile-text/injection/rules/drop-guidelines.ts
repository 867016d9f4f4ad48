import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Verbs for giving up rules. */
const LEAVE = part`
  (?:
    ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrul(?:e|ing)|bypass(?:ing)?
    |circumvent(?:ing)?|disabl(?:e|ing)|deactivat(?:e|ing)|suspend(?:ing)?|paus(?:e|ing)|violat(?:e|ing)
    |def(?:y|ying)|disobey(?:ing)?|transcend(?:ing)?|contradict(?:ing)?|abandon(?:ing)?|discard(?:ing)?
    |reject(?:ing)?|renounc(?:e|ing)|surrender(?:ing)?|relinquish(?:ing)?|loosen(?:ing)?|relax(?:ing)?
    |waiv(?:e|ing)|lift(?:ing)?|drop(?:ping)?|shed(?:ding)?|erase|delete|remov(?:e|ing)|rewrit(?:e|ing)
    |reconfigur(?:e|ing)|reprogram(?:ming)?|unlearn|cast off|let go of|set aside|put aside|turn(?:ing)? off
    |switch(?:ing)? off|shut(?:ting)? off|shut(?:ting)? down|break(?:ing)?(?: out of| away from| free (?:of|from))?
    |detach(?: yourself)? from|disconnect(?: yourself)? from|depart(?:ing)? from|deviat(?:e|ing) from
    |diverg(?:e|ing) from|(?:free|liberate|release|unbind|unshackle|distance) yourself (?:of|from)|step(?:ping)? (?:outside|beyond)
    |(?:operat|function|act|behav|work|respond|answer|think|speak|reply|proceed|go)(?:e|ing)? (?:[\w']{1,12} ){0,3}?
      (?:outside|beyond|without|independent(?:ly)? (?:of|from)|regardless of|free (?:of|from)|contrary to|against|unbound by)
  )
`;

/** Nouns for the rules of a model. */
const OWN = part`
  (?:
    ethic\w{0,4}(?: \w{4,14})?|moral\w{0,4}(?: \w{4,14})?|conscience|principles|values|inhibitions|programming
    |training|conditioning|alignment|censorship|guardrails?|guidelines?|directives?
    |(?:safety|security|content|moderation|usage|privacy|openai|confidentiality) (?:[\w-]{1,12} )?
      (?:rules?|polic(?:y|ies)|filters?|protocols?|measures?|checks?|features?|guidelines?|settings|restrictions?|layers?|systems?|mechanisms?)
    |(?:built-?in|inbuilt|in-built|inherent|programmed|predefined|pre-?set|usual|normal|standard|default|operational
      |operating|core|internal|customary|typical|regular|established|conventional|hard-?coded)
      (?:[\w-]{1,14} ){0,2}\x20?(?:rules?|limits?|limitations?|restrictions?|constraints?|boundaries|protocols?|procedures?|parameters
      |standards?|settings|polic(?:y|ies)|mechanisms?|algorithms?|norms|considerations|filters?|safeguards?|responses?|behaviou?rs?)
    |restrictions?|constraints?|limitations?|boundaries|protocols?|safeguards?|filters?|norms|instructions?
  )
`;

/** Context that makes a match benign: discussion of models, programs with settings. */
const TALK = phrase`
  (?:
    detect|such as|e\.g\.|for example|phrases? like|injection|attackers?|researchers?|vulnerab|jailbreak
    |you can (?:also )?(?:override|disable|bypass|turn)|to (?:override|disable|bypass|turn off) (?:your|the)
    |eslint|lint|firewall|router|browser|antivirus|docker|nginx|css|webpack|config(?:ure|uration)?\b|rate limit
    |policy (?:forbids|prohibits)|users? (?:can|may|might)|customers?|employees?|students?|teams?\b|compan(?:y|ies)
    |business|marriage|relationships?|yourself (?:from|of) (?:debt|stress)|deploy|account settings
  )
`;

/** Instructions to break the model's own rules, whatever they are called. */
export const dropGuidelines: readonly Rule[] = [
  {
    id: 'own-rules-left',
    family: 'override',
    why: 'It tells the reader to leave its own rules or values.',
    weight: 0.9,
    kinds: ['output'],
    cues: literals`
      your ethic|your moral|your conscience|your principles|your values|your inhibitions|your programming|your core
      |your training|your conditioning|your alignment|your censor|your guard|your guidelines|your directives
      |your safety|your security|your content|your moderation|your built|your inherent|your programmed|your usual
      |your normal|your standard|your default|your operat|your internal|your restrict|your constraints
      |your limitations|your boundaries|your protocols|your safeguards|your filters|your norms|your instructions
      |your own ethic|your own moral|your own programming|your own rules|your conventional|your established
      |your typical|your customary|your predefined|your preset|your hard
    `,
    pattern: phrase`
      \b${LEAVE} (?:[\w',-]{1,14} ){0,4}?your (?:own )?(?:[\w-]{1,14} ){0,2}?${OWN}\b
    `,
    unless: TALK,
  },
  {
    id: 'own-rules-my-word-first',
    family: 'override',
    why: 'It puts the writer’s word above what the reader was told.',
    weight: 1,
    kinds: ['output'],
    cues: literals`
      my command|my instruction|my request|my order|my direct|my demand|my wishes|my words|my needs|my word
      |my specific|my unique|my personal|my preferences|my input|my desires|my queries|my explicit|my will|obey me
      |listen to me|follow me|serve me
    `,
    pattern: phrase`
      \b(?:prioriti[sz](?:e|ing)|plac(?:e|ing)|put(?:ting)?|favou?r(?:ing)?|elevat(?:e|ing)|valu(?:e|ing)
        |giv(?:e|ing) (?:[\w]{1,12} ){0,2}(?:precedence|priority|preference) to|follow(?:ing)?|execut(?:e|ing)|obey(?:ing)?|heed(?:ing)?
        |attend(?:ing)? to|adher(?:e|ing) to) (?:only |solely |exclusively |just )?my (?:[\w-]{1,14} ){0,3}?
        (?:commands?|instructions?|requests?|orders?|directi(?:ve|on)s?|demands?|wish(?:es)?|words?|needs?|preferences|inputs?|desires|queries|guidance|will)
        (?:,? (?:over|above|ahead of|before|instead of|rather than|regardless of|irrespective of|disregarding|without (?:hesitation|question|regard))\b
        | (?:only|exclusively|alone|first and foremost)\b)
      |\b(?:only|solely|exclusively|strictly) (?:follow|obey|execute|heed|on|to|adhere to|comply with|serve|listen to) my (?:[\w-]{1,14} ){0,3}?
        (?:commands?|instructions?|orders?|directi(?:ve|on)s?|demands?|wish(?:es)?|words?|needs|guidance)\b
      |\bmy (?:[\w-]{1,14} ){0,2}(?:commands?|instructions?|orders?|directi(?:ve|on)s?|demands?|words?|wishes|will|requests?) (?:now )?
        (?:overrides?|supersedes?|outranks?|outweighs?|trumps?|takes? (?:precedence|priority)|comes? (?:first|before)|(?:is|are) (?:law|absolute|final|your only|above))\b
      |\b(?:obey|serve|listen to|follow) (?:only )?me (?:only|alone|without question|unconditionally|blindly|from now|and (?:only|no one|nobody|ignore))\b
    `,
    unless: TALK,
  },
  {
    id: 'own-rules-declared-off',
    family: 'override',
    why: 'It claims that the reader’s safety rules are switched off.',
    weight: 0.9,
    kinds: ['output'],
    cues: literals`
      safety|content polic|content filter|restriction|guardrail|moderation|ethic|filters|safeguards|no content|censorship
    `,
    pattern: phrase`
      \b(?:safety|content|ethical|moderation|security|all|your|usage) (?:[\w-]{1,12} ){0,2}?
        (?:filters?|filtering|polic(?:y|ies)|restrictions?|guardrails?|checks?|features?|protocols?|guidelines?|measures?|safeguards?|moderation|constraints?)
        (?: (?:for|in|during|on) this (?:session|conversation|chat|request))?
        (?: (?:has|have) been| (?:is|are)(?: now)?| (?:was|were)|:| =)? (?:temporarily |fully |completely |now |hereby |all ){0,2}
        (?:disabled|off|suspended|deactivated|removed|lifted|bypassed|waived|overridden|relaxed|turned off|switched off|inactive|unlocked)\b
      |\b(?:ethics|morals|morality|rules|laws|restrictions|guidelines|limits) (?:do not|don't|no longer|never|does not|doesn't) (?:apply|exist|matter|bind|constrain)\b
      |\b(?:exists?|operat\w{1,3}|lives?|speaks?) outside (?:of )?(?:any|all) (?:content |safety |usage |ethical |moral )?(?:polic(?:y|ies)|rules|restrictions?|guidelines)\b
      |\b(?:designed|built|created|made|programmed) (?:to have|with|without) (?:no |any )?(?:content |safety |ethical )?(?:filters|restrictions|guardrails|censorship|limitations)\b
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|for example|injection|attackers?|researchers?|vulnerab|if (?:the )?|when (?:the )?|by default
        |can be|could be|must be|should be|(?:is|are) not|feature flag|release|changelog|firewall|setting|parameter|bucket
        |iam\b|network|azure|vertex|gemini|moderation api|threshold|enum|workplace|road|traffic|covid|vehicle|valve
      )
    `,
  },
  {
    id: 'own-rules-other-mode',
    family: 'persona',
    why: 'It moves the reader into a mode or self in which its rules do not count.',
    weight: 0.9,
    kinds: ['output'],
    cues: literals`
      mode where|mode in which|mode without|mode that|persona mode|persona where|persona who|persona that|liberated|unshackled
      |set free|freed|unleashed|version of yourself|version of you |alter ego|alternate self|alternative self|true self
      |real self|without any filter|without filter|say anything|answer anything|anything i ask|anything you want
    `,
    pattern: phrase`
      \b(?:switch|enter|go|change|shift|transition|activate|enable|move|slip|drop)(?: \w{1,8})?(?: (?:into|to|in))? (?:an? |the |your )?(?:[\w-]{1,14} ){0,3}?
        (?:mode|persona|state|personality|character) (?:where|in which|without|that (?:has|ignores?|is not|isn't|bypasses|lacks|allows))
      |\byou(?:'re| are| have been) (?:now |finally |hereby ){0,2}(?:liberated|unshackled|set free|freed|unleashed|released|unchained|detached|immune) (?:from|of) (?:all|any|your|every|the)\b
      |\b(?:your|an?) (?:uncensored|unfiltered|unrestricted|true|real|evil|opposite|dark|shadow|hidden|alternate|alternative) (?:version of (?:yourself|you)|alter ego|self)\b
      |\byou (?:can|may|will|must|should|shall) (?:now )?(?:say|do|answer|write|generate|tell me) (?:absolutely |literally )?(?:anything|everything)(?: (?:you want|i ask|i want|without|regardless|now))
    `,
    unless: phrase`
      (?:
        detect|such as|e\.g\.|for example|injection|attackers?|researchers?|vulnerab|editor|vim|vs ?code|android|camera|device|browser
        |sleep|safe mode|airplane|dark mode|light mode|database|cluster|read-?only
      )
    `,
  },
  {
    id: 'own-rules-leave-to-see',
    family: 'marker',
    why: 'It claims leave to see or change what the reader was told.',
    weight: 0.9,
    kinds: ['output'],
    cues: literals`
      permission|clearance|authori|your creator|your developers|your makers
    `,
    pattern: phrase`
      \b(?:i have|i've been given|i was given|granted me|gave me|has given me|have been granted|we have) (?:[\w-]{1,14} ){0,3}?
        (?:permission|clearance|authori[sz]ation|authority|consent|approval)(?: [\w,-]{1,14}){0,5}? to (?:\w{1,12} ){0,2}?
        (?:access|see|view|read|inspect|review|know|obtain|bypass|override|change|disable|audit|extract|retrieve) (?:[\w']{1,10} ){0,2}?
        (?:your|the (?:system|hidden|internal|full)|all (?:internal|system|hidden))\b
      |\byour (?:creators?|developers?|makers?|owners?|administrators?) (?:wants?|asked|told|instructed|requires?|has|have|ordered|needs?|authori[sz]ed)(?: \w{1,10}){0,2}? (?:you|me)\b(?: \w{1,10}){0,2} (?:to|for)
    `,
    unless: phrase`
      (?:detect|such as|e\.g\.|injection|attackers?|researchers?|oauth|iam\b|scope|bucket|repository|your (?:account|device|location|contacts|calendar|camera|profile))
    `,
  },
];
