import type { Value } from '../evaluate/values.js';
import type { Env } from './environment.js';
import type { Fact, Taint, Vouch } from './facts.js';
import { tellingNames } from './param-names.js';

const numbers = new WeakMap<object, number>();
let last = 0;

/** A number that stands for one object, whatever it holds. */
function numberOf(thing: object | undefined): number {
  if (!thing) return 0;
  const known = numbers.get(thing);
  if (known !== undefined) return known;
  numbers.set(thing, (last += 1));
  return last;
}

/** The caller's texts that a call is given, in order. */
interface Seen {
  readonly taints: Taint[];
  readonly params: string[];
  readonly places: object[];
  readonly traces: (object | undefined)[];
}

/** Which of the things met so far this is. */
function turnOf<T>(list: T[], thing: T): number {
  const at = list.indexOf(thing);
  return at === -1 ? list.push(thing) - 1 : at;
}

/** What matters of a taint to the code that gets it: not its name or its way, but which others share them, and where it was last. */
function taintKey(taint: Taint, seen: Seen): string {
  const { origin, trace, safe, judged, whole, inArchive } = taint;
  seen.taints.push(taint);
  const places = `${turnOf(seen.params, origin.param)} ${turnOf(seen.places, origin.at)} ${turnOf(seen.traces, trace)}`;
  return `${places} ${numberOf(trace?.spot)} ${safe}${judged ? 'j' : ''}${whole ? 'w' : ''}${inArchive ? 'a' : ''}\u0003`;
}

function taintsKey(taints: readonly Taint[], seen: Seen): string {
  let made = '';
  for (const taint of taints) made += taintKey(taint, seen);
  return made;
}

const vouchKey = (vouches: readonly Vouch[]): string => vouches.map(({ key, safe }) => `${key}:${safe}`).join();

/** Values that are made anew each time are told by what they hold; all others by which they are. */
function valueKey(value: Value, depth = 0): string {
  if (depth > 4) return `#${numberOf(value)}`;
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
      const isNew = value.props.size === 0 && value.getters.size === 0 && !value.collection && value.cls && value.at;
      return isNew
        ? `o${numberOf(value.cls)} ${numberOf(value.at?.spot)} ${value.open} ${value.level}`
        : `#${numberOf(value)}`;
    }
    case 'function': {
      if (value.props.size > 0) return `#${numberOf(value)}`;
      const self = value.self ? valueKey(value.self, depth + 1) : '';
      return `f${[value.fn, value.scope, value.home, value.given, value.wraps].map(numberOf).join()} ${self}`;
    }
    default:
      return `#${numberOf(value)}`;
  }
}

/** A text that is the same for facts that say the same; undefined where code is held that can change what it knows. */
function factKey(fact: Fact, seen: Seen, depth = 0): string | undefined {
  if (fact.closure || depth > 5) return undefined;
  let made = `${taintsKey(fact.taints, seen)}\u0006${fact.value ? valueKey(fact.value) : ''}\u0006${fact.name ?? ''}\u0006${fact.lead ?? ''}\u0006${fact.tail ?? ''}\u0006${fact.isResolved === true ? 'r' : ''}${fact.isReal === true ? 'l' : ''}${fact.isClosed === true ? 'c' : ''}${fact.inFolder === undefined ? '' : fact.inFolder ? 'f' : 'n'}${typeof fact.lead === 'string' ? 's' : ''}`;
  if (fact.from) made += `\u0006<${fact.from.map(({ key, kinds }) => `${key}:${kinds}`).join()}`;
  if (fact.content) made += `\u0006=${taintsKey(fact.content, seen)}`;
  if (fact.implies) made += `\u0006!${vouchKey(fact.implies.yes)};${vouchKey(fact.implies.no)}`;
  for (const [name, field] of fact.fields ?? []) {
    const key = factKey(field, seen, depth + 1);
    if (key === undefined) return undefined;
    made += `\u0007${name}(${key}\u0007)`;
  }
  return fact.fields ? `${made}{}` : made;
}

/** Whether a fact holds code with names that can change. */
export const holdsCode = (fact: Fact, depth = 0): boolean =>
  fact.closure !== undefined ||
  (fact.fields !== undefined && (depth > 5 || [...fact.fields.values()].some((field) => holdsCode(field, depth + 1))));

/** Longer ones cost more than they save. */
const maxLength = 6_000;

/** What a call hangs on, and the caller's texts among what it is given. */
export interface CallKey {
  readonly key: string;
  readonly given: readonly Taint[];
}

/** What a call hangs on: the function, the names around it, and all that its own names stand for when it begins. */
export function callKey(fn: object, scope: object, env: Env): CallKey | undefined {
  let made = `${numberOf(fn)} ${numberOf(scope)}`;
  const seen: Seen = { taints: [], params: [], places: [], traces: [] };
  for (const [name, fact] of env.vars) {
    const key = factKey(fact, seen);
    if (key === undefined || made.length > maxLength) return undefined;
    made += `\u0008${name}\u0006${key}`;
  }
  return { key: seen.taints.length === 0 ? made : `${made}\u0009${tellingNames(seen.params)}`, given: seen.taints };
}
