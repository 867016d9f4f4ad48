import { join, type Value } from './values.js';

/** Lexical scope of a block, function or module. */
export interface Scope {
  readonly vars: Map<string, Value>;
  readonly parent: Scope | undefined;
  /** `Machine.level` at creation. */
  readonly level: number;
  /** Function or module scope: `var` and Python assignments bind here. */
  readonly isFunction: boolean;
  /** Names declared `global` or `nonlocal` in Python. */
  outward?: Set<string>;
}

/** Creates a child scope. */
export const scopeIn = (parent: Scope | undefined, level: number, isFunction: boolean): Scope => ({
  vars: new Map(),
  parent,
  level,
  isFunction,
});

/** Scope that binds a name. */
export function holderOf(scope: Scope, name: string): Scope | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) if (at.vars.has(name)) return at;
  return undefined;
}

/** Value of a name, or undefined if unbound. */
export function lookup(scope: Scope, name: string): Value | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.vars.get(name);
    if (found) return found;
  }
  return undefined;
}

/** Binds a name; at a higher uncertainty level than the scope's, joins with the old value. */
export function bind(scope: Scope, name: string, value: Value, level: number): void {
  // A strong update inside an uncertain branch would hide the value of the other branch.
  scope.vars.set(name, level > scope.level && scope.vars.has(name) ? join(scope.vars.get(name), value) : value);
}

/** Nearest enclosing function or module scope. */
export function functionScope(scope: Scope): Scope {
  let at = scope;
  while (!at.isFunction && at.parent) at = at.parent;
  return at;
}
