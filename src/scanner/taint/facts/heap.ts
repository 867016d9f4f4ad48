import { type Env } from './environment.js';
import { joinFacts, taintsIn, untaintedFact, type Fact } from './facts.js';
import { isShared, sitesOf, type Site } from './sites.js';

/**
 * Facts of one tool that belong to no variable. A field that was written on its own (`o.h = x`) lives under its access path, so
 * that a check of `o.h` proves that very path; `updateAliases` carries the write to every other name of the object. A value
 * that is used as a whole, passed to a function or copied, gets the separate fields here (`withParts`).
 */
export interface Heap {
  /** Variables with at least one field that was assigned separately; most reads need not search for fields. */
  readonly owners: Set<string>;
  /** Module variables that functions reassign, by module and name. */
  readonly moduleState: Map<string, Fact>;
  /** Fields written into objects of the first pass, which all functions share. */
  readonly sharedFields: Map<Site, ReadonlyMap<string, Fact>>;
  /** Changes with every write to shared state: part of the key of summaries, which depend on it. */
  version: number;
}

export const newHeap = (): Heap => ({ owners: new Set(), moduleState: new Map(), sharedFields: new Map(), version: 0 });

/** Global rather than per heap: versions of two tools must differ, because they share summaries. */
let versions = 0;

/** Variable at the start of an access path. */
const rootOf = (key: string): string => key.slice(0, indexOfDot(key));

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
  // Inner scopes first: `collectParts` keeps the first fact, so a shadowing variable wins.
  for (let at: Env | undefined = env; at; at = at.parent) collectParts(at.vars, `${key}.`, parts);
  return parts.size === 0 ? fact : { ...fact, fields: new Map([...(fact.fields ?? []), ...toFields(parts)]) };
}

const stateKey = (env: Env, name: string): string => `${env.module.path}\u0000${name}`;

/** Reassigns a module variable; a weak update, since calls may come in any order. */
export function writeModuleState(heap: Heap, env: Env, name: string, fact: Fact): void {
  // Untainted writes are ignored: they would invalidate summaries without adding a flow.
  if (taintsIn(fact).length === 0) return;
  const at = stateKey(env, name);
  const before = heap.moduleState.get(at);
  heap.moduleState.set(at, before ? joinFacts(before, fact) : fact);
  heap.version = versions += 1;
}

/** What functions assigned to a variable of the module, if anything. */
export const readModuleState = (heap: Heap, env: Env, name: string): Fact | undefined =>
  heap.moduleState.size === 0 ? undefined : heap.moduleState.get(stateKey(env, name));

/** Writes a field of an object that all functions share; a weak update. */
export function writeShared(heap: Heap, owner: Fact, field: string, fact: Fact): void {
  if (!isShared(owner) || taintsIn(fact).length === 0) return;
  for (const site of sitesOf(owner)) {
    const fields = heap.sharedFields.get(site);
    const before = fields?.get(field);
    if (before === fact) continue;
    heap.sharedFields.set(site, new Map([...(fields ?? []), [field, before ? joinFacts(before, fact) : fact]]));
    heap.version = versions += 1;
  }
}

/** A value of the first pass, with the fields that calls wrote into it since. */
export function withShared(heap: Heap, fact: Fact): Fact {
  if (heap.sharedFields.size === 0 || !isShared(fact)) return fact;
  const [site] = sitesOf(fact);
  // The first site suffices: an object of the first pass has exactly one.
  const fields = site && heap.sharedFields.get(site);
  return fields ? { ...fact, fields: new Map([...(fact.fields ?? []), ...fields]) } : fact;
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
  // Shorter paths first, so that an owner exists before its fields are added to it.
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
