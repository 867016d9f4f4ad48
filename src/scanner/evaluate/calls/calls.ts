import { findMethod, instantiate } from './classes.js';
import { recordOption } from '../inputs/command-line.js';
import { callWithUnknownArgs, callFunction } from './functions.js';
import { callExternal } from '../builtins/externals.js';
import { normaliseCall } from './callee-forms.js';
import { compilerHelper } from './compiler-helpers.js';
import { runUncertain, type ObservedCall, type Machine } from '../interpreter/abstract-machine.js';
import { isVoid, join, object, unknown, type ClassValue, type Result, type Value } from '../values/values.js';

/** Evaluations of one escaped function: more find nothing new, since its arguments are unknown each time. */
const maxEscapes = 2;

/** Evaluates a call: the watcher first, then project code or a built-in; anything else becomes a symbolic result. */
export function call(machine: Machine, given: ObservedCall): Value {
  const seen = normaliseCall(machine, given);
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
      // A constructor that returns an object replaces the instance.
      return returned.kind === 'object' || returned.kind === 'result' ? returned : made;
    }
    case 'class':
      return enumMember(callee, seen) ?? instantiate(machine, callee, args, at);
    case 'native':
      return callee.call(args, at);
    case 'choice':
      // Bounded: each option is evaluated in full, and nested choices multiply.
      return callOptions(machine, seen, callee.options.filter((option) => !isVoid(option)).slice(0, 6));
    case 'object': {
      const method = callee.cls && findMethod(machine, callee.cls, '__call__');
      if (method) return callFunction(machine, method, args, callee);
      break;
    }
    default:
  }
  recordOption(machine, seen);
  const known = callExternal(machine, seen);
  if (known) return known;
  // External code may call what it receives, so a registration inside a callback is found.
  for (const value of args.positional) runEscaped(machine, value, 0);
  for (const value of args.named.values()) runEscaped(machine, value, 0);
  return callResult(seen);
}

/** Calls every option of a choice; with a single option the call is certain. */
function callOptions(machine: Machine, seen: ObservedCall, options: readonly Value[]): Value {
  const each = () =>
    options.reduce<Value | undefined>(
      (all, option) => join(all, call(machine, { ...seen, callee: option })),
      undefined,
    ) ?? unknown('choice');
  return options.length === 1 ? each() : runUncertain(machine, each);
}

/** Symbolic result of an external call. */
export const callResult = (seen: ObservedCall): Result => ({
  kind: 'result',
  callee: seen.callee,
  method: seen.method || calleeName(seen.callee),
  receiver: seen.receiver,
  args: seen.args,
  at: seen.at,
  props: new Map(),
});

const calleeName = (callee: Value): string =>
  callee.kind === 'external' ? (callee.path.at(-1) ?? '') : callee.kind === 'result' ? callee.method : '';

/**
 * `Color('red')` of a Python enum returns its member. Lookup by value does not allocate: members are singletons and
 * compared by identity.
 */
function enumMember(cls: ClassValue, { args }: ObservedCall): Value | undefined {
  const [wanted] = args.positional;
  if (wanted?.kind !== 'constant' || cls.module.language !== 'python') return undefined;
  for (const member of cls.statics.values()) {
    const value = member.kind === 'object' && member.cls === cls ? member.props.get('value') : undefined;
    if (value?.kind === 'constant' && value.value === wanted.value) return member;
  }
  return undefined;
}

/** Functions passed to external code may be called by it: evaluates them with unknown arguments to find registrations inside. */
export function runEscaped(machine: Machine, value: Value, depth: number): void {
  switch (value.kind) {
    case 'choice':
      for (const each of value.options) runEscaped(machine, each, depth);
      return;
    case 'function': {
      const times = machine.escaped.get(value.fn) ?? 0;
      if (times >= maxEscapes) return;
      machine.escaped.set(value.fn, times + 1);
      // Whether the external code calls it is unknown, so its writes are weak updates.
      runUncertain(machine, () => callWithUnknownArgs(machine, value));
      return;
    }
    case 'object':
      // Instances are skipped: their methods are called by name, not passed on as a table.
      if (depth < 2 && !value.cls) for (const inner of value.props.values()) runEscaped(machine, inner, depth + 1);
      return;
    case 'list':
      if (depth < 2) for (const inner of value.items.slice(0, 200)) runEscaped(machine, inner, depth + 1);
      return;
    default:
  }
}
