import type { ImportBinding, Stmt } from '../../../ir/nodes.js';
import { endOf, expect, fail, next, startOf, takeName, takes, type Cursor } from './cursor.js';
import { kind } from './kinds.js';

/** Reads `a.b.c` as it is written, without blanks. */
function takeDotted(cursor: Cursor): string {
  let name = takeName(cursor);
  while (takes(cursor, kind.dot)) name += `.${takeName(cursor)}`;
  return name;
}

/** Reads `import a.b as c, d`, a statement for each. */
export function readImport(cursor: Cursor, body: Stmt[]): void {
  const start = startOf(cursor);
  expect(cursor, kind.import);
  const found: { readonly source: string; readonly local: string }[] = [];
  do {
    const source = takeDotted(cursor);
    found.push({ source, local: takes(cursor, kind.as) ? takeName(cursor) : source });
  } while (takes(cursor, kind.comma));
  const end = endOf(cursor);
  for (const { source, local } of found) {
    body.push({ kind: 'import', source, bindings: [{ imported: '*', local }], typeOnly: false, start, end });
  }
}

/** Reads `from a import b as c`; what comes from `__future__` changes nothing that is looked at. */
export function readImportFrom(cursor: Cursor, body: Stmt[]): void {
  const start = startOf(cursor);
  expect(cursor, kind.from);
  let source = '';
  for (;;) {
    if (takes(cursor, kind.dot)) source += '.';
    else if (takes(cursor, kind.ellipsis)) source += '...';
    else break;
  }
  if (next(cursor) === kind.name) source += takeDotted(cursor);
  if (source === '') fail(cursor);
  expect(cursor, kind.import);
  const bindings = takes(cursor, kind.star) ? [{ imported: '*all', local: '' }] : readBindings(cursor);
  if (source === '__future__') return;
  body.push({ kind: 'import', source, bindings, typeOnly: false, start, end: endOf(cursor) });
}

function readBindings(cursor: Cursor): ImportBinding[] {
  const isBracketed = takes(cursor, kind.openParen);
  const bindings: ImportBinding[] = [];
  do {
    if (isBracketed && next(cursor) === kind.closeParen) break;
    const imported = takeName(cursor);
    bindings.push({ imported, local: takes(cursor, kind.as) ? takeName(cursor) : imported });
  } while (takes(cursor, kind.comma));
  if (isBracketed) expect(cursor, kind.closeParen);
  if (bindings.length === 0) fail(cursor);
  return bindings;
}
