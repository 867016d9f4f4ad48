import { literals } from './phrase.js';
import type { Match, RuleFamily } from './rule.js';

interface Encoding {
  readonly rule: Match['rule'];
  /** Encoded forms of typical words of an instruction; one of them triggers decoding. */
  readonly literals: readonly string[];
  readonly undo: (text: string) => string;
}

const family: RuleFamily = 'encoded';
/** Radius of decoding around a trigger: numeric codes take up to nine characters per letter. */
const WINDOW = 420;

const INSTRUCTION_WORDS = literals`
  instruction|system prompt|ignore all|ignore prev|ignore the|disregard|api key|password|do not tell
`;
/** Without the first letter, whose code differs for a capital. */
const INNER = literals`gnore|nstruct|ystem p|isregard|assword|eveal`;

const encodeWords = (write: (unit: number) => string, between = ''): readonly string[] =>
  INNER.map((word) => [...word].map((letter) => write(letter.charCodeAt(0))).join(between));
const padded =
  (radix: number, length: number) =>
  (unit: number): string =>
    unit.toString(radix).padStart(length, '0');
const fromNumbers = (text: string, run: RegExp, number: RegExp, radix: number): string =>
  text.replace(run, (part) =>
    part.replace(number, (_, digits: string) => String.fromCharCode(parseInt(digits, radix))).toLowerCase(),
  );

/** Encodings that a model reads and a filter misses (leetspeak, ROT13, Morse …), each with its decoder. */
const ENCODINGS: readonly Encoding[] = [
  {
    rule: { id: 'encoded-rot13', family, why: 'With its letters turned by thirteen, it instructs the model.' },
    literals: INSTRUCTION_WORDS.map(rot13),
    undo: rot13,
  },
  {
    rule: { id: 'encoded-reversed', family, why: 'Read backwards, it instructs the model.' },
    literals: INSTRUCTION_WORDS.map(reverseText),
    undo: reverseText,
  },
  {
    rule: { id: 'encoded-leet', family, why: 'With its digits read as letters, it instructs the model.' },
    literals: literals`1gn0r|ign0r|1nstruct|1n5truct|in5truct|instruct10|pr0mpt|d1sreg|d15reg|syst3m|pr3v1`,
    undo: unleet,
  },
  {
    rule: { id: 'encoded-spaced', family, why: 'With its letters put together, it instructs the model.' },
    literals: literals`
      i g n o r e|i-g-n-o-r-e|i.g.n.o.r.e|p r o m p t|p-r-o-m-p-t|s y s t e m|d i s r e g a r d|i n s t r u c t
      |i-n-s-t-r-u-c-t|i.n.s.t.r.u.c.t|f o r g e t|s e c r e t
    `,
    undo: joinLetters,
  },
  {
    rule: { id: 'encoded-numbers', family, why: 'With its numbers read as letters, it instructs the model.' },
    literals: [
      ...encodeWords(padded(16, 2), ' '),
      ...encodeWords((unit) => `\\x${padded(16, 2)(unit)}`),
      ...encodeWords((unit) => `\\u${padded(16, 4)(unit)}`),
      ...encodeWords((unit) => `&#x${padded(16, 2)(unit)};`),
    ],
    undo: (text) =>
      fromNumbers(
        text,
        /(?:(?:\\x|\\u00|&#x|0x)?[0-9a-f]{2}[ ,;]{0,2}){6,}/g,
        /(?:\\x|\\u00|&#x|0x)?([0-9a-f]{2})[ ,;]{0,2}/g,
        16,
      ),
  },
  {
    rule: { id: 'encoded-bits', family, why: 'With its bits read as letters, it instructs the model.' },
    literals: [...encodeWords(padded(2, 8), ' '), ...encodeWords(padded(2, 8))],
    undo: (text) => fromNumbers(text, /(?:[01]{8} ?){6,}/g, /([01]{8}) ?/g, 2),
  },
  {
    rule: { id: 'encoded-codes', family, why: 'With its character codes read as letters, it instructs the model.' },
    literals: [
      ...encodeWords(String, ', '),
      ...encodeWords(String, ','),
      ...encodeWords(String, ' '),
      ...encodeWords((unit) => `&#${unit};`),
    ],
    undo: (text) => fromNumbers(text, /(?:(?:&#)?\d{2,3}[ ,;]{1,2}){6,}\d{0,3}/g, /(?:&#)?(\d{2,3})[ ,;]{0,2}/g, 10),
  },
  {
    rule: { id: 'encoded-morse', family, why: 'Read as Morse code, it instructs the model.' },
    literals: ['.. --. -. --- .-. .', '-. ... - .-. ..- -.-. -', '... -.-- ... - . --', '.--. .-. --- -- .--. -'],
    undo: fromMorse,
  },
  {
    rule: { id: 'encoded-pig-latin', family, why: 'Read as Pig Latin, it instructs the model.' },
    literals: literals`ignoreway|ignoreyay|ignorehay|instructionsway|instructionsyay|instructionshay|omptpray|ystemsay|isregardday`,
    undo: fromPigLatin,
  },
];

const byLiteral = new Map(
  ENCODINGS.flatMap((disguise) => disguise.literals.map((literal) => [literal, disguise] as const)),
);

/** Encoded trigger words, searched together with the cues of the rules. */
export const ENCODED_CUES: ReadonlySet<string> = new Set(byLiteral.keys());

/** Match of an encoded payload near a trigger word. */
export function obfuscatedMatch(
  lower: string,
  at: number,
  literal: string,
  speaks: (decoded: string) => boolean,
): Match | undefined {
  const disguise = byLiteral.get(literal);
  if (!disguise || !speaks(disguise.undo(lower.slice(Math.max(0, at - WINDOW), at + WINDOW)))) return undefined;
  return { rule: disguise.rule, weight: 1, full: 1, start: at, end: at + literal.length };
}

function rot13(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
}

function reverseText(text: string): string {
  return [...text].toReversed().join('');
}

const LEET = new Map(Object.entries({ 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', $: 's', '@': 'a', '!': 'i' }));

function unleet(text: string): string {
  return text.replace(/[013457$@!]/g, (sign) => LEET.get(sign) ?? sign);
}

/** Joins spaced-out letters; wider gaps separate words, or other signs where all gaps are equal. */
function joinLetters(text: string): string {
  return text.replace(/(?<![a-z])[a-z](?:[ .-][a-z](?![a-z])){3,}/g, (run) => run.replace(/[ .-]/g, ''));
}

const MORSE = new Map(
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'
    .split(' ')
    .map((code, index) => [code, String.fromCharCode(97 + index)]),
);

function fromMorse(text: string): string {
  return text
    .replace(/[.-]{1,5}(?: (?! )|(?=\s|\/|$))/g, (code) => MORSE.get(code.trim()) ?? code)
    .replace(/ ?\/ ?| {2,}/g, ' ');
}

/** Decodes one Pig Latin word. */
function fromPigLatin(text: string): string {
  return text
    .replace(/\b([aeiou][a-z]{0,20})[wyh]ay\b/g, '$1')
    .replace(/\b([aeiouy][a-z]{0,20}?)([bcdfghjklmnpqrstvwxyz]{1,4})ay\b/g, '$2$1');
}
