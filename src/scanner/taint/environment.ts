import type { Expr, Module, Pattern } from '../ir/nodes.js';
import type { Scope } from '../evaluate/scope.js';
import { all, joinFacts, vouchFor, type Fact, type Vouch } from './facts.js';

/** The names of one function on one path; branches work on copies. */
export interface Env {
  vars: Map<string, Fact>;
  readonly parent: Env | undefined;
  /** What the conditions around this place say, for a flag that is raised here. */
  readonly holds?: readonly Vouch[] | undefined;
  /** The names around the function, as the abstract run left them. */
  readonly scope: Scope;
  readonly module: Module;
  /** Counts every change to any names of one analysis: where it stands still, the same expression means the same. */
  readonly clock: { ticks: number };
}

/** The spelling by which a name or a part of it is remembered: `x`, `args.path`, `self.root`. */
export function keyOf(expr: Expr | Pattern): string | undefined {
  switch (expr.kind) {
    case 'name':
      return expr.name;
    case 'await':
      return keyOf(expr.value);
    case 'member': {
      const object = keyOf(expr.object);
      return object === undefined ? undefined : `${object}.${expr.property}`;
    }
    case 'index': {
      const object = keyOf(expr.object);
      const { index } = expr;
      return object === undefined || index.kind !== 'literal' || typeof index.value === 'boolean'
        ? undefined
        : `${object}.${String(index.value)}`;
    }
    default:
      return undefined;
  }
}

/** What is known under a key here or in a function around. */
export function read(env: Env, key: string): Fact | undefined {
  for (let at: Env | undefined = env; at; at = at.parent) {
    const found = at.vars.get(key);
    if (found) return found;
  }
  return undefined;
}

/** Sets a key where it was bound, or here; what was known of its parts is forgotten. */
export function write(env: Env, key: string, fact: Fact): void {
  let at = env;
  for (let outer: Env | undefined = env; outer; outer = outer.parent) {
    if (outer.vars.has(key)) {
      at = outer;
      break;
    }
  }
  const prefix = `${key}.`;
  for (const known of at.vars.keys()) if (known.startsWith(prefix)) at.vars.delete(known);
  at.vars.set(key, fact);
  env.clock.ticks += 1;
}

/** A copy of the names for one branch, in which something more may hold; the functions around are shared. */
export const branch = (env: Env, holds: readonly Vouch[] = []): Env => ({
  ...env,
  vars: new Map(env.vars),
  ...(holds.length > 0 ? { holds: [...(env.holds ?? []), ...holds] } : {}),
});

/** Takes over what two branches know. */
export function meet(env: Env, branches: readonly Env[], optimistic = false): void {
  const [first, ...rest] = branches;
  if (!first) return;
  const vars = new Map(first.vars);
  for (const other of rest) {
    for (const [key, fact] of other.vars) {
      const before = vars.get(key);
      vars.set(key, before ? joinFacts(before, fact, optimistic) : fact);
    }
    // A part that only one branch knows is not known after both, unless its owner is unknown there too.
    for (const key of vars.keys())
      if (key.includes('.') && !other.vars.has(key) && other.vars.has(key.slice(0, key.indexOf('.')))) vars.delete(key);
  }
  env.vars = vars;
  env.clock.ticks += 1;
}

/** Notes that names are safe from some dangers from here on. */
export function vouch(env: Env, vouches: readonly Vouch[], readKey: (env: Env, key: string) => Fact | undefined): void {
  for (const { key, safe } of vouches) {
    const fact = readKey(env, key);
    if (!fact || (fact.taints.length === 0 && !fact.fields)) continue;
    env.vars.set(key, vouched(fact, safe));
    env.clock.ticks += 1;
  }
}

/** A fact and its parts, safe from more. */
export function vouched(fact: Fact, safe: number): Fact {
  const fields = fact.fields && new Map([...fact.fields].map(([key, field]) => [key, vouched(field, safe)]));
  return { ...fact, taints: safe === all ? [] : vouchFor(fact.taints, safe, true), ...(fields ? { fields } : {}) };
}
