import { type Env } from './environment.js';
import { joinFacts, type Fact } from './facts.js';
import { sitesOf, type Site } from './sites.js';

/** New content of a field; `isCertain` is false if the object is only one of several possible ones. */
type Change = (before: Fact | undefined, isCertain: boolean) => Fact | undefined;

/** A write: replaces the field of the object, or joins it where the object is only one of several. */
export const assignField =
  (fact: Fact): Change =>
  (before, isCertain) =>
    isCertain || !before ? fact : joinFacts(before, fact);

/** Work left for an update; deeply shared structures of hostile code must not take unbounded time. */
interface Effort {
  stepsLeft: number;
}

/** As deep as joins compare fields, see `maxJoinDepth`. */
const maxDepth = 4;

/**
 * Applies a change of one field to every alias: all variables of this path, and all fields of other objects, that may
 * be one of these objects. `owner` is the access path already written.
 */
export function updateAliases(
  effort: Effort,
  env: Env,
  sites: readonly Site[],
  field: string,
  change: Change,
  owner?: string,
): void {
  // Without sites the object is untracked: no other name can be found for it.
  if (sites.length === 0) return;
  let isChanged = false;
  for (let at: Env | undefined = env; at; at = at.parent) {
    for (const [key, fact] of at.vars) {
      // Facts without identity or fields cannot be aliases; most variables are skipped here.
      if (!fact.sites && !fact.fields && !fact.value) continue;
      const isOwner = key === owner;
      const made = isOwner
        ? updateFields(effort, fact, sites, field, change, 0)
        : updateFact(effort, fact, sites, field, change, 0);
      if (made !== fact) {
        at.vars.set(key, made);
        isChanged = true;
      }
      // A field that was assigned separately lies under its access path and needs the same change.
      const path = `${key}.${field}`;
      const separate = isOwner || made === fact ? undefined : at.vars.get(path);
      const changed = separate && isAlias(fact, sites) ? change(separate, isCertain(fact, sites)) : undefined;
      if (changed) at.vars.set(path, changed);
    }
  }
  // Memoised calls may have read the old field.
  if (isChanged) env.clock.ticks += 1;
}

const isAlias = (fact: Fact, sites: readonly Site[]): boolean => sitesOf(fact).some((site) => sites.includes(site));

// Must-alias: exactly one possible object on each side. Everything else is a weak update.
const isCertain = (fact: Fact, sites: readonly Site[]): boolean => sites.length === 1 && sitesOf(fact).length === 1;

function updateFact(
  effort: Effort,
  fact: Fact,
  sites: readonly Site[],
  field: string,
  change: Change,
  depth: number,
): Fact {
  const inner = updateFields(effort, fact, sites, field, change, depth);
  if (!isAlias(fact, sites)) return inner;
  const before = inner.fields?.get(field);
  const made = change(before, isCertain(fact, sites));
  return made === undefined || made === before
    ? inner
    : { ...inner, fields: new Map([...(inner.fields ?? []), [field, made]]) };
}

/** The same inside the fields of a value. */
function updateFields(
  effort: Effort,
  fact: Fact,
  sites: readonly Site[],
  field: string,
  change: Change,
  depth: number,
): Fact {
  if (!fact.fields || depth >= maxDepth || effort.stepsLeft <= 0) return fact;
  let fields: Map<string, Fact> | undefined;
  for (const [key, part] of fact.fields) {
    if (!part.sites && !part.fields && !part.value) continue;
    effort.stepsLeft -= 1;
    const made = updateFact(effort, part, sites, field, change, depth + 1);
    if (made === part) continue;
    // Copy on write: unchanged objects keep their identity, which later comparisons rely on.
    fields ??= new Map(fact.fields);
    fields.set(key, made);
  }
  return fields ? { ...fact, fields } : fact;
}

/** Field that a callee wrote into an object it was given. */
export interface FieldWrite {
  readonly site: Site;
  readonly field: string;
  readonly fact: Fact;
  /** Written on every way out of the callee: the old content is gone. */
  readonly isCertain: boolean;
}

/** Objects reachable from these facts, with their fields. */
export function objectsIn(facts: Iterable<Fact>, depth = 0, found = new Map<Site, Fact>()): Map<Site, Fact> {
  for (const fact of facts) {
    // The first fact of a site is kept: aliases were updated together, so all of them agree.
    for (const site of sitesOf(fact)) if (!found.has(site)) found.set(site, fact);
    if (fact.fields && depth < maxDepth) objectsIn(fact.fields.values(), depth + 1, found);
  }
  return found;
}

/** Compares objects at the ways out of a function with those it was given. */
export function writesBetween(
  before: ReadonlyMap<Site, Fact>,
  exits: readonly ReadonlyMap<Site, Fact>[],
): readonly FieldWrite[] {
  const found: FieldWrite[] = [];
  for (const [site, old] of before) {
    const written = new Map<string, { fact: Fact; times: number }>();
    for (const exit of exits)
      for (const [field, fact] of exit.get(site)?.fields ?? []) {
        if (fact === old.fields?.get(field)) continue;
        const other = written.get(field);
        written.set(field, { fact: other ? joinFacts(other.fact, fact) : fact, times: (other?.times ?? 0) + 1 });
      }
    for (const [field, { fact, times }] of written)
      // Written on each way out means that the old content cannot survive the call (strong update).
      found.push({ site, field, fact, isCertain: times === exits.length });
  }
  return found;
}
