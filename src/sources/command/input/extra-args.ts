import type { Flag } from '../manifest/flag.js';
import type { Rejection } from './rejections.js';
import { parseFlagWord, toFlagScalar, type FlagValue } from './flag-values.js';
import { splitWords } from '../../../lib/text/split-words.js';

/** Flag values parsed from `extra_args`, by argument name. */
export type ExtraArgsResult =
  | { readonly ok: true; readonly values: ReadonlyMap<string, FlagValue> }
  | { readonly ok: false; readonly objection: Rejection };

/** No shell is involved, but such characters show that one is expected (command injection attempts). */
const metacharacters = /[;&|`$><\n\r]/;
/** Controls without tab and newline, which the word splitter handles. */
const controlCharacters = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
/** All characters that flags and values need; quotes and backslashes are gone after splitting. */
const wordCharacters = /^[A-Za-z0-9.:/=+,\-@%_]+$/;

/** Flags by every spelling that the program accepts. */
type FlagsBySpelling = ReadonlyMap<string, readonly [name: string, flag: Flag]>;

/** Parses `extra_args` into typed flag values; rejects positional words, so that it cannot add a second target (argument injection). */
export function extraArgsParser(
  flags: Readonly<Record<string, Flag>>,
  maxLength: number,
): (text: string) => ExtraArgsResult {
  const grammar: FlagsBySpelling = new Map(
    Object.entries(flags).flatMap(([name, flag]) => flag.flag.map((spelling) => [spelling, [name, flag]] as const)),
  );
  return (text) => {
    if (text.length > maxLength)
      return rejectExtraArgs(`is longer than ${maxLength} characters`, text, `at most ${maxLength} characters`);
    if (metacharacters.test(text))
      return rejectExtraArgs('contains forbidden metacharacters', text, 'flags and their values only');
    if (controlCharacters.test(text)) return rejectExtraArgs('contains control characters', text, 'printable text');
    const split = splitWords(text);
    if (!split.ok) return rejectExtraArgs(split.reason, text, 'words with balanced quotes');
    const bad = split.words.find((word) => !wordCharacters.test(word));
    if (bad !== undefined)
      return rejectExtraArgs(
        'contains a character that is not allowed in flags and values',
        bad,
        'words of A-Z a-z 0-9 . : / = + , - @ % _',
      );
    return parseWords(grammar, split.words);
  };
}

/** Parses words by the grammar of the declared flags. */
function parseWords(grammar: FlagsBySpelling, words: readonly string[]): ExtraArgsResult {
  const values = new Map<string, FlagValue>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const found = findFlag(grammar, word);
    if ('ok' in found) return found;
    const { name, flag, spelling } = found;
    let { inline } = found;
    if (flag.type === 'boolean') {
      if (inline !== undefined) return rejectExtraArgs(`${spelling} takes no value`, word, spelling);
      if (values.has(name)) return rejectExtraArgs(`${spelling} is given twice`, word);
      values.set(name, true);
      continue;
    }
    if (inline === undefined) {
      index += 1;
      inline = words[index];
      // A word with a hyphen is the next flag: the value was forgotten.
      if (inline === undefined || inline.startsWith('-'))
        return rejectExtraArgs(
          `${spelling} requires a value`,
          inline ?? word,
          undefined,
          `${spelling} ${flag.example ?? ''}`.trim(),
        );
    }
    const result = parseFlagWord(flag, inline);
    if (!result.ok)
      return rejectExtraArgs(`the value of ${spelling} ${result.message}`, inline, result.expected, result.example);
    const earlier = values.get(name);
    // Programs differ in whether the first or the last of two wins, so that repeating is an error.
    if (!flag.repeatable) {
      if (earlier !== undefined) return rejectExtraArgs(`${spelling} is given twice`, word);
      values.set(name, result.value);
    } else {
      const all = [
        ...(Array.isArray(earlier) ? (earlier as readonly (string | number)[]) : []),
        toFlagScalar(result.value),
      ];
      if (all.length > flag.max_items)
        return rejectExtraArgs(`${spelling} is given more than ${flag.max_items} times`, word);
      values.set(name, all);
    }
  }
  return { ok: true, values };
}

/** A flag with the value that was attached to it. */
interface FlagMatch {
  readonly name: string;
  readonly flag: Flag;
  readonly spelling: string;
  readonly inline: string | undefined;
}

/** The flag that a word begins with: alone, with `=`, or with an attached value. */
function findFlag(grammar: FlagsBySpelling, word: string): FlagMatch | (ExtraArgsResult & { readonly ok: false }) {
  const whole = grammar.get(word);
  if (whole !== undefined) return { name: whole[0], flag: whole[1], spelling: word, inline: undefined };
  const equals = word.indexOf('=');
  const before = grammar.get(word.slice(0, Math.max(0, equals)));
  if (before !== undefined)
    return { name: before[0], flag: before[1], spelling: word.slice(0, equals), inline: word.slice(equals + 1) };
  // Attached values (`-p80`, `-T4`) only after one-letter flags or @; otherwise `--script-args` would match `--script`.
  const short = word.startsWith('@') ? '@' : word.slice(0, 2);
  const attached = /^(?:-[A-Za-z0-9]|@)$/.test(short) ? grammar.get(short) : undefined;
  if (attached !== undefined && attached[1].type !== 'boolean')
    return { name: attached[0], flag: attached[1], spelling: short, inline: word.slice(short.length) };
  if (!/^[-+@]/.test(word))
    return rejectExtraArgs('Non-flag token blocked', word, 'flags of the tool and their values');
  // The message shows the flag without its value, which may be long or secret.
  const spelled = equals < 0 ? word : word.slice(0, equals);
  return rejectExtraArgs(
    `Flag not allowed: '${spelled.slice(0, 60)}'`,
    word,
    `one of ${[...grammar.keys()].join(' ')}`,
  );
}

/** A rejection of `extra_args`. */
function rejectExtraArgs(
  message: string,
  value: string,
  expected?: string,
  example?: string,
): ExtraArgsResult & { readonly ok: false } {
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
