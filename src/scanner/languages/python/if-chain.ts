import type { Expr, Stmt } from '../../ir/nodes.js';

/** One `if` or `elif`. */
export interface Branch {
  readonly test: Expr;
  readonly body: Stmt[];
  readonly start: number;
  readonly end: number;
}

/** A chain that is longer than this would be a tree deeper than a stack. */
const maxNested = 250;

/**
 * The statement that a chain of `if` and `elif` is: each `elif` an `if` inside the other way. A chain that nobody writes
 * by hand is cut into chains behind one another, in which more may happen than in the one, never less.
 */
export function ifChain(first: Branch, others: readonly Branch[], otherwise: Stmt[], end: number): Stmt {
  const chains: Stmt[] = [];
  for (let at = 0; at < others.length; at += maxNested) {
    const isLast = at + maxNested >= others.length;
    chains.push(...nestedChain(others.slice(at, at + maxNested), isLast ? otherwise : []));
  }
  const no = others.length === 0 ? otherwise : chains;
  return { kind: 'if', test: first.test, yes: first.body, no, start: first.start, end };
}

function nestedChain(branches: readonly Branch[], otherwise: Stmt[]): Stmt[] {
  let no = otherwise;
  for (const { test, body, start, end } of branches.toReversed())
    no = [{ kind: 'if', test, yes: body, no, start, end }];
  return no;
}
