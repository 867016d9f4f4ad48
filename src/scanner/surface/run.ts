import { instantiate } from '../evaluate/calls/classes.js';
import { runEscaped } from '../evaluate/calls/calls.js';
import { callWithUnknownArgs, callFunction } from '../evaluate/calls/functions.js';
import { machineFor, runUncertain, type Machine } from '../evaluate/interpreter/abstract-machine.js';
import { memberOf } from '../evaluate/values/members.js';
import { exportedValue, exportsOf, runModule } from '../evaluate/modules/modules.js';
import { withinStack } from '../evaluate/interpreter/stack-guard.js';
import {
  noArgs,
  unknown,
  type Args,
  type ClassValue,
  type FunctionValue,
  type Value,
} from '../evaluate/values/values.js';
import type { Project } from '../project/load.js';
import { mentionsRegistration } from '../evaluate/interpreter/registration-keywords.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import { entryPointsOf, type EntryPoint } from './entry-points.js';
import { readHandRolled } from './hand-rolled.js';
import { readListings } from './listings.js';
import { emptyDiscoveries, type Discoveries } from './registrations.js';
import { observeCall } from './observe-calls.js';
import { readToolFolders } from './tool-folders.js';

/** An abstract evaluation of a project. */
export interface Run {
  readonly machine: Machine;
  readonly discoveries: Discoveries;
  /** Discoveries in code that no entry point reaches. */
  readonly unreached: Discoveries;
}

/** Evaluates a project abstractly from its entry points and collects registrations. */
export function runProject(project: Project, timeoutMs: number, settings: Machine['settings'] = 'any'): Run {
  const discoveries = emptyDiscoveries();
  const unreached = emptyDiscoveries();
  // Registrations of unreached code are collected separately: they may be dead code.
  let target = discoveries;
  const machine = machineFor(project, (seen, at) => observeCall(target, seen, at), timeoutMs, settings);
  const entries = entryPointsOf(project);
  // Entry points in the order of the manifest, since the first usually starts the server.
  for (const entry of entries) runEntryPoint(machine, entry);
  // JavaScript exports may be called by an importing program; a Python program calls its own functions.
  for (const entry of entries) if (!entry.path.endsWith('.py')) useExports(machine, entry.path);
  readToolFolders(machine, discoveries);
  readListings(machine, discoveries);
  // If another part of the tree registers something, code without an entry point is not part of the surface.
  const isEmpty =
    project.part?.elsewhere !== true && discoveries.registrations.length === 0 && discoveries.unresolved.length === 0;
  if (!isEmpty) target = unreached;
  const { exhausted } = machine;
  // First the product code; tests and examples only if nothing else registers anything.
  for (const aside of [false, true]) {
    if (target === discoveries && discoveries.registrations.length > 0) break;
    for (const [path, module] of project.modules) {
      if (isAuxiliary(path) !== aside || !mentionsRegistration(module.text) || (aside && !isEmpty)) continue;
      runModule(machine, path, true);
      useExports(machine, path);
    }
    readListings(machine, target);
  }
  // Evaluating unreached code may exhaust the budget; the main evaluation was complete before.
  if (!isEmpty) machine.exhausted = exhausted;
  // The last resort: a server without an SDK.
  if (isEmpty && discoveries.registrations.length === 0) readHandRolled(machine, discoveries);
  return { machine, discoveries, unreached };
}

/** Evaluates a module as a program, and calls the function that its entry names. */
function runEntryPoint(machine: Machine, entry: EntryPoint): void {
  const run = withStackGuard(machine, () => runModule(machine, entry.path, true));
  if (!run || entry.attribute === undefined) return;
  const value = entry.attribute
    .split('.')
    .reduce<Value>(
      (at, name, index) =>
        index === 0 ? (exportedValue(machine, run, name) ?? unknown(name)) : memberOf(machine, at, name),
      unknown('entry'),
    );
  // A console script such as `pkg.main:run` runs its attribute.
  if (value.kind === 'function') withStackGuard(machine, () => callWithUnknownArgs(machine, value));
}

/** Turns a stack overflow into an incomplete evaluation instead of a crash. */
function withStackGuard<T>(machine: Machine, run: () => T): T | undefined {
  let made: T | undefined;
  withinStack(
    () => void (made = run()),
    () => void (machine.exhausted ??= 'nested too deeply'),
  );
  return made;
}

/** Simulates an importing program: calls exported functions and instantiates exported classes. */
function useExports(machine: Machine, path: string): void {
  const run = machine.runs.get(path);
  if (!run) return;
  for (const [name, read] of exportsOf(machine, run)) {
    const value = read();
    if (!value) continue;
    if (value.kind === 'function') useFunction(machine, value);
    else if (value.kind === 'class') useClass(machine, value);
    // A default object is often a configuration whose functions a framework calls.
    else if (value.kind === 'object' && name === 'default')
      withStackGuard(machine, () => runEscaped(machine, value, 0));
  }
}

/** Source text of a function, for the pre-check. */
const functionSource = (fn: FunctionValue): string => fn.module.text.slice(fn.fn.start, fn.fn.end);

/** Calls an exported function that registers something and was not entered yet. */
function useFunction(machine: Machine, fn: FunctionValue): void {
  if (machine.entered.has(fn.fn) || !mentionsRegistration(functionSource(fn))) return;
  withStackGuard(machine, () => runUncertain(machine, () => callWithUnknownArgs(machine, fn)));
}

/** Arguments of an importing program: any number of unknown values. */
const unknownArgs: Args = {
  positional: Array.from({ length: 8 }, () => unknown('argument')),
  named: new Map(),
  open: true,
};

/** Builds an instance and calls the methods that register something. */
function useClass(machine: Machine, cls: ClassValue): void {
  if (!mentionsRegistration(cls.module.text.slice(cls.cls.start, cls.cls.end))) return;
  const methods = cls.cls.members.flatMap((member) => (member.fn && !machine.entered.has(member.fn) ? [member] : []));
  if (methods.length === 0) return;
  withStackGuard(machine, () =>
    runUncertain(machine, () => {
      const made = instantiate(machine, cls, unknownArgs, { module: cls.module, spot: cls.cls });
      for (const member of methods) {
        // Only methods whose text mentions a registration: evaluating all would exhaust the budget.
        if (
          !member.fn ||
          machine.entered.has(member.fn) ||
          member.isStatic ||
          !mentionsRegistration(cls.module.text.slice(member.start, member.end))
        )
          continue;
        const method = memberOf(machine, made, member.name);
        if (method.kind === 'function') callFunction(machine, method, unknownArgs, made);
      }
      return noArgs;
    }),
  );
}
