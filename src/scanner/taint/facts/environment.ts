import type { Expr, Module, Pattern } from '../../ir/nodes.js';
import type { Scope } from '../../evaluate/values/scope.js';
import type { ClassValue } from '../../evaluate/values/values.js';
import { sitesOf } from './sites.js';
import { updateAliases } from './updates.js';
import { allSafe, joinFacts, markSafe, taintsIn, type Fact, type Proof } from './facts.js';

/** Variables of one function on one path; branches work on forks. */
export interface Env {
  vars: Map<string, Fact>;
  readonly parent: Env | undefined;
  /** Proofs of the enclosing conditions, attached to a flag that is set to true here. */
  readonly pathCondition?: readonly Proof[] | undefined;
  /** Enclosing scope, as the first pass (evaluate/) left it. */
  readonly scope: Scope;
  readonly module: Module;
  /** Version counter of all variables: while it is unchanged, a memoised call result stays valid. */
  readonly clock: { ticks: number };
  /** Activation of the function; forks of one activation share it, so that a closure finds the variables of the current path. */
  readonly activation: object;
  /** Class of the method and name of its receiver, for `super`. */
  readonly method?: { readonly home: ClassValue; readonly selfName: string } | undefined;
}

/** Access path of an expression, used as the variable key: `x`, `args.path`, `self.root`. */
export function keyOf(expr: Expr | Pattern): string | undefined {
  switch (expr.kind) {
    case 'name':
      return expr.name;
    // `await x` denotes the same value as `x`, so that a check before the await proves it after it.
    case 'await':
      return keyOf(expr.value);
    case 'member': {
      const object = keyOf(expr.object);
      return object === undefined ? undefined : `${object}.${expr.property}`;
    }
    case 'index': {
      const object = keyOf(expr.object);
      const { index } = expr;
      // A computed index has no stable access path: two evaluations may name different fields.
      return object === undefined || index.kind !== 'literal' || typeof index.value === 'boolean'
        ? undefined
        : `${object}.${String(index.value)}`;
    }
    default:
      return undefined;
  }
}

/** Looks up an access path here or in the enclosing functions. */
export function readVariable(env: Env, key: string): Fact | undefined {
  for (let at: Env | undefined = env; at; at = at.parent) {
    const found = at.vars.get(key);
    if (found) return found;
  }
  return undefined;
}

/** Assigns an access path in the scope that binds it; facts of its fields are invalidated. */
export function writeVariable(env: Env, key: string, fact: Fact): void {
  // The scope that binds the name, not the current one: closures write into their enclosing function.
  let at = env;
  for (let outer: Env | undefined = env; outer; outer = outer.parent) {
    if (outer.vars.has(key)) {
      at = outer;
      break;
    }
  }
  // A strong update: fields known of the old object prove nothing about the new one.
  const prefix = `${key}.`;
  for (const known of at.vars.keys()) if (known.startsWith(prefix)) at.vars.delete(known);
  at.vars.set(key, fact);
  env.clock.ticks += 1;
}

/** Copy of the variables for one branch; enclosing functions stay shared. */
export const forkEnv = (env: Env, proofs: readonly Proof[] = []): Env => ({
  ...env,
  vars: new Map(env.vars),
  ...(proofs.length > 0 ? { pathCondition: [...(env.pathCondition ?? []), ...proofs] } : {}),
});

/** Replaces the variables with the join of several branches. */
export function joinEnvs(env: Env, branches: readonly Env[], optimistic = false): void {
  // No branch falls through: the caller ends the path, so the variables do not matter.
  const [first, ...rest] = branches;
  if (!first) return;
  const vars = new Map(first.vars);
  // A variable bound on one branch only keeps that fact: the other branch cannot have used it.
  for (const other of rest) {
    for (const [key, fact] of other.vars) {
      const before = vars.get(key);
      vars.set(key, before ? joinFacts(before, fact, optimistic) : fact);
    }
    // A field known on one branch only is dropped, unless its owner is unknown on the other.
    for (const key of vars.keys())
      if (key.includes('.') && !other.vars.has(key) && other.vars.has(key.slice(0, key.indexOf('.')))) vars.delete(key);
  }
  env.vars = vars;
  env.clock.ticks += 1;
}

/** Applies proofs: the variables are safe from these dangers from here on. */
export function applyProofs(
  env: Env,
  vouches: readonly Proof[],
  readKey: (env: Env, key: string) => Fact | undefined,
): void {
  for (const { key, safe } of vouches) {
    const fact = readKey(env, key);
    // Proofs about untainted values would only invalidate memoised calls.
    if (!fact || (fact.taints.length === 0 && !fact.fields)) continue;
    env.vars.set(key, withProof(fact, safe));
    proveAliases(env, key, safe);
    env.clock.ticks += 1;
  }
}

/** A check of `p.h` is a check of `o.h` if both are one object for certain. */
function proveAliases(env: Env, key: string, safe: number): void {
  const cut = key.lastIndexOf('.');
  const owner = cut === -1 ? undefined : readVariable(env, key.slice(0, cut));
  const sites = owner ? sitesOf(owner) : [];
  // With several possible objects the check looked at one of them: the others are not proved (no strong update).
  if (sites.length !== 1) return;
  const prove = (before: Fact | undefined, isCertain: boolean): Fact | undefined =>
    before && isCertain ? withProof(before, safe) : before;
  updateAliases({ stepsLeft: proofEffort }, env, sites, key.slice(cut + 1), prove, key.slice(0, cut));
}

/** Steps for following aliases of one proof; hostile code can build arbitrarily dense object graphs. */
const proofEffort = 2_000;
/** As deep as taints of fields are read, see `taintsIn`. */
const maxProofDepth = 4;

/** A fact with proof bits added to it and its fields. */
export function withProof(fact: Fact, safe: number, depth = 0): Fact {
  // Parts are shared between objects: without a bound, a small program unfolds into a tree that fills the memory.
  if (depth > maxProofDepth || (depth > 0 && taintsIn(fact).length === 0)) return fact;
  const fields =
    fact.fields && new Map([...fact.fields].map(([key, field]) => [key, withProof(field, safe, depth + 1)]));
  return { ...fact, taints: safe === allSafe ? [] : markSafe(fact.taints, safe, true), ...(fields ? { fields } : {}) };
}
