import { instantiate } from '../evaluate/classes.js';
import { escape } from '../evaluate/calls.js';
import { callBlind, callFunction } from '../evaluate/functions.js';
import { machineFor, maybe, type Machine } from '../evaluate/machine.js';
import { memberOf } from '../evaluate/members.js';
import { exported, exportsOf, runModule } from '../evaluate/modules.js';
import { withinStack } from '../evaluate/stack.js';
import { noArgs, unknown, type Args, type ClassValue, type FunctionValue, type Value } from '../evaluate/values.js';
import type { Project } from '../project/load.js';
import { mentionsRegistration } from '../evaluate/relevance.js';
import { isAside } from '../project/aside.js';
import { entryPoints, type EntryPoint } from './entries.js';
import { readHandRolled } from './hand-rolled.js';
import { readListings } from './listings.js';
import { noFindings, type Findings } from './registrations.js';
import { watch } from './watch.js';

export interface Run {
  readonly machine: Machine;
  readonly findings: Findings;
  /** What code that no entry point reaches would register. */
  readonly unreached: Findings;
}

/** Runs a project abstractly from its entry points and keeps what it registers. */
export function runProject(project: Project, timeoutMs: number, settings: Machine['settings'] = 'any'): Run {
  const findings = noFindings();
  const unreached = noFindings();
  let target = findings;
  const machine = machineFor(project, (seen, at) => watch(target, seen, at), timeoutMs, settings);
  const entries = entryPoints(project);
  for (const entry of entries) enter(machine, entry);
  // What a script exports is for whoever imports it; a Python program calls what it needs itself.
  for (const entry of entries) if (!entry.path.endsWith('.py')) useExports(machine, entry.path);
  readListings(machine, findings);
  // Where another part of the tree offers something, what nothing starts here is not offered.
  const isEmpty =
    project.part?.elsewhere !== true && findings.registrations.length === 0 && findings.unresolved.length === 0;
  if (!isEmpty) target = unreached;
  const { exhausted } = machine;
  for (const aside of [false, true]) {
    if (target === findings && findings.registrations.length > 0) break;
    for (const [path, module] of project.modules) {
      if (isAside(path) !== aside || !mentionsRegistration(module.text) || (aside && !isEmpty)) continue;
      runModule(machine, path, true);
      useExports(machine, path);
    }
    readListings(machine, target);
  }
  // Looking at what nothing reaches may use up what is left; the run itself was over by then.
  if (!isEmpty) machine.exhausted = exhausted;
  if (isEmpty && findings.registrations.length === 0) readHandRolled(machine, findings);
  return { machine, findings, unreached };
}

function enter(machine: Machine, entry: EntryPoint): void {
  const run = guarded(machine, () => runModule(machine, entry.path, true));
  if (!run || entry.attribute === undefined) return;
  const value = entry.attribute
    .split('.')
    .reduce<Value>(
      (at, name, index) =>
        index === 0 ? (exported(machine, run, name) ?? unknown(name)) : memberOf(machine, at, name),
      unknown('entry'),
    );
  if (value.kind === 'function') guarded(machine, () => callBlind(machine, value));
}

/** A stack that ran out is an unfinished run, not a crash. */
function guarded<T>(machine: Machine, run: () => T): T | undefined {
  let made: T | undefined;
  withinStack(
    () => void (made = run()),
    () => void (machine.exhausted ??= 'nested too deep'),
  );
  return made;
}

/** What a module gives away may be used by whoever imports it: functions are called, classes made. */
function useExports(machine: Machine, path: string): void {
  const run = machine.runs.get(path);
  if (!run) return;
  for (const [name, read] of exportsOf(machine, run)) {
    const value = read();
    if (!value) continue;
    if (value.kind === 'function') useFunction(machine, value);
    else if (value.kind === 'class') useClass(machine, value);
    else if (value.kind === 'object' && name === 'default') guarded(machine, () => escape(machine, value, 0));
  }
}

const textOf = (fn: FunctionValue): string => fn.module.text.slice(fn.fn.start, fn.fn.end);

function useFunction(machine: Machine, fn: FunctionValue): void {
  if (machine.entered.has(fn.fn) || !mentionsRegistration(textOf(fn))) return;
  guarded(machine, () => maybe(machine, () => callBlind(machine, fn)));
}

const blind: Args = { positional: Array.from({ length: 8 }, () => unknown('argument')), named: new Map(), open: true };

function useClass(machine: Machine, cls: ClassValue): void {
  if (!mentionsRegistration(cls.module.text.slice(cls.cls.start, cls.cls.end))) return;
  const methods = cls.cls.members.flatMap((member) => (member.fn && !machine.entered.has(member.fn) ? [member] : []));
  if (methods.length === 0) return;
  guarded(machine, () =>
    maybe(machine, () => {
      const made = instantiate(machine, cls, blind, { module: cls.module, spot: cls.cls });
      for (const member of methods) {
        if (
          !member.fn ||
          machine.entered.has(member.fn) ||
          member.isStatic ||
          !mentionsRegistration(cls.module.text.slice(member.start, member.end))
        )
          continue;
        const method = memberOf(machine, made, member.name);
        if (method.kind === 'function') callFunction(machine, method, blind, made);
      }
      return noArgs;
    }),
  );
}
