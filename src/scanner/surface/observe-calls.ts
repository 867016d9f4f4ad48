import type { ObservedCall, Machine } from '../evaluate/interpreter/abstract-machine.js';
import { soleOption, type Args, type Value } from '../evaluate/values/values.js';
import { callResult } from '../evaluate/calls/calls.js';
import { bundledSchema } from './schemas/bundled-zod.js';
import { isSdkMethod, kindOfClass, serverKind } from './sdk.js';
import type { Discoveries } from './registrations.js';
import { recordSite } from './missed-registrations.js';
import { observePython } from './observe-python.js';
import { observeScript } from './observe-script.js';
import { recordStart } from './transports.js';
import { recordWithdrawal } from './withdrawals.js';

/** Observes every evaluated call and records those that register, list, mount or start. */
export function observeCall(discoveries: Discoveries, given: ObservedCall, machine: Machine): Value | undefined {
  const args = solidArgs(given.args);
  const unbound = withoutPrototype(args === given.args ? given : { ...given, args });
  // Unbound methods are a way to hide a registration from simple pattern matching.
  const seen = withoutClass(unbound);
  recordStart(discoveries, seen);
  recordSite(discoveries.sites, seen);
  recordWithdrawal(discoveries, seen, machine);
  if (seen.at.module.language === 'python')
    return observePython(discoveries, seen, machine) ?? (seen === unbound ? undefined : callResult(seen));
  return (
    // The first observer that recognises the call decides its result.
    observeScript(discoveries, seen, machine) ??
    bundledSchema(seen) ??
    (isSdkMethod(seen.callee) ? callResult(seen) : undefined)
  );
}

/** Resolves optional arguments (a value or undefined) to the value. */
function solidArgs(args: Args): Args {
  return hasNoChoice(args)
    ? args
    : {
        ...args,
        positional: args.positional.map(soleOption),
        named: new Map([...args.named].map(([key, value]) => [key, soleOption(value)])),
      };
}

/** Allocation-free check, because it runs for every call. */
function hasNoChoice({ positional, named }: Args): boolean {
  for (const value of positional) if (value.kind === 'choice') return false;
  for (const value of named.values()) if (value.kind === 'choice') return false;
  return true;
}

/** Rewrites `McpServer.prototype.registerTool.call(server, …)` as `server.registerTool(…)`. */
function withoutPrototype(seen: ObservedCall): ObservedCall {
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

/** Rewrites `FastMCP.tool(server, …)`, an unbound method with its server as first argument, as `server.tool(…)`. */
function withoutClass(seen: ObservedCall): ObservedCall {
  const { callee, args } = seen;
  if (callee.kind !== 'external' || callee.path.length < 2) return seen;
  const [server, ...positional] = args.positional;
  if (serverKind(server) === undefined) return seen;
  const isPython = seen.at.module.language === 'python';
  if (kindOfClass({ ...callee, path: callee.path.slice(0, -1) }, isPython) === undefined) return seen;
  return { ...seen, method: callee.path.at(-1) ?? '', receiver: server, args: { ...args, positional } };
}
