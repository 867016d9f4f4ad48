import type { Value } from '../../evaluate/values/values.js';
import type { Env } from '../facts/environment.js';
import type { Fact, Taint, Proof } from '../facts/facts.js';
import { relevantNames } from '../facts/param-names.js';
import type { Site } from '../facts/sites.js';

/** Weak, so that numbering does not keep syntax trees alive. */
const identities = new WeakMap<object, number>();
let last = 0;

/** Identity number of an object. */
function identityOf(thing: object | undefined): number {
  if (!thing) return 0;
  const known = identities.get(thing);
  if (known !== undefined) return known;
  identities.set(thing, (last += 1));
  return last;
}

/** Taints met while building a key, in order. */
interface KeyState {
  readonly taints: Taint[];
  readonly params: string[];
  readonly places: object[];
  readonly traces: (object | undefined)[];
  readonly sites: Site[];
}

/** Index of a thing among those met so far; makes keys independent of names and locations. */
function indexIn<T>(list: T[], thing: T): number {
  const at = list.indexOf(thing);
  return at === -1 ? list.push(thing) - 1 : at;
}

/** Key of a taint: its proofs and which other taints share its parameter and trace, not the names themselves. */
function taintKey(taint: Taint, seen: KeyState): string {
  const { origin, trace, safe, isChecked, whole, inArchive } = taint;
  seen.taints.push(taint);
  // Indexes instead of names: calls that differ only in parameter names share one summary.
  const places = `${indexIn(seen.params, origin.param)} ${indexIn(seen.places, origin.at)} ${indexIn(seen.traces, trace)}`;
  return `${places} ${identityOf(trace?.spot)} ${safe}${isChecked ? 'j' : ''}${whole ? 'w' : ''}${inArchive ? 'a' : ''}\u0003`;
}

function taintsKey(taints: readonly Taint[], seen: KeyState): string {
  let made = '';
  for (const taint of taints) made += taintKey(taint, seen);
  return made;
}

const vouchKey = (vouches: readonly Proof[]): string => vouches.map(({ key, safe }) => `${key}:${safe}`).join();

/** Fresh values are keyed by content, all others by identity. */
function valueKey(value: Value, depth = 0): string {
  // Deep values fall back to identity: a false difference costs a cache miss, a false match would be unsound.
  if (depth > 4) return `#${identityOf(value)}`;
  switch (value.kind) {
    case 'constant':
      return `${typeof value.value} ${String(value.value)}`;
    case 'text':
      return `t${value.parts.map((part) => (typeof part === 'string' ? `"${part}` : valueKey(part, depth + 1))).join('\u0004')}`;
    case 'unknown':
      return `?${value.why}`;
    case 'external':
      return `e${value.source}\u0004${value.path.join('.')}`;
    case 'choice':
      return `|${value.options.map((option) => valueKey(option, depth + 1)).join('\u0005')}`;
    case 'module':
      return `m${value.path}`;
    case 'object': {
      // A fresh instance without fields behaves the same for every allocation at this place.
      const isNew = value.props.size === 0 && value.getters.size === 0 && !value.collection && value.cls && value.at;
      return isNew
        ? `o${identityOf(value.cls)} ${identityOf(value.at?.spot)} ${value.open} ${value.level}`
        : `#${identityOf(value)}`;
    }
    case 'function': {
      if (value.props.size > 0) return `#${identityOf(value)}`;
      const self = value.self ? valueKey(value.self, depth + 1) : '';
      return `f${[value.fn, value.scope, value.home, value.given, value.wraps].map(identityOf).join()} ${self}`;
    }
    default:
      return `#${identityOf(value)}`;
  }
}

/** Structural key of a fact; undefined if it holds a closure, whose captured variables can change. */
function factKey(fact: Fact, seen: KeyState, depth = 0): string | undefined {
  // Too deep to compare means no key and no cache, never a shared one.
  if (fact.closure || depth > 5) return undefined;
  let made = `${taintsKey(fact.taints, seen)}\u0006${fact.value ? valueKey(fact.value) : ''}\u0006${fact.name ?? ''}\u0006${fact.lead ?? ''}\u0006${fact.tail ?? ''}\u0006${fact.isResolved === true ? 'r' : ''}${fact.isReal === true ? 'l' : ''}${fact.isClosed === true ? 'c' : ''}${fact.inFolder === undefined ? '' : fact.inFolder ? 'f' : 'n'}${typeof fact.lead === 'string' ? 's' : ''}`;
  if (fact.from) made += `\u0006<${fact.from.map(({ key, kinds }) => `${key}:${kinds}`).join()}`;
  if (fact.content) made += `\u0006=${taintsKey(fact.content, seen)}`;
  if (fact.implies) made += `\u0006!${vouchKey(fact.implies.yes)};${vouchKey(fact.implies.no)}`;
  // Two arguments that are one object behave differently from two objects.
  for (const site of fact.sites ?? []) {
    const at = seen.sites.indexOf(site);
    if (at === -1) seen.sites.push(site);
    else made += `\u0006@${at}`;
  }
  for (const [name, field] of fact.fields ?? []) {
    const key = factKey(field, seen, depth + 1);
    if (key === undefined) return undefined;
    made += `\u0007${name}(${key}\u0007)`;
  }
  return fact.fields ? `${made}{}` : made;
}

/** Whether a fact holds a closure. */
export const hasClosure = (fact: Fact, depth = 0): boolean =>
  fact.closure !== undefined ||
  (fact.fields !== undefined && (depth > 5 || [...fact.fields.values()].some((field) => hasClosure(field, depth + 1))));

/** Longer keys cost more than the cache saves. */
const maxLength = 6_000;

/** Cache key of a call, with the taints among its arguments. */
interface CallKey {
  readonly key: string;
  readonly given: readonly Taint[];
  readonly sites: readonly Site[];
}

/** Builds the cache key: function, enclosing scope and the facts of all parameters. */
export function callKey(fn: object, scope: object, env: Env, version: number): CallKey | undefined {
  let made = `${identityOf(fn)} ${identityOf(scope)} ${version}`;
  const seen: KeyState = { taints: [], params: [], places: [], traces: [], sites: [] };
  for (const [name, fact] of env.vars) {
    const key = factKey(fact, seen);
    if (key === undefined || made.length > maxLength) return undefined;
    made += `\u0008${name}\u0006${key}`;
  }
  return {
    key: seen.taints.length === 0 ? made : `${made}\u0009${relevantNames(seen.params)}`,
    given: seen.taints,
    sites: seen.sites,
  };
}
