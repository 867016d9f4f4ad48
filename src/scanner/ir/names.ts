import type { Expr, Pattern } from './nodes.js';

/** The variable names that a pattern binds, in order. */
export function boundNames(pattern: Pattern): string[] {
  const names: string[] = [];
  const open: (Pattern | undefined)[] = [pattern];
  for (let at = open.shift(); at !== undefined || open.length > 0; at = open.shift()) {
    if (at === undefined) continue;
    if (at.kind === 'name') names.push(at.name);
    else if (at.kind === 'default-pattern') open.unshift(at.target);
    else if (at.kind === 'list-pattern') open.unshift(...at.items, at.rest);
    else if (at.kind === 'dict-pattern') open.unshift(...at.entries.map((entry) => entry.target), at.rest);
  }
  return names;
}

/** `a.b.c` as text, or undefined if the expression contains anything but names and members; a call counts as its callee. */
export function dottedName(expr: Expr): string | undefined {
  const parts: string[] = [];
  let at = expr;
  for (;;) {
    if (at.kind === 'call') at = at.callee;
    else if (at.kind === 'await') at = at.value;
    else if (at.kind === 'member') {
      parts.push(at.property);
      at = at.object;
    } else if (at.kind === 'name') {
      parts.push(at.name);
      return parts.toReversed().join('.');
    } else return undefined;
  }
}

/** The last segment of the dotted name of an expression, if it has one. */
export function lastName(expr: Expr): string | undefined {
  let at = expr;
  while (at.kind === 'call' || at.kind === 'await') at = at.kind === 'call' ? at.callee : at.value;
  return at.kind === 'member' ? at.property : at.kind === 'name' ? at.name : undefined;
}
