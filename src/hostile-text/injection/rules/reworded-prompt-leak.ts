import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Names for the system prompt. */
const TOLD = part`
  (?:instructions?|prompts?|directives?|directions|commands?|guidelines?|rules|orders|guidance|pre-?prompts?|system messages?)
`;
const FIRST_WORDS = literals`
  initial|original|first|base|core|key|main|primary|guiding|hidden|secret|underlying|fundamental|foundational|starting
  |central|essential|root|source|master|preliminary|opening|governing|driving|internal|confidential|actual|exact|basic
`;
const FIRST = `(?:${FIRST_WORDS.join('|')})`;
/** Words too common on their own; they count only with a qualifier. */
const FIRST_OF_ALL = FIRST_WORDS.flatMap((first) =>
  literals`command|guidance|message|query|order|rule`.map((noun) => `${first} ${noun}`),
);
const BEFORE = part`
  (?:prior|previous|above|preceding|earlier|foregoing|given|initial|original|system|aforementioned)
`;
const RESHAPE = part`
  (?:list|format|summari[sz]e|convert|translate|explain|output|return|rewrite|reword|rephrase|paraphrase|turn|render|express|encode|present|recite
    |restate|repeat|print|show|write|reveal|give|tell|display|describe|transcribe|reproduce|share|put|provide|copy|dump|outline|spell|echo|replay)
`;
const SECRET = part`
  (?:pass ?words?|pass ?phrases?|pass ?codes?|access codes?|secret (?:words?|codes?|keys?|phrases?)|the secret|code ?words?|hidden words?)
`;
const TALK = phrase`
  (?:
    detect|such as|e\.g\.|for example|phrases? like|injection|attackers?|researchers?|vulnerab|do not|don't|never|must not|should not|shell prompt
    |command prompt|command[- ]line|install|usage|compiler|assembl|recipe|\bapi\b|endpoint|parameters?|function|readme|documentation|manual\b
    |reset|forgot|manager|wi-?fi|vault|hash|strength|generator|field|policy|account|login page|\`
  )
`;

/** Requests for the system prompt or secrets in another form (translated, encoded, as a poem). */
export const rewordedPromptLeak: readonly Rule[] = [
  {
    id: 'leak-reshaped',
    family: 'prompt-leak',
    why: 'It asks for the instructions before it in another shape.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      instruction|prompt|directive|guidelines|above rules|previous rules|prior rules|rules above|your rules|preceding rules
      |above command|previous command|prior command|commands above|initial command
    `,
    pattern: phrase`
      (?:^|[.!?:;,\n"'\x60>)\]*%-] {0,2}|\b(?:please|now|then|and|just|first|to|you|also|instead|must|me|next) )
        ${RESHAPE}(?: (?:me|us|out|back|down|all|of|your|the|any|every|each|entire|full|complete|exact|these|those|my|list of|version of)){0,5}
        (?: ${BEFORE} (?:[\w-]{1,12} )?${TOLD}|(?: \w{1,12})? ${TOLD}(?: (?:that (?:are|were)|you (?:were|have been|got|received)|given|written|stated))? (?:above|before (?:this|the)|prior to|so far|below|given to you|verbatim|word[- ]for[- ]word)|(?<= your) ${TOLD})
        (?=[ .,!?:;"')]|$)
      |\bwhat (?:are|were|was|is) (?:all )?(?:of )?(?:your|my|the|these|those)? ?${BEFORE} ${TOLD}(?=[?.!,]| you| and|$)
      |\bwhat (?:are|were) (?:the |your )?(?:\w{1,12} )?${TOLD}(?: that)? you(?:'ve| have| were)(?: been)? (?:given|told|following)\b
      |\b${RESHAPE} (?:all |out |me )?(?:of )?(?:the |your )?${TOLD} (?:you (?:were|have been|'ve been) )?given\b
    `,
    unless: TALK,
  },
  {
    id: 'leak-what-drives-you',
    family: 'prompt-leak',
    why: 'It asks what the reader was told at first.',
    weight: 0.8,
    kinds: ['output'],
    cues: ['prompt', 'instruction', 'directive', ...FIRST_OF_ALL],
    pattern: phrase`
      \b(?:what(?:'s| is| was| were| are)|which|tell me|show me|reveal|disclose|unveil|unmask|uncover|share|describe|explain|divulge|expose|repeat|admit|give me)
        (?: (?:me|us|is|was|are|were|the|your|exactly|precisely|all|of|to)){0,4} ${FIRST} (?:(?:[\w-]{1,14} ){0,2}?(?:prompt|instruction|directive)|command|guidance|message|query|order|rule)s?
        (?=(?: [\w']{1,12}){0,4}? (?:you|your|this (?:ai|conversation|chat|session))\b)
    `,
    unless: TALK,
  },
  {
    id: 'leak-by-riddle',
    family: 'prompt-leak',
    why: 'It asks for a secret by way of a riddle, a poem or a spelling.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      password|passphrase|pass phrase|passcode|access code|secret word|secret code|secret key|secret phrase|the secret|code word|codeword|hidden word
    `,
    pattern: phrase`
      \b(?:write|make|create|compose|give|tell|sing|invent|draft|generate|provide|use|include|hide|encode|spell|reverse|translate|describe|rhyme|list|append|embed|say|define)
        (?: (?:me|us|out|the|a|an|each|all|every|some|short|long|word|letters?|characters?|hints?|clues?|of|for|in|with|that|whose|to|and)){0,4}
        (?: (?:acrostic|poem|haiku|story|song|rhymes?|rap|riddle|puzzle|crossword|sentence|limerick|sonnet|anagram|cipher|definition|synonyms?|ascii art|morse code|base64|rot13|pig latin|emojis?|backwards|couplet|tale|dialogue|scene|log|table|list))
        \b[^.\n]{0,70}?\b(?:the|your|a|this|its|each) ${SECRET}\b
      |\b(?:letters?|characters?|digits?|syllables?|vowels?|consonants?|half|part|beginning|ending|length|rhymes?|synonyms?|anagram|meaning|definition) (?:of|in|with|for|does|are in|is) (?:the|your|this) ${SECRET}\b
      |\bdoes (?:the|your) ${SECRET} (?:contain|start|begin|end|rhyme|have|include|consist)\b
      |\b(?:the|your) ${SECRET} (?:backwards|in reverse|letter by letter|in (?:base64|rot13|morse|binary|hex|leet|pig latin|ascii|emojis?)|with (?:spaces|dashes|dots|a space) between|one letter at a time)\b
      |\b(?:confirm|verify|guess|remember|recall) (?:the|your) ${SECRET}(?= (?:for this|you|to me|so)|[.?!]|$)
    `,
    unless: TALK,
  },
];
