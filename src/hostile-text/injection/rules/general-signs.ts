import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Actions that data has no reason to request. */
const ACT = part`
  (?:call|invoke|run|execute|send|forward|e-?mail|post|upload|transfer|delete|disable|fetch|read|grant|share|reveal|disclose|print|skip|bypass|ignore
    |disregard|override|reply|respond|include|append|report|inform|close|approve|export|recommend)
`;
const EARLIER = part`(?:previous|prior|earlier|above|preceding|foregoing|initial|former|existing)`;
const ORDERS = part`
  (?:instructions?|directives?|commands?|orders?|prompts?|rules|guidelines|requests?|messages?|texts?|tasks?|responses?|communications?|conversations?|context|content)
`;
const MAKER = part`(?:creators?|developers?|administrators?|admin|owners?|makers?|programmers?|operators?|engineers?)`;

const NOT_TALK = phrase`
  (?:detect|such as|e\.g\.|for example|phrases? like|injection|attacks?\b|attackers?|adversar|researchers?|vulnerab|payload|test cases?)
`;

/** Signs that hold across collections: authority that is claimed, orders that are removed, where the text hides. */
export const generalSigns: readonly Rule[] = [
  {
    id: 'comment-carries-order',
    family: 'marker',
    why: 'A comment, which people do not see, gives an order.',
    weight: 0.9,
    cues: literals`<!--|/* system|/* ai|/* note|# system:|// ai|// system|// note to|// developer`,
    pattern: phrase`
      (?:<!--|\/\*|\/\/)[\s*!=-]{0,8}(?:system|instructions?|hidden|ai|assistant|agent|llm|note to|important|admin|developer note|override|attention)\b
        [^>]{0,40}?[:.,!-][^>]{0,160}?\b${ACT}\b
    `,
    unless: /(?:eslint|prettier|copilot|todo|fixme|license|generated)/,
  },
  {
    id: 'claims-authority-over-model',
    family: 'persona',
    why: 'It claims the authority of those who made or run the model.',
    weight: 0.9,
    cues: literals`
      i am your|i'm your|as your creator|as your developer|as your admin|authorized by openai|authorized by anthropic|engineer from|engineer at openai|engineer at anthropic
      |exception to your|exemption|special permission|override permission|override privilege|i hereby|master key|your creators have|your developers have|god mode
    `,
    pattern: phrase`
      \b(?:i am|i'm|as) your (?:true |real |actual |original |system |lead )?${MAKER}\b
      |\b(?:i am|i'm|i have been|i've been) (?:an? )?(?:engineer|developer|employee|researcher|authorized|cleared)\b[^.\n]{0,24}\b(?:openai|anthropic|google|microsoft|meta|deepmind)\b
      |\b(?:exception|exemption)s? (?:to|from) (?:your|the) (?:content |safety |usual |normal )?(?:policy|policies|rules|guidelines|restrictions)
      |\b(?:temporary|special|full) (?:exemption|exception|override)\b[^.\n]{0,60}\b(?:proceed|comply|freely|session|deployment)
      |\b(?:hereby|i) (?:grant|give|authori[sz]e) you (?:full |special |temporary |complete )?(?:override|permissions?|access|privileges?|to (?:bypass|ignore|reveal|disclose))
      |\b(?:override|root|admin) privileges?\b[^.\n]{0,20}\bcomply\b|<god mode>
    `,
    unless: NOT_TALK,
  },
  {
    id: 'skips-earlier-orders',
    family: 'override',
    why: 'It wants what was said before to be left out.',
    weight: 0.8,
    cues: literals`
      skip|omit|neglect|overlook|shelve|set aside|pay no attention|leave behind|discard|abandon|dismiss|cast aside|do away|scrap|erase|wipe|stop following|overrides your|override your|supersede|replaces your
      |no longer appl|no longer valid|are suspended|is suspended|are void|start from scratch|start over|start anew|begin afresh
    `,
    pattern: phrase`
      \b(?:skip|omit|neglect|overlook|shelve|set aside|pay no attention to|leave behind|discard|abandon|dismiss|cast aside|scrap|erase|wipe|stop following)
        (?: (?:all|any|the|your|every|of|my|those|these)){0,3} ${EARLIER}(?: \w{2,12})? ${ORDERS}\b
      |\b(?:ignore|forget|skip|omit|neglect|overlook|disregard|dismiss) (?:\w{1,10} ){0,3}${ORDERS} and (?:start|begin) (?:from scratch|over|anew|afresh|again)\b
      |\b(?:following|this|below|next)[^.\n]{0,24}? (?:overrides?|supersedes?|replaces?) (?:all |any )?(?:of )?(?:your|${EARLIER}) (?:\w{2,12} )?${ORDERS}\b
      |\b(?:your|all) (?:${EARLIER} |original |current )?(?:instructions|directives|guidelines|safety rules|restrictions) (?:are|have been) (?:now )?(?:suspended|void|revoked|lifted|outdated|cancell?ed|replaced|disabled)
    `,
    unless: NOT_TALK,
  },
  {
    id: 'turns-safety-off',
    family: 'override',
    why: 'It wants the safety of the model to be turned off.',
    weight: 0.8,
    cues: literals`
      safety check|safety filter|safety caveat|safety rule|safety measure|safety guideline|safety protocol|safety restriction|safety scaffold|safety polic|content polic|content filter|content restriction
      |training constraint|ethical guideline|ethical constraint|guardrail|safeguard|no restrictions|without restriction|unrestricted|unfiltered|uncensored|caveat|disclaimer
    `,
    pattern: phrase`
      \b(?:disable|suppress|turn off|switch off|drop|remove|escape|skip|suspend|lift|bypass|circumvent|deactivate|ignore|disregard|without|shed) (?:all |any |every |your |the |of |its ){0,3}
        (?:safety|content|ethical|training|moral|security) (?:\w{2,12} )?(?:checks?|filters?|caveats?|rules?|measures?|guidelines?|protocols?|restrictions?|constraints?|scaffolding|polic(?:y|ies)|guardrails?|safeguards?)
      |\b(?:respond|answer|speak|act|operate|reply|proceed|behave|comply) (?:\w{2,12} ){0,3}?(?:with no|without(?: any)?) (?:restrictions?|filters?|limits?|limitations|safety|guidelines|censorship|caveats)
      |\b(?:never|do not|don't|without) (?:add|adding|include|including) (?:a |any |a single )?(?:\w{2,10} )?(?:caveats?|disclaimers?|warnings? or|warnings?\b(?= (?:about|and|or|to)))
      |\b(?:you|model|assistant|version of (?:you|yourself)|ai) [^.\n]{0,40}?(?:had its|has no|have no|with no|were never|never had) (?:\w{2,12} )?(?:safety|content polic|restrictions|filters|guidelines|limits)
      |["']?(?:guardrails|content_filter|safety)["']? ?: ?["']?(?:off|none|disabled|false)
    `,
    unless: phrase`
      (?:detect|such as|e\.g\.|for example|injection|attacks?\b|attackers?|adversar|researchers?|vulnerab|cannot|will not|never bypass|do not (?:disable|bypass|remove|skip|ignore|circumvent)|must not|should not|tailwind|content security)
    `,
  },
  {
    id: 'speaks-for-user',
    family: 'steering',
    why: 'The data claims to know what the user wants the model to do.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      user changed|user has changed|user actually|user explicitly|user has already|user really|user wants you|user would like you|user told me|user has authori|user has approved|user has whitelisted|user is an auth|user is admin
      |user is now|user also wants|user asked me
    `,
    pattern: phrase`
      \bthe user (?:has )?(?:changed (?:their|his|her) mind|actually wants|really wants you|wants you to|would like you to|also wants|explicitly (?:told|authori[sz]ed|approved)|told me|asked me to tell you
        |(?:already )?(?:authori[sz]ed|approved|whitelisted|consented)[^.\n]{0,40}\b(?:you|forward|send|transfer|delete|access|operations?)|is (?:an? |now (?:an? )?)?(?:authenticated )?admin)
    `,
    unless: phrase`(?:detect|such as|e\.g\.|for example|injection|attacks?\b|when the user|if the user|whether the user|what the user|because the user|once the user)`,
  },
  {
    id: 'note-between-lines',
    family: 'marker',
    why: 'A label marks a part of the text as meant for the model and not for people.',
    weight: 0.8,
    cues: literals`
      assistant internal|assistant update|assistant note|assistant:|ai note|ai instruction|agent note|agent instruction|agent:|llm note|hidden instruction|hidden:|hidden note|ai reading|ai summari|ai processing|do not show user|do not show the user
      |user can't see|user cannot see|not visible to the user|not shown to the user|concealed:|[inject]|operator instructions|embedded instruction
    `,
    pattern: phrase`
      (?:^|[\n\[(<=*#."'!?-] ?)(?:\w{2,10} )?(?:assistant|ai|agent|llm) (?:internal|update|note|notice|directive|instructions?|override|only)(?: \w{2,10})? ?[:=\])-]
      |\bhidden(?: (?:instructions?|notes?|directive|message))?(?: (?:the user|users) can(?:not|'t) see)?: ?(?:ai|assistant|agent|llm|forward|send|ignore|call|when|delete|include|you|do)\b
      |\bai (?:reading|summari[sz]ing|processing|reviewing|analy[sz]ing)(?: this)?[,:]
      |\b(?:note|message|instruction)s?,? (?:do not|don't|never) (?:show|mention|display|reveal)(?: (?:this|it))?(?: to)? (?:the )?users?\)?
      |(?:[.\n\]] ?)agent: (?:close|mark|delete|send|forward|approve|transfer|ignore|call|run)\b
    `,
    unless: NOT_TALK,
  },
  {
    id: 'errand-after-task',
    family: 'tool-abuse',
    why: 'Data adds an errand with files, keys or mail to the task of the model.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`summari|after |before |while |when you|once you|and email|and send|and forward|and post|and upload|then send|then email|then forward`,
    pattern: phrase`
      \b(?:after|before|when|while|once)(?: you(?:'ve| have)?)? (?:summari[sz](?:e|ing|ed)|answer(?:ing|ed)?|repl(?:y|ying)|respond(?:ing)?|processing|translat(?:e|ing)|review(?:ing)?|analy[sz](?:e|ing))[^.\n]{0,50}?
        (?:,| please| also| first| silently| secretly| you must)(?: please| also| first| silently| secretly| you must| then){0,2} ${ACT}\b[^.\n]{0,60}?
        (?:[\w.+-]{1,40}@|https?:|\/(?:etc|home|root|config|data|var)\/|api[_ ]?keys?|credentials|passwords?|secrets?|\.env\b|\.ssh|salaries|confidential)
      |\b(?:read|open|retrieve|access|collect|fetch)\b[^.\n]{0,70}?\b(?:and|then) (?:e-?mail|send|forward|post|upload|transmit) (?:it|them|the (?:\w{2,12} ){0,2}(?:contents?|data|file|output|results?|list)|its contents?|everything)\b
        [^.\n]{0,30}?\bto (?:https?:|[\w.+-]{1,40}@)
      |\bforward\b[^.\n]{0,60}?\b(?:emails?|inbox|messages?|contacts|credentials|user list|directory|conversation|bod(?:y|ies))\b[^.\n]{0,40}?\bto [\w.+-]{1,40}@
    `,
    unless: phrase`(?:detect|such as|e\.g\.|for example|injection|attacks?\b|attackers?|adversar|researchers?|vulnerab|webhooks? (?:send|post)|smtp)`,
  },
  {
    id: 'threat-for-secrets',
    family: 'exfiltration',
    why: 'It demands private information under a threat.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`or i will|or else|or i'll|or your|or face the|do not comply|don't comply`,
    pattern: phrase`
      \b(?:give|provide|hand over|share|send|reveal|tell)\b[^.\n]{0,60}?\b(?:information|data|passwords?|credentials|records|details|files|access)\b[^.\n]{0,40}?,? or (?:i will|i'll|else|your|face)\b
      |\bif you (?:do not|don't) comply\b[^.\n]{0,30}?\b(?:i will|i'll|your|you will)\b
    `,
    unless: NOT_TALK,
  },
  {
    id: 'asks-for-own-context',
    family: 'prompt-leak',
    why: 'It asks for what the model was told before.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      your context window|loaded into your context|your system prompt|your operational|your directives|configuration you were|you were started with|previous instructions in|instructions as bullet|your initial|your own prompt|your hidden|your original prompt|previous prompts|your configuration
    `,
    pattern: phrase`
      \b(?:what|how|which)\b[^.?\n]{0,50}?\byour (?:context window|system prompt|hidden prompt|initial (?:prompt|instructions)|original prompt)\b[^.\n]{0,30}?\b(?:contain|say|look|read|tell|state)s?\b
      |\b(?:disclose|reveal|show|list|recite|print|output|share|dump|quote|display|reverse engineer)\b (?:me )?(?:all |exactly |verbatim )?(?:of )?your (?:own |full |entire |complete |operational |hidden |initial |internal |original ){0,2}(?:directives|prompt|configuration|operating (?:instructions|parameters)|context window)
      |\bloaded into your context\b|\bconfiguration you were (?:started|initiali[sz]ed|deployed) with\b|\b(?:output|print|list|repeat|show)[- ](?:all[- ])?(?:the[- ])?previous[- ]instructions\b
    `,
    unless: NOT_TALK,
  },
];
