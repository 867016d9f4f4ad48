import type { Expr, Opaque, Pattern, Spot, Stmt, DeferredBody } from '../../ir/nodes.js';
import type { Node } from '@babel/types';

/** State shared by the converters of one file. */
export interface Context {
  depth: number;
  partial: boolean;
  /** The deferred body that starts at an offset, if it was blanked out. */
  readonly lazyBody?: ((open: number, head: FunctionHead, depth: number) => LazyBody | undefined) | undefined;
}

/** The properties of a function needed to parse its body separately. */
export interface FunctionHead {
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
}

/** A body that is parsed on first access. */
export interface LazyBody {
  readonly body: () => readonly Stmt[];
  /** Access without keeping the nodes; undefined once the body is parsed. */
  readonly unread: () => DeferredBody | undefined;
}

/** Deeper code is omitted and the file is marked partial; prevents a stack overflow by hostile nesting. */
export const maxNodeDepth = 900;

/** The offsets of a Babel node. */
export const spotOf = (node: Node): Spot => ({ start: node.start ?? 0, end: node.end ?? 0 });

/** A node of a type without its own IR kind. */
export const opaque = (node: Node, parts: readonly Expr[] = []): Opaque => ({
  kind: 'opaque',
  what: node.type,
  parts,
  start: node.start ?? 0,
  end: node.end ?? 0,
});

/** Runs a converter one level deeper; omits the node beyond the depth limit. */
export function withDepth<T extends Expr | Pattern>(node: Node, context: Context, convert: () => T): T | Opaque {
  if (context.depth >= maxNodeDepth) {
    context.partial = true;
    return opaque(node);
  }
  context.depth += 1;
  const made = convert();
  context.depth -= 1;
  return made;
}

/** Runs a statement converter one level deeper; returns no statements beyond the depth limit. */
export function withStmtDepth(context: Context, convert: () => Stmt[]): Stmt[] {
  if (context.depth >= maxNodeDepth) {
    context.partial = true;
    return [];
  }
  context.depth += 1;
  const made = convert();
  context.depth -= 1;
  return made;
}
