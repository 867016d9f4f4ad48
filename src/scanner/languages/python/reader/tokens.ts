import { kind, words } from './kinds.js';

/** The tokens of a text in order: what each is, and from where to where it goes; the last one is the end. */
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
  /** How wide the blocks around are set in. */
  readonly indents: number[];
  /** What lines are set in with: a file that mixes both means different things to different readers. */
  setIn: 'spaces' | 'tabs' | undefined;
  /** How many f-strings are open inside one another. */
  openTexts: number;
}

/** More of them than this inside one another are left to the reader that does not use the stack. */
const maxOpenTexts = 20;

/** Where reading cannot go on: only a reader that recovers from errors, or knows more, can tell what is meant. */
const stuck = -1;

const code = {
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

/** Cuts Python into tokens; undefined where it is not plain enough to be sure of. */
export function tokensOf(text: string): Tokens | undefined {
  const lexer: Lexer = { text, kinds: [], starts: [], ends: [], indents: [0], setIn: undefined, openTexts: 0 };
  let at = 0;
  while (at < text.length && at !== stuck) at = readLine(lexer, at);
  if (at === stuck) return undefined;
  return { kinds: lexer.kinds, starts: lexer.starts, ends: lexer.ends };
}

function push(lexer: Lexer, what: number, start: number, end: number): void {
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

/** Reads a logical line and the blank lines and comments before it; the blocks that it ends are closed first. */
function readLine(lexer: Lexer, from: number): number {
  const { text } = lexer;
  const comments: Comment[] = [];
  let at = from;
  let width = 0;
  for (; at < text.length;) {
    const char = text.charCodeAt(at);
    if (char === code.space) width += 1;
    else if (char === code.tab) width += 8;
    else if (char === code.newline) width = 0;
    else if (char === code.hash) {
      const end = lineEnd(text, at);
      comments.push({ width, end });
      at = end;
      continue;
    } else if (char !== code.return || text.charCodeAt(at + 1) !== code.newline) break;
    at += 1;
  }
  const isEnd = at >= text.length;
  if (isEnd) width = 0;
  else if (width > 0 && !isSetInAlike(lexer, at)) return stuck;
  if (!closeBlocks(lexer, width, comments)) return stuck;
  if (isEnd) {
    push(lexer, kind.end, text.length, text.length);
    return text.length;
  }
  const end = readTokens(lexer, at, false);
  if (end === stuck) return stuck;
  // A comment behind the last token of a line belongs to the block that the line is in.
  const last = lexer.ends.at(-1) ?? end;
  const hasComment = text.charCodeAt(end) === code.hash;
  const stop = hasComment ? lineEnd(text, end) : end;
  push(lexer, kind.newline, last, hasComment ? stop : last);
  if (stop < text.length) return stop + 1 === text.length ? finish(lexer) : stop + 1;
  return finish(lexer);
}

function finish(lexer: Lexer): number {
  const { length } = lexer.text;
  closeBlocks(lexer, 0, []);
  push(lexer, kind.end, length, length);
  return length;
}

function isSetInAlike(lexer: Lexer, at: number): boolean {
  const { text } = lexer;
  const wanted = text.charCodeAt(at - 1) === code.tab ? 'tabs' : 'spaces';
  lexer.setIn ??= wanted;
  if (lexer.setIn !== wanted) return false;
  const char = wanted === 'tabs' ? code.tab : code.space;
  for (let back = at - 1; back >= 0 && text.charCodeAt(back) !== code.newline; back -= 1) {
    if (text.charCodeAt(back) !== char) return false;
  }
  return true;
}

/** Opens or ends blocks before a line of this width. A block ends behind the last comment that is set in as deep as it is. */
function closeBlocks(lexer: Lexer, width: number, comments: readonly Comment[]): boolean {
  const { indents } = lexer;
  let current = indents.at(-1) ?? 0;
  if (width > current) {
    indents.push(width);
    push(lexer, kind.indent, 0, 0);
    return true;
  }
  let end = lexer.ends.at(-1) ?? 0;
  let at = 0;
  while (width < current) {
    for (let next = comments[at]; next && next.width >= current; next = comments[(at += 1)]) end = next.end;
    indents.pop();
    push(lexer, kind.dedent, end, end);
    current = indents.at(-1) ?? 0;
  }
  return width === current;
}

const isDigit = (char: number): boolean => char >= 48 && char <= 57;
const isPlainLetter = (char: number): boolean =>
  (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || char === code.underscore;
const odd = /[_\p{XID_Start}][_\p{XID_Continue}]*/uy;
const numbers =
  /(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?(?:\d[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)(?![\w.\u0080-\uffff])/y;

/** Reads tokens to the end of a logical line, or to the end of an expression inside a text. */
function readTokens(lexer: Lexer, from: number, isPart: boolean): number {
  const { text } = lexer;
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === code.space || char === code.tab) at += 1;
    else if (isPlainLetter(char)) {
      let end = at + 1;
      let next = text.charCodeAt(end);
      while (isPlainLetter(next) || isDigit(next)) next = text.charCodeAt((end += 1));
      if (next > 127) at = oddName(lexer, at);
      else if ((next === code.doubleQuote || next === code.singleQuote) && end - at < 3)
        at = readString(lexer, at, end);
      else {
        push(lexer, end - at < 9 ? (words.get(text.slice(at, end)) ?? kind.name) : kind.name, at, end);
        at = end;
      }
    } else if (char === code.newline || (char === code.return && text.charCodeAt(at + 1) === code.newline)) {
      if (depth === 0 && !isPart) return at;
      at += 1;
    } else if (char === code.hash) {
      if (depth === 0 && !isPart) return at;
      if (isPart) return stuck;
      at = lineEnd(text, at);
    } else if (char === code.doubleQuote || char === code.singleQuote) at = readString(lexer, at, at);
    else if (isDigit(char) || (char === kind.dot && isDigit(text.charCodeAt(at + 1)))) {
      numbers.lastIndex = at;
      if (!numbers.test(text)) return stuck;
      push(lexer, kind.number, at, numbers.lastIndex);
      at = numbers.lastIndex;
    } else if (char === code.backslash) {
      const next = text.charCodeAt(at + 1);
      if (next === code.newline) at += 2;
      else if (next === code.return && text.charCodeAt(at + 2) === code.newline) at += 3;
      else return stuck;
    } else if (char > 127) at = oddName(lexer, at);
    else {
      if (
        isPart &&
        depth === 0 &&
        (char === kind.closeBrace || char === kind.colon || char === code.bang || char === kind.assign)
      ) {
        const end = partEnd(text, at, char);
        if (end !== undefined) return end;
      }
      if (char === kind.openParen || char === kind.openBracket || char === kind.openBrace) depth += 1;
      else if (char === kind.closeParen || char === kind.closeBracket || char === kind.closeBrace) depth -= 1;
      if (depth < 0) return stuck;
      at = readMark(lexer, at, char);
    }
    if (at === stuck) return stuck;
  }
  return depth === 0 && !isPart ? at : stuck;
}

/** A name with letters beyond the plain ones. */
function oddName(lexer: Lexer, at: number): number {
  odd.lastIndex = at;
  if (!odd.test(lexer.text)) return stuck;
  push(lexer, kind.name, at, odd.lastIndex);
  return odd.lastIndex;
}

const single = new Set<number>([...'()[]{},:.;@=+-*/%&|^~<>'].map((mark) => mark.charCodeAt(0)));
const double = new Map<string, number>([
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
const triple = new Set(['**=', '//=', '<<=', '>>=']);

/** The mark that begins here, the longest one that there is. */
function readMark(lexer: Lexer, at: number, char: number): number {
  const { text } = lexer;
  const next = text.charCodeAt(at + 1);
  // Most marks stand alone: only these can be followed by more of them.
  if (next === kind.assign || next === char || next === kind.greater || next === kind.less) {
    if (char === kind.dot && text.startsWith('...', at)) {
      push(lexer, kind.ellipsis, at, at + 3);
      return at + 3;
    }
    if (triple.has(text.slice(at, at + 3))) {
      push(lexer, kind.augment, at, at + 3);
      return at + 3;
    }
    const two = double.get(text.slice(at, at + 2));
    if (two !== undefined) {
      push(lexer, two, at, at + 2);
      return at + 2;
    }
  }
  if (!single.has(char)) return stuck;
  push(lexer, char, at, at + 1);
  return at + 1;
}

/** Reads a string whose prefix is already known; one with expressions in it becomes several tokens. */
function readString(lexer: Lexer, start: number, quoteAt: number): number {
  const { text } = lexer;
  const prefix = text.slice(start, quoteAt).toLowerCase();
  if (!/^(?:[rbuft]|r[bft]|[bft]r)?$/.test(prefix)) return stuck;
  const quote = text[quoteAt] ?? '';
  const close = text.startsWith(quote.repeat(3), quoteAt) ? quote.repeat(3) : quote;
  const from = quoteAt + close.length;
  if (prefix.includes('f') || prefix.includes('t')) return readText(lexer, start, from, close);
  const end = stringEnd(text, from, close);
  if (end === stuck) return stuck;
  push(lexer, kind.string, start, end + close.length);
  return end + close.length;
}

/** Where a string ends that has no expressions in it. */
function stringEnd(text: string, from: number, close: string): number {
  const quote = close.charCodeAt(0);
  for (let at = from; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === code.backslash)
      at += text.charCodeAt(at + 1) === code.return && text.charCodeAt(at + 2) === code.newline ? 2 : 1;
    else if (char === quote && (close.length === 1 || text.startsWith(close, at))) return at;
    else if (char === code.newline && close.length === 1) return stuck;
  }
  return stuck;
}

/** Reads the texts and the expressions of an f-string. */
function readText(lexer: Lexer, start: number, from: number, close: string): number {
  const { text } = lexer;
  const quote = close.charCodeAt(0);
  push(lexer, kind.openText, start, from);
  let begun = from;
  const flush = (to: number): void => {
    if (to > begun) push(lexer, kind.text, begun, to);
  };
  for (let at = from; at < text.length;) {
    const char = text.charCodeAt(at);
    if (char === code.backslash) {
      // `\N{name}` is a letter by its name, not an expression; and nobody agrees on what `\{` is.
      const next = text.charCodeAt(at + 1);
      if (next === 78 || next === kind.openBrace || next === kind.closeBrace) return stuck;
      at += next === code.return && text.charCodeAt(at + 2) === code.newline ? 3 : 2;
    } else if (char === quote && (close.length === 1 || text.startsWith(close, at))) {
      flush(at);
      push(lexer, kind.closeText, at, at + close.length);
      return at + close.length;
    } else if (char === code.newline && close.length === 1) return stuck;
    else if (char !== kind.openBrace && char !== kind.closeBrace) at += 1;
    else if (text.charCodeAt(at + 1) === char) at += 2;
    else if (char === kind.closeBrace) return stuck;
    else {
      flush(at);
      push(lexer, kind.openPart, at, at + 1);
      if (lexer.openTexts >= maxOpenTexts) return stuck;
      lexer.openTexts += 1;
      const end = readTokens(lexer, at + 1, true);
      lexer.openTexts -= 1;
      if (end === stuck) return stuck;
      push(lexer, kind.closePart, end, end + 1);
      at = end + 1;
      begun = at;
    }
  }
  return stuck;
}

/**
 * Where the brace closes behind an expression in a text, past `=`, `!r` and `:format`; undefined where the expression
 * goes on, and stuck where the format is not plain.
 */
function partEnd(text: string, from: number, char: number): number | undefined {
  let at = from;
  if (char === kind.assign) {
    const after = /=[ \t]*(?=[}!:])(?!!=)/y;
    after.lastIndex = at;
    if (!after.test(text)) return undefined;
    at = after.lastIndex;
  }
  if (text.charCodeAt(at) === code.bang) {
    const conversion = /![rsa][ \t]*(?=[}:])/y;
    conversion.lastIndex = at;
    if (!conversion.test(text)) return text.charCodeAt(at + 1) === kind.assign ? undefined : stuck;
    at = conversion.lastIndex;
  }
  if (text.charCodeAt(at) === kind.colon) {
    const format = /:(?!=)(?:[^{}'"\n\\]|\{[\w. ()+*-]*\})*/y;
    format.lastIndex = at;
    if (!format.test(text)) return stuck;
    at = format.lastIndex;
  }
  return text.charCodeAt(at) === kind.closeBrace ? at : stuck;
}
