import type { Expr, Opaque } from '../../ir/nodes.js';
import type { Syntax } from './tree.js';

/** State shared by the converters of one file. */
export interface Context {
  readonly text: string;
  /** Set by a `yield`, which makes the enclosing function a generator. */
  sawYield: boolean;
}

/** The source text of a node. */
export const nodeText = (node: Syntax, context: Context): string => context.text.slice(node.start, node.end);

/** The first child in a field. */
export const childByField = (node: Syntax, field: string): Syntax | undefined =>
  node.children.find((each) => each.field === field);

/** All named children. */
export const namedChildren = (node: Syntax): Syntax[] => node.children.filter((each) => each.named);

/** A node of a type without its own IR kind. */
export const opaque = (node: Syntax, parts: readonly Expr[] = []): Opaque => ({
  kind: 'opaque',
  what: node.type,
  parts,
  start: node.start,
  end: node.end,
});
