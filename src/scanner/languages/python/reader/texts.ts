import type { Expr } from '../../../ir/nodes.js';
import { unescape } from '../strings.js';
import { readExprList, readYield } from './atoms.js';
import { previousEnd, expect, nextKind, tokenStart, accept, tokenText, type Cursor } from './cursor.js';
import { kind } from './kinds.js';

/** Parses adjacent strings into a literal, or into a template if there are expressions. */
export function readStrings(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  const parts: (string | Expr)[] = [];
  for (;;) {
    if (nextKind(cursor) === kind.string) {
      addText(tokenText(cursor), parts);
      cursor.at += 1;
    } else if (nextKind(cursor) === kind.openText) readParts(cursor, parts);
    else break;
  }
  const end = previousEnd(cursor);
  if (parts.every((part) => typeof part === 'string')) return { kind: 'literal', value: parts.join(''), start, end };
  return { kind: 'template', parts, start, end };
}

const isRaw = (prefix: string): boolean => prefix.includes('r') || prefix.includes('R');

/** Adds the text of a string token, unless it is empty. */
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

/** Parses the literal texts and expressions of an f-string. */
function readParts(cursor: Cursor, parts: (string | Expr)[]): void {
  const isPlain = isRaw(tokenText(cursor));
  cursor.at += 1;
  for (;;) {
    if (nextKind(cursor) === kind.text) {
      const text = tokenText(cursor).replaceAll('\r\n', '\n').replaceAll('{{', '{').replaceAll('}}', '}');
      parts.push(isPlain ? text : unescape(text));
      cursor.at += 1;
    } else if (accept(cursor, kind.openPart)) {
      parts.push(nextKind(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor));
      expect(cursor, kind.closePart);
    } else break;
  }
  expect(cursor, kind.closeText);
}
