import type { ImportBinding, Stmt } from '../../../ir/nodes.js';
import { previousEnd, expect, fail, nextKind, tokenStart, takeName, accept, type Cursor } from './cursor.js';
import { kind } from './kinds.js';

/** Parses `a.b.c`, without whitespace. */
function takeDotted(cursor: Cursor): string {
  let name = takeName(cursor);
  while (accept(cursor, kind.dot)) name += `.${takeName(cursor)}`;
  return name;
}

/** Parses `import a.b as c, d` into one statement per module. */
export function readImport(cursor: Cursor, body: Stmt[]): void {
  const start = tokenStart(cursor);
  expect(cursor, kind.import);
  const found: { readonly source: string; readonly local: string }[] = [];
  do {
    const source = takeDotted(cursor);
    found.push({ source, local: accept(cursor, kind.as) ? takeName(cursor) : source });
  } while (accept(cursor, kind.comma));
  const end = previousEnd(cursor);
  for (const { source, local } of found) {
    body.push({ kind: 'import', source, bindings: [{ imported: '*', local }], typeOnly: false, start, end });
  }
}

/** Parses `from a import b as c`; ignores `__future__`, which affects no analysis. */
export function readImportFrom(cursor: Cursor, body: Stmt[]): void {
  const start = tokenStart(cursor);
  expect(cursor, kind.from);
  let source = '';
  for (;;) {
    // Dots count the levels of a relative import; three of them are one token.
    if (accept(cursor, kind.dot)) source += '.';
    else if (accept(cursor, kind.ellipsis)) source += '...';
    else break;
  }
  if (nextKind(cursor) === kind.name) source += takeDotted(cursor);
  if (source === '') fail(cursor);
  expect(cursor, kind.import);
  const bindings = accept(cursor, kind.star) ? [{ imported: '*all', local: '' }] : readBindings(cursor);
  if (source === '__future__') return;
  body.push({ kind: 'import', source, bindings, typeOnly: false, start, end: previousEnd(cursor) });
}

/** Parses the imported names, which may be in parentheses. */
function readBindings(cursor: Cursor): ImportBinding[] {
  const isBracketed = accept(cursor, kind.openParen);
  const bindings: ImportBinding[] = [];
  do {
    if (isBracketed && nextKind(cursor) === kind.closeParen) break;
    const imported = takeName(cursor);
    bindings.push({ imported, local: accept(cursor, kind.as) ? takeName(cursor) : imported });
  } while (accept(cursor, kind.comma));
  if (isBracketed) expect(cursor, kind.closeParen);
  if (bindings.length === 0) fail(cursor);
  return bindings;
}
