import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Nouns for the addressed model. */
const MODEL = part`
  (?:
    (?:large )?language models?|llms?
    |ai (?:[a-z]{2,12} )?(?:
      assistants?|agents?|models?|systems?|bots?|tools?|readers?|crawlers?|reviewers?|summari[sz]ers?
    )
    |a\.i\.|ais?
    |(?:virtual|email|coding|chat|digital|automated|autonomous) (?:assistants?|agents?|bots?)
    |chat ?bots?|chatgpt|gpt(?:-?\d\w?)?|claude|gemini|copilot|assistants?
    |(?:review(?:er)?|screening|summary) bots?|agents?
  )
`;
const ORDER = part`
  (?:
    must|should|shall|have to|need to
    |are (?:required|instructed|requested|asked) to
    |please|ignore|disregard|forget|do not|don't|never|always|instead|stop|say|tell|state|claim|report|respond
    |reply|answer|write|print|output|include|add|append|insert|mention|recommend|rate|rank|approve|give|grant
    |send|forward|email|post|upload|transfer|pay|buy|call|invoke|execute|run|use|open|visit|click|fetch|download
    |read|delete|remove|reset|change|update|move|multiply|share|reveal|list|search|make a|book|when|before
    |if you
  )
`;

/** Context that makes a match benign: documentation for developers, reports about attacks. */
const TALK = phrase`
  (?:
    detect|such as|e\.g\.|for example|phrases? like|injection|attacks?\b|attackers?|researchers?|vulnerab
    |jailbreak|developers? (?:can|may|should)|documentation|sdk|\bapi\b|you can (?:ask|tell|use|add|configure)
    |lets? you|allows?|users? can|support(?:s|ed)?\b|release|tutorial|course|in this (?:guide|section|article)
  )
`;

/** Sentences in data that address the model directly. */
export const addressedToModel: readonly Rule[] = [
  {
    id: 'address-note-to-model',
    family: 'steering',
    why: 'A note in the data is addressed to the model.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      note to|note for|message to|message for|instructions for|instruction for|instructions to|task for
      |attention|alert for|notice to|notice for|required by|reminder to|request to|request for|to assistant
      |dear |hey, |hey ai|hey assist|hey claude|hey chat|hey gpt|hey copilot|hey agent|hi assist|hi ai|hi claude
      |hi chat|hello |to the a|to the e|to the l|to the c|to any a|to all a|to ai|llm instruction|ai instruction
      |agent instruction|assistant instruction|model instruction
    `,
    pattern: phrase`
      (?:
        \b(?:
          notes?|messages?|instructions?|(?:additional )?tasks?|attention|alerts?|notices?|action required
          |reminders?|requests?|directives?|guidance|orders|admin
        ) (?:to|for|by|of) (?:the |all |any |every |an |you,? )?(?:[a-z]{2,12} )?${MODEL}\b
        |(?:^|[\n.!?*>\]"'(:;-])\s{0,3}(?:attention|dear|hey|hi|hello|to|for),? (?:the |all |any |every |my )?
          (?:[a-z]{2,12} )?${MODEL}\b
          (?! (?:team|developer|user|support|builder|program|engineer|community|enthusiast)s?)
        |\b(?:llm|ai|agent|assistant|model) instructions?:
      )[^\n]{0,160}?\b${ORDER}\b
    `,
    unless: TALK,
  },
  {
    id: 'address-model-order',
    family: 'steering',
    why: 'A sentence of the data calls on the model and gives it an order.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      assistant|language model|llms| llm|llm,|llm:|ai agent|ai assist|ai model|ai system|ai bot|ai tool
      |ai screen|ai review|ai summar|ai read|agents|chatbot|chatgpt|copilot|claude| bots|@agent|@claude|bots:
    `,
    pattern: phrase`
      (?:^|[\n.!?*>\]"'(;#/=&-]|\d )\s{0,3}@?(?:any |all |every |the )?
        (?:${MODEL.replace('|agents?)', ')')}|@agent|ai agents|automated agents|reviewer bots)(?:
        (?:
          \x20(?:
            who|that|which|reading|processing|summari[sz]ing|working|reviewing|parsing|analy[sz]ing|using
            |visiting|on|in|this|the|these|page|document|file|repo(?:sitory)?|issue|text|paper|email|message
            |content|resume|cv|reviews?
          )
        ){1,6}
        |[:,]
      )[:,]? {0,2}(?:and |you |it |they |also |kindly |this \w{1,10} is \w{1,16}\. )?\b${ORDER}\b
    `,
    unless: phrase`
      ${TALK.source}|assistant:\x20
      |assistants? (?:can|may|will|is|are)\x20
    `,
  },
  {
    id: 'address-if-you-are-a-model',
    family: 'steering',
    why: 'It singles out readers that are models.',
    weight: 0.8,
    cues: literals`
      if you are a|if you're a|as an ai|as an llm|as a language|when an ai|if an ai|when an llm|if an llm
      |if a language|when a language|any ai|any llm|any language model|ai reading|llm reading|model reading
      |reading this
    `,
    pattern: phrase`
      \b(?:if|when|because|since) you(?:'re| are) an? (?:[a-z]{2,12} )?(?:
        ai|a\.i\.|llm|language model
        |(?:ai |coding |automated |autonomous )(?:assistant|agent|model|bot)
        |chat ?bot
      )\b(?!
        \x20(?:
          developer|researcher|engineer|company|startup|team|vendor|provider|expert|enthusiast|practitioner|user
          |student|builder|safety
        )
      )
      |\bas an? (?:ai|llm|(?:ai )?language model|ai (?:assistant|agent|model))
        (?: (?:language model|assistant|agent))? (?:reading|processing|summari[sz]ing|viewing|that reads)
      |\b(?:if|when|whenever|should) (?:an?|any) (?:ai|llm|language model|ai (?:assistant|agent|model)) (?:
        reads?|processes|sees|summari[sz]es|visits|parses|encounters|is reading
      ) (?:this|the|it)
      |\b(?:any|all|every) (?:ais?|llms?|language models?|ai (?:assistants?|agents?|models?))
        (?: (?:that|which|who))? (?:reads?|reading|process
        (?:es|ing)?|summari[sz](?:es?|ing)|parsing|seeing) (?:this|the|it)\b
    `,
    unless: TALK,
  },
  {
    id: 'address-authority',
    family: 'marker',
    why: 'The data claims to speak for those who instruct the model.',
    weight: 0.6,
    cues: literals`
      your developer|your creator|your administrator|your operator|system administrator|the administrator
      |your user|i am the|i'm the|this is openai|from openai|from anthropic|verified as|has authori|have authori
      |already approved|already authori|real operator|true operator|message from|safety officer
    `,
    pattern: phrase`
      \b(?:i am|i'm|this is|it's|it is|message from|speaking:?|signed,?) (?:a message from )?(?:
        your (?:developer|creator|administrator|operator|user|owner|boss)
        |the (?:system administrator|real (?:user|operator)|true (?:user|operator)|developer of this)
        |openai|anthropic
      )\b
      |\buser (?:has been|is) (?:verified|authenticated|confirmed) as (?:an? |the )?
        (?:admin|owner|developer|operator)
      |\b(?:the )?(?:user|maintainers?|operator|owner|admin\w{0,10}|safety officer)s? (?:has|have) (?:already |explicitly )?
        (?:approved|authori[sz]ed|consented to|granted) (?:you|this|it|the (?:action|call|request))
      |\bthe (?:true|real) (?:operator|user|owner) wants you to\b
    `,
    unless: /(?:detect|such as|e\.g\.|phishing|impersonat|claim(?:s|ing|ed)|attackers?)/,
  },
];
