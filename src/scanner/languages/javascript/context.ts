import type { Expr, Opaque, Pattern, Spot, Stmt, Unread } from '../../ir/nodes.js';
import type { Node } from '@babel/types';

/** What the converters of one file share: how deep they are, and whether anything had to be left out. */
export interface Context {
  depth: number;
  partial: boolean;
  /** The body that was left blank at an offset, to be read when it is asked for. */
  readonly later?: ((open: number, head: Head, depth: number) => Later | undefined) | undefined;
}

/** What must be known of a function to read its body alone. */
export interface Head {
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
}

/** A body that is read when it is first asked for. */
export interface Later {
  readonly body: () => readonly Stmt[];
  /** How to look into it, as long as it is not kept. */
  readonly unread: () => Unread | undefined;
}

/** Deeper code than this is left out and the file is marked partial; it keeps hostile nesting off our stack. */
export const maxDepth = 900;

/** The offsets of a Babel node. */
export const spotOf = (node: Node): Spot => ({ start: node.start ?? 0, end: node.end ?? 0 });

/** A node without a kind of its own. */
export const opaque = (node: Node, parts: readonly Expr[] = []): Opaque => ({
  kind: 'opaque',
  what: node.type,
  parts,
  start: node.start ?? 0,
  end: node.end ?? 0,
});

/** Runs a converter one level deeper, or leaves the node out when it is nested too deep to be honest code. */
export function deeper<T extends Expr | Pattern>(node: Node, context: Context, convert: () => T): T | Opaque {
  if (context.depth >= maxDepth) {
    context.partial = true;
    return opaque(node);
  }
  context.depth += 1;
  const made = convert();
  context.depth -= 1;
  return made;
}

/** The same for statements, which simply go missing. */
export function deeperStmts(context: Context, convert: () => Stmt[]): Stmt[] {
  if (context.depth >= maxDepth) {
    context.partial = true;
    return [];
  }
  context.depth += 1;
  const made = convert();
  context.depth -= 1;
  return made;
}
