import type { CallSeen, Machine } from '../evaluate/machine.js';
import type { Value } from '../evaluate/values.js';
import { bundledSchema } from './bundled-zod.js';
import type { Findings } from './registrations.js';
import { watchPython } from './watch-python.js';
import { watchScript } from './watch-script.js';
import { seeStart } from './transports.js';

/** Looks at every call of a run and keeps those that register, list, mount or start. */
export function watch(findings: Findings, seen: CallSeen, machine: Machine): Value | undefined {
  seeStart(findings, seen);
  if (seen.at.module.language === 'python') return watchPython(findings, seen, machine);
  return watchScript(findings, seen, machine) ?? bundledSchema(seen);
}
