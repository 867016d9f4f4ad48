/**
 * Finds where the bodies of functions stand in JavaScript without understanding them. Telling a division from a regular
 * expression needs a parser in a few places; wherever that is so, and on anything else that is odd, the text is given up
 * and read whole instead: a body that is skipped must be one for sure, or code could hide in it.
 */

/** Offsets of `{` and `}` of function bodies, in pairs, ordered by where they open; a body inside another comes after it. */
export type Bodies = Int32Array;

/** What may stand next: an operand (a slash begins a regular expression), an operator (it divides), or either. */
type Next = 'operand' | 'operator' | 'either';
type Opened = 'plain' | 'control' | 'block' | 'body' | 'template';

const controls = new Set(['if', 'while', 'for', 'with', 'switch', 'catch']);
const beforeOperand = new Set([
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
const beforeEither = new Set(['yield', 'await', 'of', 'async', 'static', 'get', 'set']);

/** The bodies of all functions, or undefined where that cannot be told for sure. */
export function functionBodies(text: string): Bodies | undefined {
  const found: number[] = [];
  const opened: Opened[] = [];
  const owners: number[] = [];
  let next: Next = 'operand';
  /** The last word, where nothing stood between it and here; `.` and what follows it is a property, never a keyword. */
  let last = '';
  let afterDot = false;
  /** True after `)` of a list that may be parameters, and after `=>`. */
  let mayOpenBody = false;
  /** How deep the class stands whose `extends` was seen last: the next brace there opens the class. */
  let heritage = -1;
  let at = text.startsWith('#!') ? lineEnd(text, 0) : 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= 32 || isOddSpace(code)) {
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
        if (end === -1) return undefined;
        at = end + 2;
        continue;
      }
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
        if (text.charCodeAt(end - 1) === 123) {
          opened.push('template');
          next = 'operand';
        } else next = 'operator';
        at = end;
        break;
      }
      case 40: // (
        opened.push(controls.has(last) ? 'control' : 'plain');
        next = 'operand';
        at += 1;
        break;
      case 91: // [
        opened.push('plain');
        next = 'operand';
        at += 1;
        break;
      case 41: {
        // )
        const kind = opened.pop();
        if (kind !== 'plain' && kind !== 'control') return undefined;
        next = kind === 'control' ? 'operand' : 'operator';
        mayOpenBody = kind === 'plain';
        at += 1;
        break;
      }
      case 93: // ]
        if (opened.pop() !== 'plain') return undefined;
        next = 'operator';
        at += 1;
        break;
      case 123: {
        // {
        const isBody = opensBody && heritage !== opened.length;
        if (heritage === opened.length) heritage = -1;
        opened.push(isBody ? 'body' : 'block');
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
        const kind = opened.pop();
        if (kind === 'template') {
          const end = templateEnd(text, at + 1);
          if (end === -1) return undefined;
          if (text.charCodeAt(end - 1) === 123) opened.push('template');
          next = text.charCodeAt(end - 1) === 123 ? 'operand' : 'operator';
          at = end;
          break;
        }
        if (kind === 'body') found[(owners.pop() ?? 0) + 1] = at;
        else if (kind !== 'block') return undefined;
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
        // Where an operand must stand this is markup, and `<!--` opens a comment in some texts: both have rules of their own.
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
          // A name may begin with `#`; all other marks are operators.
          next = code === 35 ? next : 'operand';
          afterDot = code === 35;
          at += 1;
          break;
        }
        const said: string = end - at <= 10 && !isProperty ? text.slice(at, end) : '';
        next = beforeOperand.has(said) ? 'operand' : beforeEither.has(said) ? 'either' : 'operator';
        if (said === 'extends') heritage = opened.length;
        // `for await (…)` is a loop like any other.
        last = said === 'await' && last === 'for' ? last : said;
        at = end;
        continue;
      }
    }
    last = '';
  }
  return opened.length === 0 ? Int32Array.from(found) : undefined;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isOddSpace = (code: number): boolean =>
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
const endsLine = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

/** `-->` at the left of a line is a comment in some texts. */
function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (text.charCodeAt(before) === 32 || text.charCodeAt(before) === 9)) before -= 1;
  return before < 0 || endsLine(text.charCodeAt(before)) || text.charCodeAt(before) === 47;
}

function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !endsLine(text.charCodeAt(at))) at += 1;
  return at;
}

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
      (code > 127 && !isOddSpace(code));
    if (!isWord) break;
  }
  return at;
}

function stringEnd(text: string, from: number, quote: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === 92) at += text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 2 : 1;
    else if (code === 10 || code === 13) return -1;
  }
  return -1;
}

/** Behind the closing mark of a template, or behind `${`. */
function templateEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 96) return at + 1;
    if (code === 92) at += 1;
    else if (code === 36 && text.charCodeAt(at + 1) === 123) return at + 2;
  }
  return -1;
}

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
