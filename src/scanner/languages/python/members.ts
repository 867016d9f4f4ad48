import type { ClassMember, Stmt } from '../../ir/nodes.js';
import { cleanDoc } from './strings.js';

/** The docstring of a body, cleaned like `inspect.cleandoc`. */
export function docstringOf(body: readonly Stmt[]): string | undefined {
  const [first] = body;
  if (first?.kind !== 'expr' || first.value.kind !== 'literal' || typeof first.value.value !== 'string')
    return undefined;
  return cleanDoc(first.value.value);
}

/** Splits a class body: functions become methods, assignments static fields, the rest stays in the body. */
export function membersOf(stmts: readonly Stmt[]): { readonly members: ClassMember[]; readonly body: Stmt[] } {
  const members: ClassMember[] = [];
  const body: Stmt[] = [];
  for (const stmt of stmts) {
    const member = memberOf(stmt);
    if (member) members.push(member);
    else body.push(stmt);
  }
  return { members, body };
}

/** A statement of a class body as a member; undefined for other statements. */
function memberOf(stmt: Stmt): ClassMember | undefined {
  const spot = { start: stmt.start, end: stmt.end };
  if (stmt.kind === 'function') {
    const names = new Set(
      stmt.fn.decorators.map((each) =>
        each.kind === 'name' ? each.name : each.kind === 'member' ? each.property : '',
      ),
    );
    const kind =
      names.has('property') || names.has('cached_property') ? 'getter' : names.has('setter') ? 'setter' : 'method';
    return {
      kind,
      name: stmt.fn.name ?? '',
      isStatic: names.has('staticmethod'),
      fn: stmt.fn,
      start: spot.start,
      end: spot.end,
    };
  }
  // Augmented assignments and unpacking are no declarations.
  if (stmt.kind !== 'assign' || stmt.op !== undefined || stmt.target.kind !== 'name') return undefined;
  return {
    kind: 'field',
    name: stmt.target.name,
    isStatic: true,
    ...(stmt.value ? { value: stmt.value } : {}),
    ...(stmt.annotation ? { annotation: stmt.annotation } : {}),
    start: spot.start,
    end: spot.end,
  };
}
