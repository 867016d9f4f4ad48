import type { Value } from '../evaluate/values.js';
import type { Env } from './environment.js';
import type { Fact, Taint, Vouch } from './facts.js';

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

const taintKeys = new WeakMap<Taint, string>();

function taintKey(taint: Taint): string {
  const known = taintKeys.get(taint);
  if (known !== undefined) return known;
  const { origin, steps, safe, judged, whole, inArchive } = taint;
  const made = `${origin.param}\u0001${numberOf(origin.at.spot)}\u0001${steps.map((step) => `${numberOf(step.at.spot)}${step.says}`).join('\u0002')}\u0001${safe}${judged ? 'j' : ''}${whole ? 'w' : ''}${inArchive ? 'a' : ''}`;
  taintKeys.set(taint, made);
  return made;
}

const taintsKey = (taints: readonly Taint[]): string =>
  taints.length === 0 ? '' : taints.map(taintKey).join('\u0003');
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
function factKey(fact: Fact, depth = 0): string | undefined {
  if (fact.closure || depth > 5) return undefined;
  let made = `${taintsKey(fact.taints)}\u0006${fact.value ? valueKey(fact.value) : ''}\u0006${fact.name ?? ''}\u0006${fact.lead ?? ''}\u0006${fact.tail ?? ''}\u0006${fact.isResolved === true ? 'r' : ''}${fact.isReal === true ? 'l' : ''}${fact.isClosed === true ? 'c' : ''}${fact.inFolder === undefined ? '' : fact.inFolder ? 'f' : 'n'}${typeof fact.lead === 'string' ? 's' : ''}`;
  if (fact.from) made += `\u0006<${fact.from.map(({ key, kinds }) => `${key}:${kinds}`).join()}`;
  if (fact.content) made += `\u0006=${taintsKey(fact.content)}`;
  if (fact.implies) made += `\u0006!${vouchKey(fact.implies.yes)};${vouchKey(fact.implies.no)}`;
  for (const [name, field] of fact.fields ?? []) {
    const key = factKey(field, depth + 1);
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

/** What a call hangs on: the function, the names around it, and all that its own names stand for when it begins. */
export function callKey(fn: object, scope: object, env: Env): string | undefined {
  let made = `${numberOf(fn)} ${numberOf(scope)}`;
  for (const [name, fact] of env.vars) {
    const key = factKey(fact);
    if (key === undefined || made.length > maxLength) return undefined;
    made += `\u0008${name}\u0006${key}`;
  }
  return made;
}
