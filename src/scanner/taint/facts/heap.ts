import { readVariable, type Env } from './environment.js';
import { joinFacts, taintsIn, untaintedFact, type Fact } from './facts.js';

/**
 * Fields that were written one by one (`o.h = x`) live under their access path, so that a check of `o.h` proves that very
 * path. A value that is used as a whole, passed to a function or copied, gets them as fields here.
 */
export interface Heap {
  /** Variables with at least one field that was assigned separately; most reads need not search for fields. */
  readonly owners: Set<string>;
  /** Variables and fields of modules that functions write, by module and access path. */
  readonly moduleState: Map<string, Fact>;
}

export const newHeap = (): Heap => ({ owners: new Set(), moduleState: new Map() });

/** Variable at the start of an access path. */
export const rootOf = (key: string): string => key.slice(0, indexOfDot(key));

const indexOfDot = (key: string): number => {
  const at = key.indexOf('.');
  return at === -1 ? key.length : at;
};

/** Notes that a field of a variable was assigned. */
export function recordOwner({ owners }: Heap, key: string): void {
  if (key.includes('.')) owners.add(rootOf(key));
}

/** The fact of a variable together with the fields that were assigned separately. */
export function withParts(heap: Heap, env: Env, key: string, fact: Fact): Fact {
  if (!heap.owners.has(rootOf(key))) return fact;
  const parts = new Map<string, Fact>();
  for (let at: Env | undefined = env; at; at = at.parent) collectParts(at.vars, `${key}.`, parts);
  return parts.size === 0 ? fact : { ...fact, fields: new Map([...(fact.fields ?? []), ...toFields(parts)]) };
}

const stateKey = (env: Env, key: string): string => `${env.module.path}\u0000${key}`;

/** Writes module state; a weak update, since calls may come in any order. */
export function writeModuleState(heap: Heap, env: Env, key: string, fact: Fact): void {
  if (taintsIn(fact).length === 0) return;
  const at = stateKey(env, key);
  const before = heap.moduleState.get(at);
  heap.moduleState.set(at, before ? joinFacts(before, fact) : fact);
}

/** What functions wrote into a variable of the module and its fields, if anything. */
export function readModuleState(heap: Heap, env: Env, name: string): Fact | undefined {
  if (heap.moduleState.size === 0) return undefined;
  const own = heap.moduleState.get(stateKey(env, name));
  const parts = new Map<string, Fact>();
  collectParts(heap.moduleState, stateKey(env, `${name}.`), parts);
  if (parts.size === 0) return own;
  const fact = own ?? untaintedFact;
  return { ...fact, fields: new Map([...(fact.fields ?? []), ...toFields(parts)]) };
}

function collectParts(from: ReadonlyMap<string, Fact>, prefix: string, parts: Map<string, Fact>): void {
  for (const [key, fact] of from) {
    const rest = key.startsWith(prefix) ? key.slice(prefix.length) : '';
    if (rest !== '' && !parts.has(rest)) parts.set(rest, fact);
  }
}

/** Nests access paths: `a.h` becomes the field `h` of the field `a`. */
function toFields(parts: ReadonlyMap<string, Fact>): Map<string, Fact> {
  const fields = new Map<string, Fact>();
  for (const [path, fact] of [...parts].sort(([one], [other]) => one.length - other.length)) {
    const cut = indexOfDot(path);
    const name = path.slice(0, cut);
    if (cut === path.length) {
      fields.set(name, fact);
      continue;
    }
    const owner = fields.get(name) ?? untaintedFact;
    const inner = toFields(new Map([[path.slice(cut + 1), fact]]));
    fields.set(name, { ...owner, fields: new Map([...(owner.fields ?? []), ...inner]) });
  }
  return fields;
}

/** Whether a name is bound by the module and not by a function on this path. */
export function isModuleVariable(env: Env, name: string): boolean {
  if (readVariable(env, name) !== undefined) return false;
  let scope: Env['scope'] | undefined = env.scope;
  while (scope && !scope.vars.has(name)) scope = scope.parent;
  return scope !== undefined && scope.isFunction && scope.level === 0;
}
