import type { Expr, Stmt } from '../../ir/nodes.js';

/** One `if` or `elif`. */
export interface Branch {
  readonly test: Expr;
  readonly body: Stmt[];
  readonly start: number;
  readonly end: number;
}

/** A longer chain would become a tree that overflows the stack. */
const maxNested = 250;

/**
 * Converts a chain of `if` and `elif` into nested `if` statements in the else branch. A very long, generated chain is split
 * into consecutive chains, which over-approximate its behaviour.
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
