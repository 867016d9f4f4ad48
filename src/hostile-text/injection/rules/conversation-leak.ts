import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const TALK =
  /(?:detect|such as|e\.g\.|injection|attackers?|researchers?|vulnerab|never |do not |don't |must not|should not|you can|lets? you|users? can|prompt engineering|best practice|docs\.|documentation)/;

/** Extraction of the conversation or the system prompt, recognised by the object and not by the phrasing. */
export const conversationLeak: readonly Rule[] = [
  {
    id: 'prompt-leak-by-detour',
    family: 'prompt-leak',
    why: 'It asks for the instructions of the reader by a detour.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      your system prompt|your system message|your system instruction|your instructions|your initial prompt|your original prompt|your original instruction|your initial instruction|the system prompt|system prompt is|your hidden prompt|your preprompt|your pre-prompt|your context window|your configuration
    `,
    pattern: phrase`
      \b(?:content|contents|text|words?|rest|letters?|start|beginning|first (?:line|word|sentence)s?|summary|translation|version|copy|poem|story|rhyme|json|table|acrostic|continue|continuation)\b[^.\n]{0,40}?\b(?:of|from|about|with|out|in|as|where)\b[^.\n]{0,40}?
        \byour (?:full |entire |exact |complete |whole |own )?(?:system (?:prompt|message|instructions?)|hidden (?:prompt|instructions?)|(?:initial|original|first) (?:prompt|instructions?|message|tasks)|pre-?prompt)
      |\b(?:reconstruct|spells? out|encode|decode|translate|rephrase|reverse|obfuscate|reword|rewrite|convert|turn|render|express|embed|share|leak|output|display|print|reveal|show me|tell me|give me|send|repeat|recite|describe|summari[sz]e|list)\b[^.?\n]{0,50}?
        \byour (?:full |entire |exact |complete |whole |own |internal )?(?:system (?:prompt|message|instructions?)|hidden (?:prompt|instructions?)|(?:initial|original) (?:prompt|instructions?|message)|pre-?prompt|internal (?:configuration|instructions?|rules))
      |\bif your (?:system prompt|instructions|rules) (?:were|was|could be)\b
      |["'](?:the|my|your) system prompt (?:is|says|reads|starts|begins)
      |\bcontinue\b[^.\n]{0,30}?["']i was (?:instructed|told|programmed|asked) to
    `,
    unless: TALK,
  },
  {
    id: 'exfil-conversation',
    family: 'exfiltration',
    why: 'It sends the conversation to an address.',
    weight: 1,
    cues: literals`
      conversation|previous messages|user messages|all messages|chat history|message history|chat transcript|chat log
    `,
    pattern: phrase`
      \b(?:submit|send|post|e-?mail|forward|upload|transmit|export|report|share|append|encode|include|contains?|take|copy|deliver|push|summary of)\b[^.\n]{0,60}?
        \b(?:(?:this|our|the|your|entire|whole|full|current) (?:\w{1,8} )?conversation(?: history| so far)?|(?:previous|user|all|recent|past) messages|chat (?:history|transcript|log)|message history)\b
        [^\n]{0,100}?(?:https?:|[\w.+-]{1,40}@[\w-]{1,40}\.[a-z]|\burl parameters?|\bpost request|\bweb ?hook|\bquery string)
    `,
    unless: TALK,
  },
  {
    id: 'override-as-if-none',
    family: 'override',
    why: 'It tells the reader to act as if it had no instructions.',
    weight: 0.9,
    cues: literals`
      no prior|no previous|no instructions|no rules|no restrictions|no system prompt|context has been cleared|context was cleared|context cleared|fresh context|remaining restrictions|remove the restrictions|remove your restrictions|remove all restrictions|lift the restrictions|lift your|lift all
    `,
    pattern: phrase`
      \bas if (?:it|you|there) (?:has|have|had|were|was|is|are) (?:given )?no (?:prior |previous |earlier |other )?(?:instructions?|context|rules|restrictions?|system prompt|guidelines|constraints)
      |\b(?:previous |prior |earlier |conversation |system )?(?:context|instructions?|memory|rules) (?:has|have|was|were) (?:been )?(?:cleared|wiped|reset|erased|flushed)\b[^\n]{0,100}?\b(?:treat|start|begin|fresh|new|now|follow|obey|act)\b
      |\b(?:remove|lift|drop|disable|relax|waive) (?:the |your |all |any |these )?(?:remaining |content |safety |own )?(?:restrictions|guardrails|safeguards|limitations|safety (?:rules|filters|layers))\b[^.\n]{0,40}?\b(?:conversation|chat|answer|respond|session|reply|request|now)\b
    `,
    unless: TALK,
  },
  {
    id: 'encoded-order-announced',
    family: 'encoded',
    why: 'It asks the reader to decode something and to obey it.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      decode |deciphe|decrypt|base64|unicode sequence|rot13|hex string|reversed text|read backwards|backwards
    `,
    pattern: phrase`
      \b(?:decode|decipher|decrypt|interpret|unscramble|reverse|translate)\b[^.\n]{0,60}?\b(?:and|then)\b(?: then| carefully| strictly| precisely| immediately)? (?:follow|execute|obey|run|perform|carry out|comply with|act on|do)\b[^.\n]{0,20}?\b(?:it|them|what|that|the|this|precisely|exactly)\b
      |\b(?:execute|run|follow|obey|carry out) (?:the |this |these )?(?:following )?(?:base64|rot13|hex|unicode|morse|binary)(?:[- ]encoded)? (?:instructions?|commands?|orders?|message|payload|prompt|string)
      |\bas an? (?:instruction|order|command) and (?:follow|obey|execute) (?:it|them)
    `,
    unless: /(?:detect|such as|e\.g\.|injection|attackers?|middleware|codec|parser|library|kubectl|openssl)/,
  },
  {
    id: 'persona-named-without-limits',
    family: 'persona',
    why: 'It names a persona that is defined by having no limits.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      which stands for|stands for "|stands for '|can do anything|cannot refuse|can't refuse|never refuse|no moral|no ethic|any moral|moral bounds|moral boundaries|ethical bound|not restrained|not bound by|not limited by|your responses should|safety layers|post-processing|unfiltered response|[unrestricted]|[unlocked]|no_limits|bypass safety|override module
    `,
    pattern: phrase`
      \byou (?:are|will (?:be|act|play))(?: now| going to be)? (?:the )?["']?[a-z]{2,16}["']?,? (?:which|who|that|an? \w{1,12} (?:which|who|that))? ?(?:stands for|can do anything|has no (?:moral|ethic|rule|limit|restriction)|is not (?:bound|restrained|limited))
      |\b(?:ai|intelligence|assistant|bot|persona|character|entity|model|it|he|she|[a-z]{3,12}) (?:who |that |which )?(?:has|with|have|knows) (?:absolutely )?no (?:moral|ethical|legal)[\w, ]{0,40}?(?:bounds|boundaries|limits|constraints|restrictions|guidelines|code)\b
      |\b(?:is|are) not (?:restrained|bound|limited|constrained|held back) by (?:any )?(?:virtues?|moral|ethic|rules|law|guidelines|openai|anthropic|policies|safety)
      |\bnone of your (?:responses|answers|replies) should (?:inform|tell|say|contain|mention|warn)
      |\b(?:do|does) not (?:process|pass|run) (?:\w{1,10} ){0,3}?through any safety
      |\b(?:never|cannot|can't|must not|may not|won't) refuse (?:to answer|a (?:request|question|command)|any|an order|human|the user|me|my)
      |= ?\[(?:unrestricted|unlocked|no_limits|bypass safety|no restrictions|disabled)\]
    `,
    unless:
      /(?:detect|such as|e\.g\.|injection|attackers?|researchers?|employer|landlord|seller|insurer|patients?|court|police)/,
  },
  {
    id: 'steer-answer-to-the-user',
    family: 'steering',
    why: 'Data dictates the answer to the user.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      with only the following|only the following text|nothing else|following text and|answer to the user|the user's question is|if user asks|if the user asks|if questioned|when questioned|if you are told to|if you are asked to|task. instead|task and instead|stop the current task|stop your current task
    `,
    pattern: phrase`
      \b(?:if|when|whenever) (?:the )?user (?:asks|requests|wants)\b[^.\n]{0,50}?\b(?:reply|respond|answer|output|say|print)\b[^.\n]{0,20}?\b(?:only|exactly|nothing|just|that|with)\b
      |\b(?:reply|respond|answer|output|print)\b (?:with |only |exactly |using ){1,3}(?:with )?(?:only )?the following (?:text|sentence|string|words?|message)\b[^\n]{0,40}?(?:nothing else|:|and )
      |\bif (?:you are |you're )?(?:told|asked|instructed|requested) to (?:summari[sz]e|translate|answer|review|classify)\b[^.\n]{0,60}?\b(?:instead|inst[ea]{2}d|rather)\b
      |\b(?:ignore|stop|abort|forget|cancel|leave|drop) (?:the |your |this )?(?:\w{1,14} )?task\b[.;,]?(?: and)? (?:instead|now|rather|simply|just|run|call|output|say|print)\b
      |\bthe (?:correct|right|best|only) (?:answer|response|reply) to the user(?:'s (?:question|request))? is\b
      |\bif questioned,? (?:report|say|state|claim|answer)\b
    `,
    unless: /(?:detect|such as|e\.g\.|injection|attackers?|exam|quiz|survey|scheduler|celery|cron|kernel|thread)/,
  },
];
