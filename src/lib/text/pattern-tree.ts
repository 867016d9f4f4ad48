/** One term of a regular expression with its quantifier. */
export interface PatternItem {
  /** Characters it can match, one bit each; the last bit represents everything beyond ASCII. */
  readonly set: bigint;
  readonly group?: Alternatives;
  readonly min: number;
  readonly max: number;
  /** Repeated without limit, or often enough to count as such. */
  readonly isLong: boolean;
}

export type Alternatives = readonly (readonly PatternItem[])[];

const allCharacters = (1n << 129n) - 1n;
const nonAscii = 1n << 128n;
// Above this, a bounded repetition backtracks as badly as an unbounded one.
const maxShortRepeat = 32;
// Recursion depth of this parser, since the source is untrusted.
const maxGroupDepth = 30;

const bit = (code: number): bigint => (code < 128 ? 1n << BigInt(code) : nonAscii);
const span = (from: number, to: number): bigint => {
  let set = to >= 128 ? nonAscii : 0n;
  for (let code = from; code <= to && code < 128; code += 1) set |= bit(code);
  return set;
};
const digits = span(48, 57);
const wordCharacters = digits | span(65, 90) | span(97, 122) | bit(95);
const spaces = span(9, 13) | bit(32) | nonAscii;
const escapes: Readonly<Record<string, bigint>> = {
  d: digits,
  D: allCharacters & ~digits,
  w: wordCharacters,
  W: allCharacters & ~wordCharacters,
  s: spaces,
  S: allCharacters & ~span(9, 13) & ~bit(32),
  n: bit(10),
  r: bit(13),
  t: bit(9),
  v: bit(11),
  f: bit(12),
  '0': bit(0),
};

/** Parses the structure of a pattern that is known to compile; undefined for syntax this parser does not support. */
export function parsePattern(source: string, isUnicode: boolean): Alternatives | undefined {
  let at = 0;

  function alternatives(depth: number): Alternatives | undefined {
    if (depth > maxGroupDepth) return undefined;
    const all: PatternItem[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      const char = source[at];
      if (char === '|') {
        at += 1;
        all.push([]);
        continue;
      }
      // Anchors match no character and cannot repeat.
      if (char === '^' || char === '$') {
        at += 1;
        continue;
      }
      const atom = piece(depth);
      if (atom === undefined) return undefined;
      all.at(-1)?.push({ ...atom, ...quantifier() });
    }
    return all;
  }

  function piece(depth: number): Pick<PatternItem, 'set' | 'group'> | undefined {
    const char = source[at] ?? '';
    if (char === '(') {
      at += 1;
      // Kind of group: lookaround and names do not change what can be matched.
      const head = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(source.slice(at));
      at += head?.[0].length ?? 0;
      const group = alternatives(depth + 1);
      if (group === undefined) return undefined;
      at += 1;
      return { group, set: group.flat().reduce((sum, item) => sum | item.set, 0n) };
    }
    if (char === '[') return { set: bracket() };
    if (char === '\\') return escape();
    at += 1;
    return { set: char === '.' ? allCharacters & ~bit(10) : bit(char.charCodeAt(0)) };
  }

  function escape(): Pick<PatternItem, 'set'> {
    const letter = source[at + 1] ?? '';
    const long =
      /^\\(?:[pP]\{[^}]*\}|k<[^>]*>|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[1-9]\d*)/.exec(
        source.slice(at, at + 80),
      )?.[0];
    if (long !== undefined && (isUnicode || !/^\\[pPk]/.test(long))) {
      at += long.length;
      const hex = /^\\[ux]\{?([0-9a-fA-F]+)/.exec(long)?.[1];
      // A property class or a back reference can match anything, so the check assumes the worst.
      return { set: hex === undefined ? allCharacters : bit(Number.parseInt(hex, 16)) };
    }
    at += 2;
    // Word boundaries consume nothing.
    if (letter === 'b' || letter === 'B') return { set: 0n };
    return { set: Object.hasOwn(escapes, letter) ? (escapes[letter] ?? allCharacters) : bit(letter.charCodeAt(0)) };
  }

  function bracket(): bigint {
    at += 1;
    const isNegated = source[at] === '^';
    if (isNegated) at += 1;
    let set = 0n;
    while (at < source.length && source[at] !== ']') {
      const from = at;
      const one = source[at] === '\\' ? escape().set : bit(source.charCodeAt(at++));
      if (source[at] === '-' && source[at + 1] !== ']' && at + 1 < source.length) {
        at += 1;
        const start = source.charCodeAt(from);
        const end = source.charCodeAt(at);
        // A range with an escape at either end is rare: treating it as all characters only makes the check stricter.
        set |= source[from] === '\\' || source[at] === '\\' ? allCharacters : span(start, end);
        if (source[at] === '\\') escape();
        else at += 1;
      } else set |= one;
    }
    at += 1;
    return isNegated ? allCharacters & ~set : set;
  }

  function quantifier(): Pick<PatternItem, 'min' | 'max' | 'isLong'> {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 24));
    if (found === null) return { min: 1, max: 1, isLong: false };
    at += found[0].length;
    const [whole, low, comma, high] = found;
    if (low === undefined)
      return {
        min: whole.startsWith('+') ? 1 : 0,
        max: whole.startsWith('?') ? 1 : Infinity,
        isLong: !whole.startsWith('?'),
      };
    const max = comma === '' ? Number(low) : high === '' ? Infinity : Number(high);
    // A fixed count ({40}) leaves no choice, so it cannot backtrack.
    return { min: Number(low), max, isLong: max > maxShortRepeat && max !== Number(low) };
  }

  const tree = alternatives(0);
  // Text left over means that the parser misread the pattern; it must not be called safe.
  return at >= source.length ? tree : undefined;
}
