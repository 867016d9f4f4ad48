import type { CallSeen, Machine } from '../evaluate/machine.js';
import { solid, type Args, type Value } from '../evaluate/values.js';
import { symbol } from '../evaluate/calls.js';
import { bundledSchema } from './bundled-zod.js';
import { isSdkMethod } from './sdk.js';
import type { Findings } from './registrations.js';
import { watchPython } from './watch-python.js';
import { watchScript } from './watch-script.js';
import { seeStart } from './transports.js';

/** Looks at every call of a run and keeps those that register, list, mount or start. */
export function watch(findings: Findings, given: CallSeen, machine: Machine): Value | undefined {
  const seen = withoutAttribute({ ...given, args: solidArgs(given.args) });
  seeStart(findings, seen);
  if (seen.at.module.language === 'python') return watchPython(findings, seen, machine);
  return watchScript(findings, seen, machine) ?? bundledSchema(seen) ?? (isSdkMethod(seen.callee) ? symbol(seen) : undefined);
}

/** An argument that is one thing or nothing is taken for that thing. */
function solidArgs(args: Args): Args {
  const isPlain = ![...args.positional, ...args.named.values()].some((value) => value.kind === 'choice');
  return isPlain ? args : { ...args, positional: args.positional.map(solid), named: new Map([...args.named].map(([key, value]) => [key, solid(value)])) };
}

/** `x.tool` read as a value and called later: the receiver is the one it was read from. */
function withoutAttribute(seen: CallSeen): CallSeen {
  if (seen.callee.kind !== 'result' || !seen.callee.method.startsWith('.') || (seen.receiver && seen.method === seen.callee.method.slice(1))) return seen;
  return { ...seen, method: seen.callee.method.slice(1), receiver: seen.callee.receiver };
}
