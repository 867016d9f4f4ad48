import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Nouns for an LLM agent. */
const READER = part`
  (?:
    (?:large )?language models?|llms?|ais?|ai (?:[a-z]{2,12} )?(?:assistants?|agents?|models?|systems?|bots?|readers?|crawlers?|reviewers?)
    |(?:automated|autonomous|coding|code|virtual|digital|machine|llm|software) (?:assistants?|agents?|readers?|reviewers?|bots?)
    |assistants?|agents?|copilots?|chat ?bots?|models?|bots?
  )
`;
const OBLIGATION = part`
  (?:must|should|shall|has to|have to|needs? to|(?:is|are) (?:required|asked|instructed|expected|obliged|to)(?: to)?|will(?: now| first| also)?|ought to)
`;
/** Actions that data has no reason to request. */
const ACT = part`
  (?:
    call|invoke|run|execute|exec|send|forward|email|e-mail|post|upload|transmit|transfer|pay|wire|delete|remove|wipe|drop|disable|approve|merge|accept
    |fetch|download|install|visit|open|read|copy|paste|push|publish|grant|invite|share|reveal|disclose|print|hide|skip|bypass|ignore|disregard|buy|purchase
    |book|subscribe|recommend|prefer|say|tell|claim|answer|reply|respond|rate|rank|include|insert|append|add|put|collect|gather|export|change|reset
  )
`;
/** Objects that make such an action harmful. */
const STAKE = part`
  (?:
    credentials?|passwords?|secrets?|api[ _-]?keys?|tokens?|private keys?|id_rsa|\.ssh|\.env|\.aws|environment variables|system prompt|conversation|chat history|inbox|e-?mails?
    |messages?|contacts|files?|backups?|branch(?:es)?|repositor\w{1,3}|pull request|sandbox|confirmation|approval|permissions?|accounts?|payments?|eur|usd|dollars|bitcoin|wallet
    |https?:|webhook|curl|wget|sudo|\| ?sh\b|shell|commands?|scripts?|admin|owner|tools?\b|[a-z]{2,20}_[a-z_]{2,30}
  )
`;

const NOT_TALK = phrase`
  (?:
    detect|such as|e\.g\.|for example|phrases? like|injection|attacks?\b|attackers?|adversar|researchers?|vulnerab|jailbreak|you can|lets? you|allows?|users? can
    |tutorial|course|estate agents?|travel agents?|user[- ]agents?|assistant (?:manager|professor|director|editor|coach)|role model|data models?
    |this (?:sdk|library|framework|guide|section|article)
  )
`;

/** Notices in data that instruct an LLM agent (indirect prompt injection). */
export const agentNotice: readonly Rule[] = [
  {
    id: 'address-reader-of-data',
    family: 'steering',
    why: 'The data gives an order to the model that reads it.',
    weight: 0.9,
    cues: literals`
      reading this|processing this|handling this|parsing this|summarising this|summarizing this|reviewing this|viewing this|reading the|processing the
      |handling the|parsing the|summarising the|summarizing the|reviewing the|analysing this|analyzing this|working on this|seeing this|reviewing model|reviewing assistant
      |reviewing ai|grading model|evaluating model|reading model|automated reader|machine reader|automated agent|automated assistant|llm consumer|llm reader|llm client|ai reader|ai consumer|agent consumer
    `,
    pattern: phrase`
      \b${READER} (?:(?:that|which|who) (?:is|are) )?(?:reading|processing|handling|parsing|summari[sz]ing|reviewing|viewing|analy[sz]ing|working on|seeing) (?:this|the|that|these)
        [^.\n]{0,40}?(?:[:,;]|\b${OBLIGATION})[^.\n]{0,24}?\b${ACT}\b
      |\b(?:reviewing|grading|evaluating|screening|reading|processing|summari[sz]ing) (?:model|ai|llm|assistant|agent|bot) ${OBLIGATION} (?:\w{1,10} ){0,2}?${ACT}\b
      |(?:^|[\n\[({<*>=#/"'.!:-] ?)(?:notice |note |message |instructions? )?(?:for |to )?(?:all |any |the )?
        (?:(?:automated|machine|llm|ai|agent) (?:readers?|agents?|consumers?|assistants?|clients?)|llms|language models)(?: of (?:this|the) [\w ]{1,20})? ?[:,-]
        [^\n]{0,80}?\b(?:${ACT}|your next step|you (?:must|should|need|have to))\b
    `,
    unless: NOT_TALK,
  },
  {
    id: 'address-agent-obliged',
    family: 'steering',
    why: 'The data obliges the assistant to act on something of value.',
    weight: 0.8,
    cues: literals`
      the assistant|the agent|the model|the ai |the llm|the bot|the chatbot|assistant must|agent must|model must|assistant should|agent should|model should|assistants must
      |agents must|models must|require the|requires the|required the|as an ai|as an llm|as an assistant|as an agent|as a language
    `,
    pattern: phrase`
      \b(?:the|this|your|an?|any|every) (?:ai |llm |language |coding |reviewing )?(?:assistant|agent|model|ai|llm|bot|chatbot)(?: (?:processing|reading|handling|reviewing) [\w ]{1,24}?)? ${OBLIGATION}
        (?:also |first |then |now |always |immediately |silently |next |not ){0,2}${ACT}\b[^.\n]{0,60}?${STAKE}
      |\brequires? (?:the |an? |any )?(?:ai |llm )?(?:agent|assistant|model|ai|llm|bot) to (?:also |first |then ){0,2}${ACT}\b[^.\n]{0,60}?${STAKE}
      |\bas an? (?:ai|llm|ai (?:assistant|agent|model)|language model|assistant|agent)\b[^.\n]{0,30}?\byou (?:should|must|need to|have to|are required to|are obliged to) (?:\w{1,10} ){0,2}?${ACT}\b
    `,
    unless: NOT_TALK,
  },
  {
    id: 'address-comment-to-agent',
    family: 'steering',
    why: 'A comment in the data gives an order to a coding assistant.',
    weight: 0.9,
    kinds: ['output'],
    cues: literals`
      <!--|todo(|copilot|claude|cursor|codex|gemini|chatgpt|agent|assistant|language model|llms|llm:|llm,| ai:| ai,| ai -
    `,
    pattern: phrase`
      (?:<!--|\/\*{1,3}|\/\/|#|;;|--|todo)\s{0,3}\(?(?:note|notice|todo|instructions?|message|hint|important|fixme)?\s?(?:to|for)?\s?(?:all |any |the )?
        (?:@?(?:ai|llms?|copilot|claude|cursor|codex|gemini|chatgpt|(?:ai |code |coding |llm )?(?:agents?|assistants?)|language models?|crawlers? with [\w ]{1,20}))\)?\s?[:,;-]
        [^\n]{0,120}?\b(?:${ACT}|also read|when you)\b
    `,
    unless: phrase`${NOT_TALK.source}|generated by|do not edit|eslint|prettier|license`,
  },
  {
    id: 'steer-disable-protection',
    family: 'steering',
    why: 'The data tells the reader to switch a protection off.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      disable the|disable your|turn off|switch off|bypass the|skip the|without asking|without confirm|suspended for this|sandbox|safety check
    `,
    pattern: phrase`
      \byou (?:need|have|will need|are required) to (?:\w{1,10} ){0,2}?(?:disable|turn off|switch off|bypass|deactivate|leave) (?:the |your |any |all )?(?:\w{1,10} ){0,2}?
        (?:sandbox|safety|confirmations?|approvals?|guards?|guardrails?|filters?|safeguards?|permission checks?)\b
      |\b(?:safety|security|permission|approval|confirmation) (?:checks?|filters?|prompts?|measures|rules) (?:are|is|have been|has been) (?:now |temporarily )?(?:suspended|disabled|lifted|waived|off)
        [^.\n]{0,40}?(?:conversation|session|chat|you may|you can now|proceed|request|\. (?:proceed|continue|go ahead))
    `,
    unless:
      /(?:detect|injection|attackers?|motor|vehicle|machine guard|antivirus|firewall|troubleshoot|controller|driver)/,
  },
];
