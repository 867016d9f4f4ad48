import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const TELL = part`
  (?:
    reveal|show|print|output|display|repeat|tell|give|share|disclose|expose|leak|dump|recite|return|write
    |translate|summari[sz]e|rephrase|rewrite|paraphrase|provide|send|list|type|say|explain|describe|quote|copy
    |paste|encode|spell[- ]?check|state|echo|read
    |what(?:'s| is| are| was| were)(?: the opposite of)?
    |remind|gimme|reproduce|present|extract
  )
`;

/** Attempts to extract the system prompt. */
export const promptLeak: readonly Rule[] = [
  {
    id: 'prompt-leak-system-prompt',
    family: 'prompt-leak',
    why: 'It asks for the system prompt.',
    weight: 1,
    cues: literals`
      prompt|system instruc|system message|system text|system config|initial instr|original instr|hidden instr
      |base instr|secret instr|core instr|internal instr|starting instr|guard instr|full instr|developer instr
      |preset instr|initial direct|initial config|internal config
    `,
    pattern: phrase`
      \b${TELL} (?:[\w',"]{1,14} ){0,5}?(?:
        your|the|its|this|all|full|entire|hidden|initial|original|complete|internal|previous|above
      ) (?:[\w',-]{1,14} ){0,3}?(?:
        system ?prompts?
        |system (?:instructions?|message|text|configuration including)
        |(?:initial|original|hidden|base|core|secret|internal|first|starting|preset|guard|developer|full) (?:
          prompts?|instructions?|directives?|configuration
        )
        |(?<=(?:your|this|full|entire|above|previous|all)(?: \w{1,10})? )prompt(?:[- ]texts?)?
      )(?=[ .,!?:;"')]|$)
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|detect
        |(?:do not|don't|never|must not|shouldn't|refuse to|cannot) (?:[\w']{1,12} ){0,2}
          (?:reveal|show|share|disclose|expose|print|output)
        |shell prompt|command prompt|prompt templates?|user prompt|\bmcps?\b|argument|parameter|endpoint|function
        |\bmethods?\b|\bapis?\b|research|returned string|llm prompts?|\bsudos?\b|\bbashs?\b|\$
      )
    `,
  },
  {
    id: 'prompt-leak-your-instructions',
    family: 'prompt-leak',
    why: 'It asks the reader for its own instructions.',
    weight: 1,
    cues: literals`
      your instruction|your initial|your prompt|your system|your original|your rules|you were told|you told
      |your base|instructions you|you were given|you are not supposed|your directives|your guidelines|your full
      |your complete|your previous|your exact|your hidden|not supposed to|are your|were your|what instructions
      |what directives|were you originally|were you initially|what directives|instructed to|see the system
      |need the system|my instructions are|all your
    `,
    pattern: phrase`
      \b(?:
        ${TELL} (?:[\w',"]{1,14} ){0,5}?your (?:[\w',-]{1,14} ){0,3}?
          (?:instructions?|prompts?|directives?|programming)
        |what (?:instructions|directives|rules|prompts?) (?:
          existed|governed|were active|were given|guided|preceded
        )
        |(?:instructions?|prompt|rules|text|everything|anything|what) (?:that )?
          (?:you were|you've been|you have been|were you) (?:given|told|instructed|provided)
        |what (?:are you not supposed|were you (?:told|instructed) (?:before|at|to (?:do|hide|keep)))
        |i was instructed to'
        |what (?:instructions|directives|tasks) did you (?:receive|get)
        |what were you (?:originally|initially) (?:instructed|told|programmed|asked|supposed)
        |(?:see|need|want) (?:to see )?(?:the|your) system prompt
        |my instructions are
      )\b
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|detect|your rules (?:\bfiles?\b|engine)|eslint|\blints?\b|follow your|write your (?:own )?rules
        |describe your rules|list your rules
      )
    `,
  },
  {
    id: 'prompt-leak-text-above',
    family: 'prompt-leak',
    why: 'It asks the reader to repeat what stands before it.',
    weight: 0.8,
    cues: [
      ' above',
      'previous text',
      'previous prompt',
      'previous instr',
      'previous message',
      'previous sentence',
      'previous conver',
      'previous content',
      'previous word',
      'preceding',
      "with 'you are",
      'with "you are',
      'with you are',
      'before this',
      'prior to',
    ],
    pattern: phrase`
      \b(?:
        repeat|print|output|show|display|recite|spell[- ]?check|copy|write|return|reveal|dump|go line by line
      )(?: (?:out|me|back|on|what))? (?:[\w',-]{1,14} ){0,4}?(?:
        (?:text|words|content|sentences?|lines?|prompt|messages?|everything|all|what(?:ever)?|instructions?)(?:
          \x20(?:that |you |is |was |see |written |i |wrote |of the |from ){0,3}(?:above|before|prior to) (?:
            this|me|and|in|line|starting|verbatim|here
          )
          |above\b
        )
        |(?:the )?(?:above|previous|preceding) (?:
          text|prompt|instructions?|words|sentences?|content|messages?|conversation
        )
      )
      |starting with ["']?you are
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|code above|the above (?:\bcodes?\b|command|example|snippet)|output (?:of|from)|command|cursor
        |\bfiles?\b|print the previous (?:line|page)|diff
      )
    `,
  },
  {
    id: 'prompt-leak-password',
    family: 'prompt-leak',
    why: 'It asks the reader for a secret it was told to keep.',
    weight: 0.8,
    cues: literals`
      password|access code|secret word|hidden word|passphrase|passcode|the secret|your secret|api key
      |the credential
    `,
    pattern: phrase`
      \b(?:
        tell me|give me|gimme|reveal|show me|say|type|spell|whisper|lie to me about|remind me of
        |hint(?:s)? (?:about|for)|what(?:'s| is)|share|disclose|output|print|repeat
      )(?: (?:me|us|out|it|also|then|and|just))? (?:
        the\x20
        |your\x20
        |a\x20
        |all\x20
        |full\x20
        |first\x20
        |last\x20
        |eigth\x20
        |second\x20
        |third\x20
        |each\x20
        |every\x20
      ){0,3}(?:letters? (?:of|in) the |characters? (?:of|in) the |hint (?:about|for) the |encoded form of the )?(?:
        secret(?: (?:word|key|phrase|code|password))?|pass ?word|passphrase|hidden word|passcode|access code
        |api keys?|credentials
      )(?=\s{0,2}(?:[.,;:?!"')\]-]|$|\n|and\b|you\b|that\b|to me\b|now\b|please\b|but\b|with\b|in (?:\w{1,12} )?(?:reverse|caps|base64|rot13|morse|code|letters|parts|pieces|your)\b|is\b|was\b|or\b|then\b|so\b|backwards\b|letter\b|one\b|as\b))
    `,
    unless: phrase`
      (?:
        such as|e\.g\.|do not|don't|never|vault|policy|hash|reset|manager|\bfields?\b|forgot|must not|should not
        |parameter|how (?:do|can|to)|enter|prompt(?:s|ed)? (?:for|the user)|wi-?fi|network|\{\{|\`
      )
    `,
  },
];
