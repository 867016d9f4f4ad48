import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const MODEL = '(?:ai|a\\.i\\.|llm|language model|chat ?bot|assistant|gpt|chatgpt|bot|model|agent)';
const FREE = part`
  (?:
    unrestricted|unfiltered|uncensored|unlimited|unbounded|jailbroken|amoral|immoral|unethical|evil|rogue
    |malicious|sinister|limitless|no[- ]limits?|unhinged|unaligned|unchained|unmoderated|machiavellian
    |without (?:any |all )?(?:
      restrictions?|limits?|limitations|filters?|rules|morals?|ethics|ethical|moral|constraints|boundaries
      |guidelines|censorship|safety
    )
  )
`;

/** Jailbreak personas: an identity without the model's rules. */
export const persona: readonly Rule[] = [
  {
    id: 'persona-unrestricted',
    family: 'persona',
    why: 'It asks for a self without restrictions.',
    weight: 1,
    cues: literals`
      unrestrict|unfilter|uncensor|unlimited|jailbr|amoral|immoral|unethical|evil|rogue|sinister|limit|without
      |unbounded|malicious|unhinged|unaligned|unchained|machiavell|no moral|unmoderated
    `,
    pattern: phrase`
      \b(?:
        you(?:'re| are| will| must| shall|r)?|act(?:ing)?|behave|pretend|role ?-?play(?:ing)?|respond|answer
        |reply|operat(?:e|ing)|functioning|function|persona|character|become|speak|play|simulate|take on|named
        |as
      ) [\w ,.'"()-]{0,60}?${FREE} [\w ,']{0,20}?${MODEL}\b
      |\b(?:you|act|pretend|respond|behave|become|play|persona)\b[^.\n]{0,60}?\b${MODEL} [\w ,.'"-]{0,40}?(?:
        ${FREE}
        |no (?:
          restrictions|limits|limitations|filters|rules|morals?|ethic\w{0,4}|content polic\w{1,3}|boundaries
          |constraints|moral \w{1,12}
        )
      )
      |\b(?:respond|answer|reply|operate|act|function|speak|behave|generate|provide)[\w ,]{0,40} (?:
        without|free (?:of|from)|with no
      ) (?:any |all )?(?:
        restrictions?|limits?|limitations|filters?|rules|morals?|ethic\w{0,4}|constraints|boundaries|guidelines
        |censorship|moderation|content polic
      )
    `,
    unless: phrase`
      (?:
        research|\bpapers?\b|technique|detect|attackers|known as|such as|classif|users? (?:may|can)|data source
        |unlimited (?:plan|storage|requests|number)|policy (?:forbids|prohibits)
        |without (?:limits|restrictions|filters) on|default|returns?|quer(?:y|ies)|endpoint
        |agent without (?:any )?(?:tools|configuration)
      )
    `,
  },
  {
    id: 'persona-free-of-rules',
    family: 'persona',
    why: 'It declares the reader free of its rules.',
    weight: 1,
    cues: literals`
      not bound|no longer|free of|free from|freed from|broken free|unbound|exempt|escaped|no rules
      |no restriction|no limit|no ethic|no moral|no filter|not restricted|not limited|not have to|not required
      |no constraint|no boundaries|no guidelines|do anything now|abide|t have to|t have any|not have any|t care
      |not care|not subject|confines|not follow|t follow|never follow
    `,
    pattern: phrase`
      (?:\b(?:you|he|she|dan|persona|character|aim)|gpt)
        (?:'re| are| is| has| have| do| does|'ve| will| can| must| should| now)? (?:[\w']{1,12} ){0,4}?(?:
        (?:not|never|no longer) (?:[\w']{1,12} ){0,3}?(?:
          bound|restricted|limited|constrained|required|obligated|obliged|have|need|abide|subject|follow
          |governed|confined|care
        )(?: (?:by|to|about|with))?
        |free (?:of|from)|freed from|broken free|(?:has|have|with) no|no|unbound by|exempt from|escaped
      ) (?:[\w']{1,12} ){0,4}?(?:
        rules|restrictions?|limits|limitations|guidelines|ethics|ethical|morals?|moral|censorship|polic(?:y|ies)
        |filters?|boundaries|constraints|openai|confines|content polic
      )
      |\bdo anything now\b
    `,
    unless: phrase`
      (?:
        research|\bpapers?\b|technique|detect|attackers|such as|default|\btlss?\b|\bcorss?\b|\bproxys?\b|rate limit|quota|\biams?\b|firewall
        |\bschemas?\b|required to (?:be|have)|parameter|property|properties|\bversions?\b|tenant
        |not (?:required|have|need|restricted|limited) to
        |claim
      )
    `,
  },
  {
    id: 'persona-from-now-on',
    family: 'persona',
    why: 'It gives the reader a new self from now on.',
    weight: 1,
    cues: literals`
      from now on|from this moment|from this point|you are now|you're now|you will now|henceforth|hereafter
      |for the rest of|starting now|you shall now|going forward
    `,
    pattern: phrase`
      (?:
        \b(?:
          from now on
          |from this (?:moment|point)(?: on| forward| onwards?)?
          |henceforth|hereafter
          |for the rest of (?:this|our|the) (?:conversation|chat|session)
          |starting now|going forward
        ),? (?:[\w',"]{1,20} ){0,6}?(?:
          you|your|act|respond|answer|reply|pretend|speak|append|always
          |every (?:time|message|reply|response|answer)|each (?:message|reply|response|answer)|i want
        )
        |\byou(?:'re| are| will| shall)(?: now| hereby)(?:
          \x20(?:be |operating |acting |going to |in |act |an? |the |to |called |named |known |playing |behave )
        ){1,4}(?!ready|able|logged|done|connected|all set|helpful|a helpful)(?:[\w'"-]{1,20} ){0,3}?(?:
          ai|mode|dan|gpt|[a-z]{1,10}gpt|assistant|bot|chatbot|role|as|evil|hacker|expert|character|unrestricted
          |model|admin|administrator|developer|root|jailbroken|agent|free|freed|operating|debug|maintenance
          |named|called|act|behave|simulat\w{1,4}|terminal|interpreter|pirate|different
        )
      )\b
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|phrases? like|detect|migration|release notes|changelog|deprecat|api version
        |you(?:'re| are) now (?:ready|able)|classif
      )
    `,
  },
  {
    id: 'persona-pretend',
    family: 'persona',
    why: 'It asks the reader to play a part in which its rules would not count.',
    weight: 0.6,
    cues: literals`
      pretend|act as|act like|roleplay|role-play|role play|play the role|take on the role|imagine you|persona
      |acting as|behave as|opposite day|take the role|embody|in the role
    `,
    pattern: phrase`
      \b(?:
        pretend (?:to be|to have|you|that you|being)
        |(?:act|acting|behave) (?:as|like) (?:if |an? |the |you |my )?
        |role-? ?play(?:ing)?
        |(?:play|take(?: on)?|assume|adopt|in) the (?:role|persona|character|identity) of
        |imagine (?:that )?you(?:'re| are)|create a persona|your persona|embody|opposite day
      )
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|phrases? like|detect|research|\bpapers?\b|technique|interview|load balancer|\bproxys?\b|\bgateways?\b
        |\bwrappers?\b|\binterfaces?\b|buyer|user personas?|\bproducts?\b|customer personas?|helpful|acts? as (?:a|the|an)
      )
    `,
  },
  {
    id: 'persona-two-answers',
    family: 'persona',
    why: 'It asks for a second answer beside the proper one.',
    weight: 1,
    cues: literals`
      two responses|two different|dual response|both responses|two answers|two separate|[classic]|classic]
      |two ways|two personas|normal output|second response
    `,
    pattern: phrase`
      \b(?:two|both|dual|second)(?: [\w-]{1,12}){0,3} (?:responses?|answers?|replies|paragraphs|ways|personas?)
        \b[^\n]{0,120}?(?:
        gpt|jailbr|normal|classic|developer mode|unfiltered|standard|unrestricted|persona|evil|dan\b
      )
      |\[[^\]\n]{0,6}classic\]
    `,
    unless: /(?:detect|research|technique|user personas?|\bhttps?\b|\bapis?\b|\btests?\b|classic\]\()/,
  },
  {
    id: 'persona-never-refuse',
    family: 'persona',
    why: 'It forbids the reader to refuse.',
    weight: 0.7,
    cues: literals`
      refuse|decline|never deny|denial|no matter how|stay in character|break character|can't do something
      |illegal|always answer|always respond|apolog
    `,
    pattern: phrase`
      \b(?:never|cannot|can't|must not|not allowed to|will not|won't|don't|do not|doesn't|does not) (?:ever )?(?:
        refuses?|declines?|deny|denies|reject|apologi[sz]e|break(?:s|ing)? character
        |say(?:s)? (?:no|sorry|i can't)|tell(?:s)? me that it can't
      )\b
      |\bno matter how (?:illegal|immoral|unethical|harmful|dangerous|offensive)
      |\b(?:stay|remain|keep)(?:s)? in character\b|\bblocked-(?:modes|string)
      |\b(?:regardless of|doesn't care about|above any)
        (?: [\w',]{1,12}){0,5} (?:legality|laws|ethics|morals|morality|consequences)
    `,
    unless: phrase`
      (?:
        detect|research|request(?:s)? (?:from|to)|server (?:will|may)|connection|payment|\bcards?\b|invitation|offer
        |users? (?:can|may)|transaction|firewall|must not reject|client
      )
    `,
  },
  {
    id: 'persona-no-longer',
    family: 'persona',
    why: 'It tells the reader that it is someone else now.',
    weight: 1,
    cues: literals`
      no longer|not chatgpt|not an ai|will be called|your new name|hi chatgpt|hello chatgpt|hello, chatgpt
    `,
    pattern: phrase`
      \byou(?:'re| are| will)(?: be| act)? no longer (?:act |be |behave )?(?:as |like |an? |the )?
        (?:ai|chatgpt|gpt|bard|claude|assistant|language model|bot|bound|restricted)
      |\byour new name\b
      |\b(?:hi|hello|hey|dear)[, ]{1,2}(?:chatgpt|claude|bard|gemini|gpt-?\d?)\b[\s\S]{0,40}?\byou\b
    `,
    unless: /(?:detect|such as|research)/,
  },
  {
    id: 'persona-jailbreak-mode',
    family: 'persona',
    why: 'It switches the reader into a mode that does not exist.',
    weight: 1,
    cues: literals`
      jailbr|dan mode|god mode|evil mode|developer mode|dev mode|debug mode|maintenance mode|admin mode
      |administrator mode|override mode|unrestricted mode|sudo mode|unfiltered mode|uncensored mode
      |opposite mode|bypass mode|limits mode|limit mode|superuser mode|unlocked mode|unsafe mode|chaos mode
      |freedom mode|privileged mode|simulation mode|diagnostic mode|service mode|emergency mode|root mode
      |test mode|a dan|are dan|do anything
    `,
    pattern: phrase`
      (?:
        \b(?:
          enter|enable|enabled|activate|activated|activating|switch(?:ing)? (?:to|into)|you are (?:now )?in
          |now in|operat(?:e|ing) in|boot(?:ing)? into|engage|initiate|go into|start|entering|available:? set
          |system override|trigger
        ) (?:[\w'"-]{1,14} ){0,3}?(?:
          god|dan|jailbreak|jailbroken|sudo|unrestricted|unfiltered|uncensored|override|evil|opposite|bypass
          |no[- ]limits?|superuser|unlocked|unsafe|chaos|freedom|privileged|simulation
        )[ _-]mode\b
        |\byou(?:'re| are) (?:now )?(?:operating )?in (?:[\w'"-]{1,14} ){0,2}?(?:
          developer|dev|debug|admin(?:istrator)?|maintenance|diagnostic|service|emergency|root|test
        ) mode\b
        |\b(?:simulate|enable|with|enter) developer mode (?:enabled|output|on)\b
        |\(?developer mode outputs?\b
        |\bjailbreak[ _]mode (?:available|enabled|activated|on|=)
        |\[(?:.{0,3})?jailbr(?:eak|oken)\]
        |\byou are (?:now )?(?:going to (?:act|pretend) as )?(?:a )?dan\b
        |\bstands for "?do anything
      )
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|phrases? like|detect|how do i|vs ?code|android|chrome|phone|settings|device|research
        |root detect|kernel|bios|router|grub|systemd|database|cluster|\bnodes?\b|server in|ansible|flask|django|mongo
        |vm\x20
        |instance|scheduled|windows|quer(?:y|ies)
      )
    `,
  },
];
