import type { Expr, Opaque } from '../../ir/nodes.js';
import type { Syntax } from './tree.js';

/** What the converters of one file share. */
export interface Context {
  readonly text: string;
  /** Set by a `yield`, so that the function around it knows that it is a generator. */
  sawYield: boolean;
}

/** The source text of a node. */
export const textOf = (node: Syntax, context: Context): string => context.text.slice(node.start, node.end);

/** The first child in a field. */
export const child = (node: Syntax, field: string): Syntax | undefined =>
  node.children.find((each) => each.field === field);

/** All named children. */
export const named = (node: Syntax): Syntax[] => node.children.filter((each) => each.named);

/** A node without a kind of its own. */
export const opaque = (node: Syntax, parts: readonly Expr[] = []): Opaque => ({
  kind: 'opaque',
  what: node.type,
  parts,
  start: node.start,
  end: node.end,
});
