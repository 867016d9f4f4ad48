import type { CallSeen, Machine } from '../evaluate/machine.js';
import { solid, type Args, type Value } from '../evaluate/values.js';
import { symbol } from '../evaluate/calls.js';
import { bundledSchema } from './bundled-zod.js';
import { isSdkMethod } from './sdk.js';
import type { Findings } from './registrations.js';
import { noteSite } from './unseen.js';
import { watchPython } from './watch-python.js';
import { watchScript } from './watch-script.js';
import { seeStart } from './transports.js';
import { seeWithdrawal } from './withdrawals.js';

/** Looks at every call of a run and keeps those that register, list, mount or start. */
export function watch(findings: Findings, given: CallSeen, machine: Machine): Value | undefined {
  const args = solidArgs(given.args);
  const seen = withoutPrototype(withoutAttribute(args === given.args ? given : { ...given, args }));
  seeStart(findings, seen);
  noteSite(findings.sites, seen);
  seeWithdrawal(findings, seen, machine);
  if (seen.at.module.language === 'python') return watchPython(findings, seen, machine);
  return (
    watchScript(findings, seen, machine) ?? bundledSchema(seen) ?? (isSdkMethod(seen.callee) ? symbol(seen) : undefined)
  );
}

/** An argument that is one thing or nothing is taken for that thing. */
function solidArgs(args: Args): Args {
  return isPlain(args)
    ? args
    : {
        ...args,
        positional: args.positional.map(solid),
        named: new Map([...args.named].map(([key, value]) => [key, solid(value)])),
      };
}

/** Every call passes here, so nothing is copied to look. */
function isPlain({ positional, named }: Args): boolean {
  for (const value of positional) if (value.kind === 'choice') return false;
  for (const value of named.values()) if (value.kind === 'choice') return false;
  return true;
}

/** `McpServer.prototype.registerTool.call(server, …)` is `server.registerTool(…)`. */
function withoutPrototype(seen: CallSeen): CallSeen {
  const { callee, args } = seen;
  if (callee.kind !== 'external' || seen.method !== 'call' || callee.path.at(-3) !== 'prototype') return seen;
  const [receiver, ...positional] = args.positional;
  return {
    ...seen,
    callee: { ...callee, path: callee.path.slice(0, -1) },
    method: callee.path.at(-2) ?? '',
    receiver,
    args: { ...args, positional },
  };
}

/** `x.tool` read as a value and called later: the receiver is the one it was read from. */
function withoutAttribute(seen: CallSeen): CallSeen {
  if (
    seen.callee.kind !== 'result' ||
    !seen.callee.method.startsWith('.') ||
    (seen.receiver && seen.method === seen.callee.method.slice(1))
  )
    return seen;
  return { ...seen, method: seen.callee.method.slice(1), receiver: seen.callee.receiver };
}
