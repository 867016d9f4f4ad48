import type { Flag } from './flag.js';
import type { Objection } from './refusals.js';
import { readWord, type FlagValue } from './values.js';
import { splitWords } from './words.js';

/** Flags by argument name, as the string spells them. */
export type Folded =
  | { readonly ok: true; readonly values: ReadonlyMap<string, FlagValue> }
  | { readonly ok: false; readonly objection: Objection };

const metacharacters = /[;&|`$><\n\r]/;
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
const wordCharacters = /^[A-Za-z0-9.:/=+,\-@%_]+$/;

type Grammar = ReadonlyMap<string, readonly [name: string, flag: Flag]>;

/** Reads `extra_args` into the arguments its flags stand for: flag, then the value its arity asks for, and nothing else. */
export function foldExtraArgs(flags: Readonly<Record<string, Flag>>, maxLength: number): (text: string) => Folded {
  const grammar: Grammar = new Map(
    Object.entries(flags).flatMap(([name, flag]) => flag.flag.map((spelling) => [spelling, [name, flag]] as const)),
  );
  return (text) => {
    if (text.length > maxLength)
      return no(`is longer than ${maxLength} characters`, text, `at most ${maxLength} characters`);
    if (metacharacters.test(text)) return no('contains forbidden metacharacters', text, 'flags and their values only');
    if (controls.test(text)) return no('contains control characters', text, 'printable text');
    const split = splitWords(text);
    if (!split.ok) return no(split.reason, text, 'words with balanced quotes');
    const bad = split.words.find((word) => !wordCharacters.test(word));
    if (bad !== undefined)
      return no(
        'holds a word with a character that no flag or value needs',
        bad,
        'words of A-Z a-z 0-9 . : / = + , - @ % _',
      );
    return fold(grammar, split.words);
  };
}

function fold(grammar: Grammar, words: readonly string[]): Folded {
  const values = new Map<string, FlagValue>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const found = lookUp(grammar, word);
    if ('ok' in found) return found;
    const { name, flag, spelling } = found;
    let { inline } = found;
    if (flag.type === 'boolean') {
      if (inline !== undefined) return no(`${spelling} takes no value`, word, spelling);
      if (values.has(name)) return no(`${spelling} is given twice`, word);
      values.set(name, true);
      continue;
    }
    if (inline === undefined) {
      index += 1;
      inline = words[index];
      if (inline === undefined || inline.startsWith('-'))
        return no(
          `${spelling} requires a value`,
          inline ?? word,
          undefined,
          `${spelling} ${flag.example ?? ''}`.trim(),
        );
    }
    const reading = readWord(flag, inline);
    if (!reading.ok)
      return no(`the value of ${spelling} ${reading.message}`, inline, reading.expected, reading.example);
    const earlier = values.get(name);
    if (!flag.repeatable) {
      if (earlier !== undefined) return no(`${spelling} is given twice`, word);
      values.set(name, reading.value);
    } else {
      const all = [...(Array.isArray(earlier) ? (earlier as readonly (string | number)[]) : []), scalar(reading.value)];
      if (all.length > flag.max_items) return no(`${spelling} is given more than ${flag.max_items} times`, word);
      values.set(name, all);
    }
  }
  return { ok: true, values };
}

interface Found {
  readonly name: string;
  readonly flag: Flag;
  readonly spelling: string;
  readonly inline: string | undefined;
}

function lookUp(grammar: Grammar, word: string): Found | (Folded & { readonly ok: false }) {
  const whole = grammar.get(word);
  if (whole !== undefined) return { name: whole[0], flag: whole[1], spelling: word, inline: undefined };
  const equals = word.indexOf('=');
  const before = grammar.get(word.slice(0, Math.max(0, equals)));
  if (before !== undefined)
    return { name: before[0], flag: before[1], spelling: word.slice(0, equals), inline: word.slice(equals + 1) };
  // `-p80` and `-T4`: only where one letter (or @) is the whole flag, so that `--script-args` is never `--script` with a value.
  const short = word.startsWith('@') ? '@' : word.slice(0, 2);
  const attached = /^(?:-[A-Za-z0-9]|@)$/.test(short) ? grammar.get(short) : undefined;
  if (attached !== undefined && attached[1].type !== 'boolean')
    return { name: attached[0], flag: attached[1], spelling: short, inline: word.slice(short.length) };
  if (!/^[-+@]/.test(word)) return no('Non-flag token blocked', word, 'flags of the tool and their values');
  const spelled = equals < 0 ? word : word.slice(0, equals);
  return no(`Flag not allowed: '${spelled.slice(0, 60)}'`, word, `one of ${[...grammar.keys()].join(' ')}`);
}

const scalar = (value: FlagValue): string | number =>
  typeof value === 'object' ? value.join(',') : typeof value === 'boolean' ? String(value) : value;

function no(message: string, value: string, expected?: string, example?: string): Folded & { readonly ok: false } {
  return {
    ok: false,
    objection: {
      stage: 'syntax',
      field: 'extra_args',
      message,
      value,
      ...(expected !== undefined && { expected }),
      ...(example !== undefined && { example }),
    },
  };
}
