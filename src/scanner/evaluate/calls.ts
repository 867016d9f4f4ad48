import { findMethod, instantiate } from './classes.js';
import { seeOption } from './command-line.js';
import { callBlind, callFunction } from './functions.js';
import { knownExternal } from './externals.js';
import { compilerHelper } from './helpers.js';
import { maybe, type CallSeen, type Machine } from './machine.js';
import { isVoid, join, object, unknown, type ClassValue, type Result, type Value } from './values.js';

const maxEscapes = 2;

/** Makes a call: the watcher answers first, then code of the project runs, and anything else becomes a symbol. */
export function call(machine: Machine, seen: CallSeen): Value {
  const answer = machine.watch(seen, machine) ?? compilerHelper(machine, seen);
  if (answer) return answer;
  const { callee, args, at } = seen;
  switch (callee.kind) {
    case 'function': {
      // Python gives `self` only to methods of an instance; `module.function(x)` gets x alone.
      const self = callee.self ?? (callee.module.language === 'python' ? undefined : seen.receiver);
      if (!seen.isNew) return callFunction(machine, callee, args, self);
      const made = object([], { level: machine.level, at });
      const returned = callFunction(machine, callee, args, made);
      return returned.kind === 'object' || returned.kind === 'result' ? returned : made;
    }
    case 'class':
      return enumMember(callee, seen) ?? instantiate(machine, callee, args, at);
    case 'native':
      return callee.call(args, at);
    case 'choice':
      return callEach(machine, seen, callee.options.filter((option) => !isVoid(option)).slice(0, 6));
    case 'object': {
      const method = callee.cls && findMethod(machine, callee.cls, '__call__');
      if (method) return callFunction(machine, method, args, callee);
      break;
    }
    default:
  }
  seeOption(machine, seen);
  const known = knownExternal(machine, seen);
  if (known) return known;
  for (const value of args.positional) escape(machine, value, 0);
  for (const value of args.named.values()) escape(machine, value, 0);
  return symbol(seen);
}

/** Calls whatever a callee may be; where that is one thing, as surely as any call. */
function callEach(machine: Machine, seen: CallSeen, options: readonly Value[]): Value {
  const each = () =>
    options.reduce<Value | undefined>(
      (all, option) => join(all, call(machine, { ...seen, callee: option })),
      undefined,
    ) ?? unknown('choice');
  return options.length === 1 ? each() : maybe(machine, each);
}

/** What stands for the answer of something outside. */
export const symbol = (seen: CallSeen): Result => ({
  kind: 'result',
  callee: seen.callee,
  method: seen.method || nameOf(seen.callee),
  receiver: seen.receiver,
  args: seen.args,
  at: seen.at,
  props: new Map(),
});

const nameOf = (callee: Value): string =>
  callee.kind === 'external' ? (callee.path.at(-1) ?? '') : callee.kind === 'result' ? callee.method : '';

/** `Color('red')` of a Python enumeration finds its member. */
function enumMember(cls: ClassValue, { args }: CallSeen): Value | undefined {
  const [wanted] = args.positional;
  if (wanted?.kind !== 'constant' || cls.module.language !== 'python') return undefined;
  for (const member of cls.statics.values()) {
    const value = member.kind === 'object' && member.cls === cls ? member.props.get('value') : undefined;
    if (value?.kind === 'constant' && value.value === wanted.value) return member;
  }
  return undefined;
}

/** Code handed to the outside may be called by it: it is run with nothing known, so that what it registers is seen. */
export function escape(machine: Machine, value: Value, depth: number): void {
  switch (value.kind) {
    case 'choice':
      for (const each of value.options) escape(machine, each, depth);
      return;
    case 'function': {
      const times = machine.escaped.get(value.fn) ?? 0;
      if (times >= maxEscapes) return;
      machine.escaped.set(value.fn, times + 1);
      maybe(machine, () => callBlind(machine, value));
      return;
    }
    case 'object':
      if (depth < 2 && !value.cls) for (const inner of value.props.values()) escape(machine, inner, depth + 1);
      return;
    case 'list':
      if (depth < 2) for (const inner of value.items.slice(0, 200)) escape(machine, inner, depth + 1);
      return;
    default:
  }
}
