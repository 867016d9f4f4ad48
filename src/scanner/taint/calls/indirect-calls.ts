import type { CallArgs } from './functions.js';
import { elementOf } from '../facts/combine.js';
import { type Fact } from '../facts/facts.js';

/** Call expressed through another function: `f.call(…)`, `partial(f, …)`. */
interface IndirectCall {
  readonly callee: Fact;
  readonly given: CallArgs;
  /** Binds arguments only; the call happens later. */
  readonly isDeferred: boolean;
}

/** Whether a fact is a project function or a named external one. */
export const isCallable = ({ closure, value, name, taints }: Fact): boolean =>
  closure !== undefined ||
  value?.kind === 'function' ||
  // A tainted callee is no known function, whatever its name.
  (taints.length === 0 && name !== undefined && /^[@\w$/-][@\w$./-]*$/.test(name));

const wrapperFunctions =
  /^(?:util\.(?:promisify|callbackify)|functools\.(?:partial|partialmethod)|pify|es6-promisify\.promisify)$/;

/** Resolves `f.call(…)`, `f.apply(…)`, `f.bind(…)`, `Reflect.apply(f, …)` and `partial(f, …)` to the call of `f`. */
export function resolveIndirectCall(
  name: string,
  method: string,
  receiver: Fact | undefined,
  given: CallArgs,
): IndirectCall | undefined {
  const [first, second, third] = given.positional;
  if (name === 'Reflect.apply' && first && isCallable(first))
    return { callee: first, given: withPositional(given, third ? listItems(third) : []), isDeferred: false };
  if (wrapperFunctions.test(name) && first && isCallable(first))
    return { callee: first, given: withPositional(given, given.positional.slice(1)), isDeferred: true };
  if (!receiver || !isCallable(receiver)) return undefined;
  if (method === 'call')
    return { callee: receiver, given: withPositional(given, given.positional.slice(1)), isDeferred: false };
  if (method === 'apply')
    return { callee: receiver, given: withPositional(given, second ? listItems(second) : []), isDeferred: false };
  if (method === 'bind')
    return { callee: receiver, given: withPositional(given, given.positional.slice(1)), isDeferred: true };
  return undefined;
}

// Expressions are dropped: positions no longer correspond, and a proof would go to the wrong argument.
const withPositional = (given: CallArgs, positional: readonly Fact[]): CallArgs => ({
  ...given,
  positional,
  exprs: [],
});

/** Items of a list in order; one joined item if positions are unknown. */
export const listItems = (list: Fact): readonly Fact[] =>
  list.fields && !list.fields.has('*') ? [...list.fields.values()] : [elementOf(list)];
