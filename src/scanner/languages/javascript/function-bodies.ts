/**
 * Finds function bodies in JavaScript without parsing. In a few places only a parser can distinguish a division from a
 * regular expression; there, and on any other unusual syntax, the function gives up and the text is parsed completely:
 * a skipped range must certainly be a function body, or an attacker could hide code in it.
 */

/** Pairs of offsets of `{` and `}` of function bodies, ordered by opening offset; nested bodies follow their parent. */
export type Bodies = Int32Array;

/** What may come next: an operand (a slash starts a regular expression), an operator (a slash divides), or either. */
type Next = 'operand' | 'operator' | 'either';
/** What an opening bracket belongs to. */
type OpenBracket = 'plain' | 'control' | 'block' | 'body' | 'template';

/** A parenthesis after these is no parameter list, and its brace no function body. */
const controlKeywords = new Set(['if', 'while', 'for', 'with', 'switch', 'catch']);
/** Words after which a slash begins a regular expression. */
const keywordsBeforeOperand = new Set([
  'return',
  'typeof',
  'instanceof',
  'in',
  'new',
  'delete',
  'void',
  'throw',
  'case',
  'do',
  'else',
  'default',
  'extends',
  'export',
  'import',
  'const',
  'let',
  'var',
]);
/** Words that may be identifiers or keywords, so that a slash after them is ambiguous. */
const keywordsBeforeEither = new Set(['yield', 'await', 'of', 'async', 'static', 'get', 'set']);

/** The bodies of all functions, or undefined if they cannot be determined with certainty. */
export function functionBodies(text: string): Bodies | undefined {
  const found: number[] = [];
  const openBrackets: OpenBracket[] = [];
  // Indices into `found`, because bodies nest.
  const owners: number[] = [];
  let next: Next = 'operand';
  /** The directly preceding word; after `.` a word is a property, never a keyword. */
  let last = '';
  let afterDot = false;
  /** True after a `)` that may end a parameter list, and after `=>`. */
  let mayOpenBody = false;
  /** Nesting depth of the last `extends`: the next brace at this depth opens the class body. */
  let heritage = -1;
  let at = text.startsWith('#!') ? lineEnd(text, 0) : 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= 32 || isUnicodeSpace(code)) {
      at += 1;
      continue;
    }
    if (code === 47 /* / */) {
      const after = text.charCodeAt(at + 1);
      if (after === 47) {
        at = lineEnd(text, at);
        continue;
      }
      if (after === 42) {
        const end = text.indexOf('*/', at + 2);
        // An unterminated comment: the file does not parse anyway.
        if (end === -1) return undefined;
        at = end + 2;
        continue;
      }
      // A guess here could let an attacker hide code in what looks like a regular expression.
      if (next === 'either') return undefined;
      if (next === 'operand') {
        at = regexEnd(text, at + 1);
        if (at === -1) return undefined;
        next = 'operator';
      } else {
        at += 1;
        next = 'operand';
      }
      [last, afterDot, mayOpenBody] = ['', false, false];
      continue;
    }
    const opensBody = mayOpenBody;
    mayOpenBody = false;
    const isProperty: boolean = afterDot;
    afterDot = false;
    switch (code) {
      case 39: // '
      case 34: // "
        at = stringEnd(text, at + 1, code);
        if (at === -1) return undefined;
        next = 'operator';
        break;
      case 96: {
        // `
        const end = templateEnd(text, at + 1);
        if (end === -1) return undefined;
        // The template continues after its expression.
        if (text.charCodeAt(end - 1) === 123) {
          openBrackets.push('template');
          next = 'operand';
        } else next = 'operator';
        at = end;
        break;
      }
      case 40: // (
        openBrackets.push(controlKeywords.has(last) ? 'control' : 'plain');
        next = 'operand';
        at += 1;
        break;
      case 91: // [
        openBrackets.push('plain');
        next = 'operand';
        at += 1;
        break;
      case 41: {
        // )
        const kind = openBrackets.pop();
        if (kind !== 'plain' && kind !== 'control') return undefined;
        // After `if (…)` a statement follows; after a call an operator.
        next = kind === 'control' ? 'operand' : 'operator';
        mayOpenBody = kind === 'plain';
        at += 1;
        break;
      }
      case 93: // ]
        if (openBrackets.pop() !== 'plain') return undefined;
        next = 'operator';
        at += 1;
        break;
      case 123: {
        // {
        const isBody = opensBody && heritage !== openBrackets.length;
        if (heritage === openBrackets.length) heritage = -1;
        openBrackets.push(isBody ? 'body' : 'block');
        if (isBody) {
          owners.push(found.length);
          found.push(at, -1);
        }
        next = 'operand';
        at += 1;
        break;
      }
      case 125: {
        // }
        const kind = openBrackets.pop();
        if (kind === 'template') {
          const end = templateEnd(text, at + 1);
          if (end === -1) return undefined;
          if (text.charCodeAt(end - 1) === 123) openBrackets.push('template');
          next = text.charCodeAt(end - 1) === 123 ? 'operand' : 'operator';
          at = end;
          break;
        }
        if (kind === 'body') found[(owners.pop() ?? 0) + 1] = at;
        else if (kind !== 'block') return undefined;
        // After a block a slash may divide or begin a pattern.
        next = 'either';
        at += 1;
        break;
      }
      case 46: // .
        if (text.startsWith('...', at)) {
          next = 'operand';
          at += 3;
        } else {
          afterDot = next !== 'operand';
          at += 1;
        }
        break;
      case 60: // <
        // In operand position this is JSX, and `<!--` is a comment in sloppy scripts: both need a parser.
        if (next !== 'operator' || text.startsWith('<!--', at)) return undefined;
        next = 'operand';
        at += text.charCodeAt(at + 1) === 60 ? 2 : 1;
        break;
      case 43: // +
      case 45: // -
        if (text.charCodeAt(at + 1) === code) {
          if (text.charCodeAt(at + 2) === 62 && beginsLine(text, at)) return undefined;
          at += 2;
        } else {
          next = 'operand';
          at += 1;
        }
        break;
      case 61: // =
        mayOpenBody = text.charCodeAt(at + 1) === 62;
        next = 'operand';
        at += mayOpenBody ? 2 : 1;
        break;
      case 63: // ?
        afterDot = text.charCodeAt(at + 1) === 46 && !isDigit(text.charCodeAt(at + 2));
        next = 'operand';
        at += afterDot ? 2 : 1;
        break;
      default: {
        const end = wordEnd(text, at);
        if (end === at) {
          // A private name starts with `#`; all other characters are operators.
          next = code === 35 ? next : 'operand';
          afterDot = code === 35;
          at += 1;
          break;
        }
        const keyword: string = end - at <= 10 && !isProperty ? text.slice(at, end) : '';
        next = keywordsBeforeOperand.has(keyword)
          ? 'operand'
          : keywordsBeforeEither.has(keyword)
            ? 'either'
            : 'operator';
        if (keyword === 'extends') heritage = openBrackets.length;
        // `for await (…)` is a control statement like `for (…)`.
        last = keyword === 'await' && last === 'for' ? last : keyword;
        at = end;
        continue;
      }
    }
    last = '';
  }
  // Unbalanced brackets mean that the scan lost its way.
  return openBrackets.length === 0 ? Int32Array.from(found) : undefined;
}

/** Whether a character is an ASCII digit. */
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
/** White space of the specification beyond ASCII. */
const isUnicodeSpace = (code: number): boolean =>
  code === 0xa0 ||
  (code >= 0x1680 &&
    (code === 0x1680 ||
      (code >= 0x2000 && code <= 0x200a) ||
      code === 0x2028 ||
      code === 0x2029 ||
      code === 0x202f ||
      code === 0x205f ||
      code === 0x3000 ||
      code === 0xfeff));
/** Line terminators of the specification. */
const endsLine = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

/** `-->` at the start of a line is a comment in sloppy scripts. */
function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (text.charCodeAt(before) === 32 || text.charCodeAt(before) === 9)) before -= 1;
  return before < 0 || endsLine(text.charCodeAt(before)) || text.charCodeAt(before) === 47;
}

/** Offset of the end of a line. */
function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endsLine(text.charCodeAt(at))) at += 1;
  return at;
}

/** Offset after an identifier or number; escapes count as part of it. */
function wordEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 92 && text.startsWith('\\u{', at)) at = Math.max(at, text.indexOf('}', at));
    const isWord =
      code === 92 ||
      (code >= 97 && code <= 122) ||
      (code >= 65 && code <= 90) ||
      isDigit(code) ||
      code === 95 ||
      code === 36 ||
      (code > 127 && !isUnicodeSpace(code));
    if (!isWord) break;
  }
  return at;
}

/** Offset after a string; -1 if a line ends before it does. */
function stringEnd(text: string, from: number, quote: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === 92) at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 2 : 1;
    else if (code === 10 || code === 13) return -1;
  }
  return -1;
}

/** The offset after the closing backtick of a template, or after `${`. */
function templateEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 96) return at + 1;
    if (code === 92) at += 1;
    else if (code === 36 && text.charCodeAt(at + 1) === 123) return at + 2;
  }
  return -1;
}

/** Offset after a regular expression and its flags; a slash inside of a class does not end it. */
function regexEnd(text: string, from: number): number {
  let isClass = false;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (endsLine(code)) return -1;
    if (code === 92) at += 1;
    else if (code === 91) isClass = true;
    else if (code === 93) isClass = false;
    else if (code === 47 && !isClass) return wordEnd(text, at + 1);
  }
  return -1;
}
