import type { Expr } from '../../../ir/nodes.js';
import { unescape } from '../strings.js';
import { readExprList, readYield } from './atoms.js';
import { endOf, expect, next, startOf, takes, textOf, type Cursor } from './cursor.js';
import { kind } from './kinds.js';

/** Reads a string or several side by side: a literal, or a template where there are expressions in it. */
export function readStrings(cursor: Cursor): Expr {
  const start = startOf(cursor);
  const parts: (string | Expr)[] = [];
  for (;;) {
    if (next(cursor) === kind.string) {
      addText(textOf(cursor), parts);
      cursor.at += 1;
    } else if (next(cursor) === kind.openText) readParts(cursor, parts);
    else break;
  }
  const end = endOf(cursor);
  if (parts.every((part) => typeof part === 'string')) return { kind: 'literal', value: parts.join(''), start, end };
  return { kind: 'template', parts, start, end };
}

const isRaw = (prefix: string): boolean => prefix.includes('r') || prefix.includes('R');

/** Adds the text of a string token; one without any adds nothing. */
function addText(token: string, parts: (string | Expr)[]): void {
  let open = 0;
  while (token.charCodeAt(open) !== 34 && token.charCodeAt(open) !== 39) open += 1;
  const quote = token.charCodeAt(open);
  const isLong =
    token.length - open >= 6 && token.charCodeAt(open + 1) === quote && token.charCodeAt(open + 2) === quote;
  const width = isLong ? 3 : 1;
  const inner = token.slice(open + width, token.length - width);
  if (inner === '') return;
  const text = inner.includes('\r') ? inner.replaceAll('\r\n', '\n') : inner;
  parts.push(open > 0 && isRaw(token.slice(0, open)) ? text : unescape(text));
}

/** The texts and expressions of an f-string. */
function readParts(cursor: Cursor, parts: (string | Expr)[]): void {
  const isPlain = isRaw(textOf(cursor));
  cursor.at += 1;
  for (;;) {
    if (next(cursor) === kind.text) {
      const text = textOf(cursor).replaceAll('\r\n', '\n').replaceAll('{{', '{').replaceAll('}}', '}');
      parts.push(isPlain ? text : unescape(text));
      cursor.at += 1;
    } else if (takes(cursor, kind.openPart)) {
      parts.push(next(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor));
      expect(cursor, kind.closePart);
    } else break;
  }
  expect(cursor, kind.closeText);
}
