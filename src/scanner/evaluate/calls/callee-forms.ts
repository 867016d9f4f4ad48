import type { Machine, ObservedCall } from '../interpreter/abstract-machine.js';
import { itemsOf } from '../values/items.js';
import type { Args, Result, Value } from '../values/values.js';

/**
 * Rewrites a call of a method that was read as a value to the plain form `receiver.method(…)`: aliases, tables, `call`, `apply`,
 * `Reflect.apply`, `functools.partial` and methods taken from `__class__`. All consumers then see one form; a registration
 * written in another form would otherwise be missed in silence.
 */
export function normaliseCall(machine: Machine, seen: ObservedCall): ObservedCall {
  const { callee } = seen;
  if (callee.kind === 'external' && callee.source === '' && callee.path.join('.') === 'Reflect.apply')
    return reflectApply(machine, seen);
  if (callee.kind !== 'result') return seen;
  if (isPartial(callee)) return applyPartial(machine, seen, callee);
  if (!callee.method.startsWith('.')) return seen;
  const name = callee.method.slice(1);
  if ((name === 'call' || name === 'apply') && isMethodValue(callee.receiver))
    return applyMethod(machine, seen, callee.receiver, name);
  return boundMethod(seen, callee, name);
}

/** A method of a symbolic object, not yet called. */
const isMethodValue = (value: Value | undefined): value is Result =>
  value?.kind === 'result' && value.method.startsWith('.');

const isPartial = ({ callee }: Result): boolean =>
  callee.kind === 'external' && callee.source === 'functools' && callee.path.at(-1) === 'partial';

/** `const f = x.tool; f(…)`: the receiver is the object the method was read from, whatever holds it now. */
function boundMethod(seen: ObservedCall, callee: Result, method: string): ObservedCall {
  const { receiver } = callee;
  // `m.__class__.tool(m, …)` is an unbound method: the first argument is the receiver.
  if (receiver?.kind === 'result' && receiver.method === '.__class__') {
    const [self, ...positional] = seen.args.positional;
    return self === undefined ? seen : { ...seen, method, receiver: self, args: { ...seen.args, positional } };
  }
  if (receiver === undefined || (seen.receiver === receiver && seen.method === method)) return seen;
  return { ...seen, method, receiver };
}

/** `f.call(self, …)` and `f.apply(self, […])`. */
function applyMethod(machine: Machine, seen: ObservedCall, callee: Result, how: 'call' | 'apply'): ObservedCall {
  const [self, ...rest] = seen.args.positional;
  const args = how === 'call' ? { ...seen.args, positional: rest } : spreadList(machine, seen.args, rest[0]);
  return { ...seen, callee, method: callee.method.slice(1), receiver: self ?? callee.receiver, args };
}

/** `Reflect.apply(f, self, […])`. */
function reflectApply(machine: Machine, seen: ObservedCall): ObservedCall {
  const [callee, self, list] = seen.args.positional;
  if (callee === undefined) return seen;
  const args = spreadList(machine, seen.args, list);
  return isMethodValue(callee)
    ? { ...seen, callee, method: callee.method.slice(1), receiver: self ?? callee.receiver, args }
    : { ...seen, callee, method: '', receiver: self, args };
}

/** `functools.partial(f, a, key=b)(…)`. */
function applyPartial(machine: Machine, seen: ObservedCall, partial: Result): ObservedCall {
  const [callee, ...bound] = partial.args.positional;
  if (callee === undefined) return seen;
  const args: Args = {
    positional: [...bound, ...seen.args.positional],
    named: new Map([...partial.args.named, ...seen.args.named]),
    open: partial.args.open || seen.args.open,
  };
  return normaliseCall(machine, { ...seen, callee, method: '', receiver: undefined, args });
}

function spreadList(machine: Machine, args: Args, list: Value | undefined): Args {
  if (list === undefined) return { ...args, positional: [] };
  const { items, open } = itemsOf(machine, list, 'values');
  return { ...args, positional: items, open: args.open || open };
}
