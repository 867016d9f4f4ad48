import type { Given } from './functions.js';
import { elementOf } from './combine.js';
import { type Fact } from './facts.js';

/** A call that is written as a call of something else. */
export interface Handed {
  readonly callee: Fact;
  readonly given: Given;
  /** Only tied to its arguments now, and called later by whoever gets it. */
  readonly isLater: boolean;
}

/** Code of the project, or something outside that can be called. */
export const isCallable = ({ closure, value, name, taints }: Fact): boolean =>
  closure !== undefined ||
  value?.kind === 'function' ||
  (taints.length === 0 && name !== undefined && /^[@\w$/-][@\w$./-]*$/.test(name));

const wrappers =
  /^(?:util\.(?:promisify|callbackify)|functools\.(?:partial|partialmethod)|pify|es6-promisify\.promisify)$/;

/** What is really called by `f.call(…)`, `f.apply(…)`, `f.bind(…)`, `Reflect.apply(f, …)` and `partial(f, …)`. */
export function handed(name: string, method: string, receiver: Fact | undefined, given: Given): Handed | undefined {
  const [first, second, third] = given.positional;
  if (name === 'Reflect.apply' && first && isCallable(first))
    return { callee: first, given: only(given, third ? items(third) : []), isLater: false };
  if (wrappers.test(name) && first && isCallable(first))
    return { callee: first, given: only(given, given.positional.slice(1)), isLater: true };
  if (!receiver || !isCallable(receiver)) return undefined;
  if (method === 'call') return { callee: receiver, given: only(given, given.positional.slice(1)), isLater: false };
  if (method === 'apply') return { callee: receiver, given: only(given, second ? items(second) : []), isLater: false };
  if (method === 'bind') return { callee: receiver, given: only(given, given.positional.slice(1)), isLater: true };
  return undefined;
}

const only = (given: Given, positional: readonly Fact[]): Given => ({ ...given, positional, exprs: [] });

/** The items of a list in order. */
export const items = (list: Fact): readonly Fact[] =>
  list.fields && !list.fields.has('*') ? [...list.fields.values()] : [elementOf(list)];
