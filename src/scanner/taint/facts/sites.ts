import type { Value } from '../../evaluate/values/values.js';
import type { Fact } from './facts.js';

/** Allocation site: the identity of one object. Facts with a common site are aliases. */
export interface Site {
  readonly id: number;
}

let last = 0;

/** Identity of an object allocated here. */
export const newSite = (): Site => ({ id: (last += 1) });

/** Weak: values of a scanned program must be collectable after its scan. */
const valueSites = new WeakMap<Value, Site>();

const allocatedKinds: ReadonlySet<Value['kind']> = new Set(['object', 'list', 'class', 'function', 'result']);

/** Objects of the first pass live as long as the program: every function and every module sees the same one. */
function siteOfValue(value: Value): Site | undefined {
  if (!allocatedKinds.has(value.kind)) return undefined;
  const known = valueSites.get(value);
  if (known) return known;
  const made = newSite();
  valueSites.set(value, made);
  return made;
}

const noSites: readonly Site[] = [];

/** Whether an object was allocated by the program's start-up code, so that it is shared by all calls. */
export const isShared = (fact: Fact): boolean => fact.sites === undefined && fact.value !== undefined;

/** Objects this value may be. */
export function sitesOf(fact: Fact): readonly Site[] {
  if (fact.sites) return fact.sites;
  const site = fact.value && siteOfValue(fact.value);
  return site ? [site] : noSites;
}

const isString = ({ value }: Fact): boolean => value?.kind === 'constant' || value?.kind === 'text';

/** Gives a value an identity, unless it has one or is a string or number, which nothing can write into. */
export const withSite = (fact: Fact): Fact =>
  fact.sites !== undefined || isString(fact) || (fact.value !== undefined && sitesOf(fact).length > 0)
    ? fact
    : { ...fact, sites: [newSite()] };

/** A copy: the same content, another object. */
export const withNewSite = (fact: Fact): Fact => (isString(fact) ? fact : { ...fact, sites: [newSite()] });

/** More possible objects than this are cut (widening): updates of the dropped ones are not seen through this value. */
const maxSites = 4;

/** Sites of a join: the value is one of them. */
export function joinSites(one: Fact, other: Fact): readonly Site[] | undefined {
  if (one.sites === undefined && other.sites === undefined && one.value === other.value) return undefined;
  const [left, right] = [sitesOf(one), sitesOf(other)];
  // An untracked side has no identity to add; the join then keeps the known sites.
  if (left.length === 0 || right.length === 0) return left.length > 0 ? one.sites : other.sites;
  const added = right.filter((site) => !left.includes(site));
  return added.length === 0 ? one.sites : [...left, ...added].slice(0, maxSites);
}

/** A deep copy: no part is an alias of the original. */
export function withoutAliases(fact: Fact, depth = 0): Fact {
  const fields =
    // Data nested deeper keeps its aliases; a copy of cyclic data would not end.
    fact.fields && depth < 5
      ? new Map([...fact.fields].map(([key, field]) => [key, withoutAliases(field, depth + 1)]))
      : fact.fields;
  return { ...withNewSite(fact), fields };
}
