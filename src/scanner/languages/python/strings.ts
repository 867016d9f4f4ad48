import type { Expr, Literal, Template } from '../../ir/nodes.js';
import { childByField, namedChildren, opaque, nodeText, type Context } from './context.js';
import { toExpr } from './expressions.js';
import type { Syntax } from './tree.js';

/** Escapes of one character; a backslash at the end of a line joins the lines. */
const simpleEscapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);
/** All escape forms of Python. */
const escapes = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(\r\n|[\s\S]))/g;

/** Resolves escape sequences of a Python string body; invalid ones stay unchanged, as in Python. */
export function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(escapes, (whole, hex, four, eight, octal, char) => {
    const code = hex ?? four ?? eight;
    if (code !== undefined) return fromCode(Number.parseInt(code, 16), whole);
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8), whole);
    if (char === '\r\n') return '';
    return simpleEscapes.get(char) ?? whole;
  });
}

/** A code point as text; beyond Unicode the escape stays as written. */
const fromCode = (code: number, otherwise: string): string =>
  code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;

/** Converts a string, or adjacent strings, into a literal, or into a template if there are f-string expressions. */
export function toString(node: Syntax, context: Context): Literal | Template {
  const strings = node.type === 'concatenated_string' ? namedChildren(node) : [node];
  const parts = strings.flatMap((string) => stringParts(string, context));
  if (parts.every((part) => typeof part === 'string'))
    return { kind: 'literal', value: parts.join(''), start: node.start, end: node.end };
  return { kind: 'template', parts, start: node.start, end: node.end };
}

/** Parts of one string: literal text, and expressions of an f-string. */
function stringParts(node: Syntax, context: Context): (string | Expr)[] {
  const opening = node.children.find((each) => each.type === 'string_start');
  const prefix = opening ? nodeText(opening, context).toLowerCase() : '';
  // Raw strings keep their backslashes.
  const cook = prefix.includes('r') ? (text: string) => text : unescape;
  const isTemplate = prefix.includes('f') || prefix.includes('t');
  const parts: (string | Expr)[] = [];
  for (const piece of node.children) {
    if (piece.type === 'string_content') {
      const raw = nodeText(piece, context).replaceAll('\r\n', '\n');
      // Doubled braces are literal braces in an f-string.
      parts.push(cook(isTemplate ? raw.replaceAll('{{', '{').replaceAll('}}', '}') : raw));
    } else if (piece.type === 'interpolation') {
      const value = childByField(piece, 'expression');
      parts.push(value ? toExpr(value, context) : opaque(piece));
    }
  }
  return parts;
}

/** Cleans a docstring like `inspect.cleandoc`: removes common indentation and surrounding blank lines. */
export function cleanDoc(text: string): string {
  const lines = text.replaceAll('\t', '        ').split('\n');
  const indents = lines
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  // Bounded: spreading a huge list into `Math.min` would overflow the stack.
  const margin = indents.length > 0 ? Math.min(...indents.slice(0, 10_000)) : 0;
  const cleaned = lines.map((line, index) => (index === 0 ? line.trimStart() : line.slice(margin)).trimEnd());
  while (cleaned.length > 0 && cleaned.at(-1) === '') cleaned.pop();
  while (cleaned.length > 0 && cleaned[0] === '') cleaned.shift();
  return cleaned.join('\n');
}
