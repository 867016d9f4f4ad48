import { join, type Value } from './values.js';

/** Names and what they stand for, one map per block, function or module. */
export interface Scope {
  readonly vars: Map<string, Value>;
  readonly parent: Scope | undefined;
  /** How uncertain the run was when this was made. */
  readonly level: number;
  /** A function or module scope, which `var` and Python assignments bind in. */
  readonly isFunction: boolean;
  /** Names that Python `global` or `nonlocal` sends outward. */
  outward?: Set<string>;
}

/** A scope inside another. */
export const scopeIn = (parent: Scope | undefined, level: number, isFunction: boolean): Scope => ({
  vars: new Map(),
  parent,
  level,
  isFunction,
});

/** The scope that holds a name. */
export function holderOf(scope: Scope, name: string): Scope | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) if (at.vars.has(name)) return at;
  return undefined;
}

/** What a name stands for, or undefined where nobody bound it. */
export function lookup(scope: Scope, name: string): Value | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.vars.get(name);
    if (found) return found;
  }
  return undefined;
}

/** Binds a name here; in a place less certain than the scope, the old value stays possible. */
export function bind(scope: Scope, name: string, value: Value, level: number): void {
  scope.vars.set(name, level > scope.level && scope.vars.has(name) ? join(scope.vars.get(name), value) : value);
}

/** The scope that a function-wide binding belongs to. */
export function functionScope(scope: Scope): Scope {
  let at = scope;
  while (!at.isFunction && at.parent) at = at.parent;
  return at;
}
