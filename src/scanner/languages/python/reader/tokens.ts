import { kind, keywords } from './kinds.js';

/** The tokens of a text as parallel arrays; the last token is `end`. */
export interface Tokens {
  readonly kinds: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

interface Lexer {
  readonly text: string;
  readonly kinds: number[];
  readonly starts: number[];
  readonly ends: number[];
  /** Indentation widths of the enclosing blocks. */
  readonly indents: number[];
  /** The indentation character; mixed tabs and spaces are ambiguous. */
  indentChar: 'spaces' | 'tabs' | undefined;
  /** Number of nested open f-strings. */
  openFStrings: number;
}

/** Deeper nested f-strings are left to tree-sitter, which does not use the call stack. */
const maxOpenFStrings = 20;

/** Result of a function that found syntax which is left to tree-sitter. */
const notPlain = -1;

const charCode = {
  newline: 10,
  return: 13,
  space: 32,
  tab: 9,
  hash: 35,
  backslash: 92,
  doubleQuote: 34,
  singleQuote: 39,
  bang: 33,
  underscore: 95,
} as const;

/** Splits Python into tokens; undefined if the text is not unambiguous. */
export function tokensOf(text: string): Tokens | undefined {
  const lexer: Lexer = { text, kinds: [], starts: [], ends: [], indents: [0], indentChar: undefined, openFStrings: 0 };
  let at = 0;
  while (at < text.length && at !== notPlain) at = readLine(lexer, at);
  if (at === notPlain) return undefined;
  return { kinds: lexer.kinds, starts: lexer.starts, ends: lexer.ends };
}

function addToken(lexer: Lexer, what: number, start: number, end: number): void {
  lexer.kinds.push(what);
  lexer.starts.push(start);
  lexer.ends.push(end);
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
};

interface Comment {
  readonly width: number;
  readonly end: number;
}

/** Reads a logical line with the blank lines and comments before it; closes the blocks that end there first. */
function readLine(lexer: Lexer, from: number): number {
  const { text } = lexer;
  const comments: Comment[] = [];
  let at = from;
  let width = 0;
  for (; at < text.length;) {
    const char = text.charCodeAt(at);
    if (char === charCode.space) width += 1;
    else if (char === charCode.tab) width += 8;
    else if (char === charCode.newline) width = 0;
    else if (char === charCode.hash) {
      const end = lineEnd(text, at);
      comments.push({ width, end });
      at = end;
      continue;
    } else if (char !== charCode.return || text.charCodeAt(at + 1) !== charCode.newline) break;
    at += 1;
  }
  const isEnd = at >= text.length;
  if (isEnd) width = 0;
  else if (width > 0 && !hasConsistentIndent(lexer, at)) return notPlain;
  if (!closeBlocks(lexer, width, comments)) return notPlain;
  if (isEnd) {
    addToken(lexer, kind.end, text.length, text.length);
    return text.length;
  }
  const end = readTokens(lexer, at, false);
  if (end === notPlain) return notPlain;
  // A trailing comment belongs to the block of its line.
  const last = lexer.ends.at(-1) ?? end;
  const hasComment = text.charCodeAt(end) === charCode.hash;
  const stop = hasComment ? lineEnd(text, end) : end;
  addToken(lexer, kind.newline, last, hasComment ? stop : last);
  if (stop < text.length) return stop + 1 === text.length ? finish(lexer) : stop + 1;
  return finish(lexer);
}

function finish(lexer: Lexer): number {
  const { length } = lexer.text;
  closeBlocks(lexer, 0, []);
  addToken(lexer, kind.end, length, length);
  return length;
}

function hasConsistentIndent(lexer: Lexer, at: number): boolean {
  const { text } = lexer;
  const wanted = text.charCodeAt(at - 1) === charCode.tab ? 'tabs' : 'spaces';
  lexer.indentChar ??= wanted;
  if (lexer.indentChar !== wanted) return false;
  const char = wanted === 'tabs' ? charCode.tab : charCode.space;
  for (let back = at - 1; back >= 0 && text.charCodeAt(back) !== charCode.newline; back -= 1) {
    if (text.charCodeAt(back) !== char) return false;
  }
  return true;
}

/** Opens or closes blocks before a line of this indentation. A block ends after the last comment with at least its indentation. */
function closeBlocks(lexer: Lexer, width: number, comments: readonly Comment[]): boolean {
  const { indents } = lexer;
  let current = indents.at(-1) ?? 0;
  if (width > current) {
    indents.push(width);
    addToken(lexer, kind.indent, 0, 0);
    return true;
  }
  let end = lexer.ends.at(-1) ?? 0;
  let at = 0;
  while (width < current) {
    for (let next = comments[at]; next && next.width >= current; next = comments[(at += 1)]) end = next.end;
    indents.pop();
    addToken(lexer, kind.dedent, end, end);
    current = indents.at(-1) ?? 0;
  }
  return width === current;
}

const isDigit = (char: number): boolean => char >= 48 && char <= 57;
const isPlainLetter = (char: number): boolean =>
  (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || char === charCode.underscore;
const unicodeName = /[_\p{XID_Start}][_\p{XID_Continue}]*/uy;
const numberPattern =
  /(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?(?:\d[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)(?![\w.\u0080-\uffff])/y;

/** Reads tokens to the end of a logical line, or of an expression inside an f-string. */
function readTokens(lexer: Lexer, from: number, isPart: boolean): number {
  const { text } = lexer;
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === charCode.space || char === charCode.tab) at += 1;
    else if (isPlainLetter(char)) {
      let end = at + 1;
      let next = text.charCodeAt(end);
      while (isPlainLetter(next) || isDigit(next)) next = text.charCodeAt((end += 1));
      if (next > 127) at = readUnicodeName(lexer, at);
      else if ((next === charCode.doubleQuote || next === charCode.singleQuote) && end - at < 3)
        at = readString(lexer, at, end);
      else {
        addToken(lexer, end - at < 9 ? (keywords.get(text.slice(at, end)) ?? kind.name) : kind.name, at, end);
        at = end;
      }
    } else if (
      char === charCode.newline ||
      (char === charCode.return && text.charCodeAt(at + 1) === charCode.newline)
    ) {
      if (depth === 0 && !isPart) return at;
      at += 1;
    } else if (char === charCode.hash) {
      if (depth === 0 && !isPart) return at;
      if (isPart) return notPlain;
      at = lineEnd(text, at);
    } else if (char === charCode.doubleQuote || char === charCode.singleQuote) at = readString(lexer, at, at);
    else if (isDigit(char) || (char === kind.dot && isDigit(text.charCodeAt(at + 1)))) {
      numberPattern.lastIndex = at;
      if (!numberPattern.test(text)) return notPlain;
      addToken(lexer, kind.number, at, numberPattern.lastIndex);
      at = numberPattern.lastIndex;
    } else if (char === charCode.backslash) {
      const next = text.charCodeAt(at + 1);
      if (next === charCode.newline) at += 2;
      else if (next === charCode.return && text.charCodeAt(at + 2) === charCode.newline) at += 3;
      else return notPlain;
    } else if (char > 127) at = readUnicodeName(lexer, at);
    else {
      if (
        isPart &&
        depth === 0 &&
        (char === kind.closeBrace || char === kind.colon || char === charCode.bang || char === kind.assign)
      ) {
        const end = fStringPartEnd(text, at, char);
        if (end !== undefined) return end;
      }
      if (char === kind.openParen || char === kind.openBracket || char === kind.openBrace) depth += 1;
      else if (char === kind.closeParen || char === kind.closeBracket || char === kind.closeBrace) depth -= 1;
      if (depth < 0) return notPlain;
      at = readOperator(lexer, at, char);
    }
    if (at === notPlain) return notPlain;
  }
  return depth === 0 && !isPart ? at : notPlain;
}

/** Reads a name with non-ASCII letters. */
function readUnicodeName(lexer: Lexer, at: number): number {
  unicodeName.lastIndex = at;
  if (!unicodeName.test(lexer.text)) return notPlain;
  addToken(lexer, kind.name, at, unicodeName.lastIndex);
  return unicodeName.lastIndex;
}

const singleCharOperators = new Set<number>([...'()[]{},:.;@=+-*/%&|^~<>'].map((mark) => mark.charCodeAt(0)));
const doubleCharOperators = new Map<string, number>([
  ['->', kind.arrow],
  [':=', kind.walrus],
  ['**', kind.power],
  ['//', kind.floor],
  ['<<', kind.left],
  ['>>', kind.right],
  ['==', kind.equal],
  ['!=', kind.unequal],
  ['<=', kind.lessEqual],
  ['>=', kind.greaterEqual],
  ...['+', '-', '*', '/', '%', '&', '|', '^', '@'].map((mark): [string, number] => [`${mark}=`, kind.augment]),
]);
const tripleCharOperators = new Set(['**=', '//=', '<<=', '>>=']);

/** Reads the longest operator at this offset. */
function readOperator(lexer: Lexer, at: number, char: number): number {
  const { text } = lexer;
  const next = text.charCodeAt(at + 1);
  // Fast path: only these characters can continue an operator.
  if (next === kind.assign || next === char || next === kind.greater || next === kind.less) {
    if (char === kind.dot && text.startsWith('...', at)) {
      addToken(lexer, kind.ellipsis, at, at + 3);
      return at + 3;
    }
    if (tripleCharOperators.has(text.slice(at, at + 3))) {
      addToken(lexer, kind.augment, at, at + 3);
      return at + 3;
    }
    const two = doubleCharOperators.get(text.slice(at, at + 2));
    if (two !== undefined) {
      addToken(lexer, two, at, at + 2);
      return at + 2;
    }
  }
  if (!singleCharOperators.has(char)) return notPlain;
  addToken(lexer, char, at, at + 1);
  return at + 1;
}

/** Reads a string after its prefix; an f-string becomes several tokens. */
function readString(lexer: Lexer, start: number, quoteAt: number): number {
  const { text } = lexer;
  const prefix = text.slice(start, quoteAt).toLowerCase();
  if (!/^(?:[rbuft]|r[bft]|[bft]r)?$/.test(prefix)) return notPlain;
  const quote = text[quoteAt] ?? '';
  const close = text.startsWith(quote.repeat(3), quoteAt) ? quote.repeat(3) : quote;
  const from = quoteAt + close.length;
  if (prefix.includes('f') || prefix.includes('t')) return readFString(lexer, start, from, close);
  const end = stringEnd(text, from, close);
  if (end === notPlain) return notPlain;
  addToken(lexer, kind.string, start, end + close.length);
  return end + close.length;
}

/** The end offset of a string without expressions. */
function stringEnd(text: string, from: number, close: string): number {
  const quote = close.charCodeAt(0);
  for (let at = from; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === charCode.backslash)
      at += text.charCodeAt(at + 1) === charCode.return && text.charCodeAt(at + 2) === charCode.newline ? 2 : 1;
    else if (char === quote && (close.length === 1 || text.startsWith(close, at))) return at;
    else if (char === charCode.newline && close.length === 1) return notPlain;
  }
  return notPlain;
}

/** Reads the literal texts and expressions of an f-string. */
function readFString(lexer: Lexer, start: number, from: number, close: string): number {
  const { text } = lexer;
  const quote = close.charCodeAt(0);
  addToken(lexer, kind.openText, start, from);
  let begun = from;
  const flush = (to: number): void => {
    if (to > begun) addToken(lexer, kind.text, begun, to);
  };
  for (let at = from; at < text.length;) {
    const char = text.charCodeAt(at);
    if (char === charCode.backslash) {
      // `\N{name}` is a named character, not an expression, and parsers disagree about `\{`.
      const next = text.charCodeAt(at + 1);
      if (next === 78 || next === kind.openBrace || next === kind.closeBrace) return notPlain;
      at += next === charCode.return && text.charCodeAt(at + 2) === charCode.newline ? 3 : 2;
    } else if (char === quote && (close.length === 1 || text.startsWith(close, at))) {
      flush(at);
      addToken(lexer, kind.closeText, at, at + close.length);
      return at + close.length;
    } else if (char === charCode.newline && close.length === 1) return notPlain;
    else if (char !== kind.openBrace && char !== kind.closeBrace) at += 1;
    else if (text.charCodeAt(at + 1) === char) at += 2;
    else if (char === kind.closeBrace) return notPlain;
    else {
      flush(at);
      addToken(lexer, kind.openPart, at, at + 1);
      if (lexer.openFStrings >= maxOpenFStrings) return notPlain;
      lexer.openFStrings += 1;
      const end = readTokens(lexer, at + 1, true);
      lexer.openFStrings -= 1;
      if (end === notPlain) return notPlain;
      addToken(lexer, kind.closePart, end, end + 1);
      at = end + 1;
      begun = at;
    }
  }
  return notPlain;
}

/**
 * The offset of the closing brace after an f-string expression, past `=`, `!r` and `:format`; undefined if the expression
 * continues, `notPlain` if the format is too complex.
 */
function fStringPartEnd(text: string, from: number, char: number): number | undefined {
  let at = from;
  if (char === kind.assign) {
    const after = /=[ \t]*(?=[}!:])(?!!=)/y;
    after.lastIndex = at;
    if (!after.test(text)) return undefined;
    at = after.lastIndex;
  }
  if (text.charCodeAt(at) === charCode.bang) {
    const conversion = /![rsa][ \t]*(?=[}:])/y;
    conversion.lastIndex = at;
    if (!conversion.test(text)) return text.charCodeAt(at + 1) === kind.assign ? undefined : notPlain;
    at = conversion.lastIndex;
  }
  if (text.charCodeAt(at) === kind.colon) {
    const format = /:(?!=)(?:[^{}'"\n\\]|\{[\w. ()+*-]*\})*/y;
    format.lastIndex = at;
    if (!format.test(text)) return notPlain;
    at = format.lastIndex;
  }
  return text.charCodeAt(at) === kind.closeBrace ? at : notPlain;
}
