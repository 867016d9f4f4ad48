import type { FunctionNode, Module } from '../../ir/nodes.js';
import type { Project } from '../../project/load.js';
import { mentionsRegistration } from './registration-keywords.js';
import type { Scope } from '../values/scope.js';
import type { Args, ClassValue, FunctionValue, Place, Value } from '../values/values.js';

/** Call made by the evaluated code, as passed to the watcher. */
export interface ObservedCall {
  readonly callee: Value;
  /** The property called and the value it was taken from, for `a.b()`. */
  readonly method: string;
  readonly receiver?: Value | undefined;
  readonly args: Args;
  readonly at: Place;
  readonly isNew: boolean;
}

/** Observes every call; returns a value to replace the call, or undefined to let it proceed. Registrations are found this way. */
type Watcher = (call: ObservedCall, machine: Machine) => Value | undefined;

/** Evaluated module: its scope and exports. */
export interface ModuleRun {
  readonly module: Module;
  readonly scope: Scope;
  readonly exports: Map<string, () => Value | undefined>;
  /** The value of `module.exports` once code assigned to it. */
  commonjs: Value;
  done: boolean;
}

/** State of one abstract interpretation of a project: modules, budgets and what was found. */
export interface Machine {
  readonly project: Project;
  readonly watch: Watcher;
  /** Whether unset environment variables and options count as unset or as unknown. */
  readonly settings: 'unset' | 'any';
  /** True once a setting was assumed unset: a run with `any` would find more. */
  assumedUnset: boolean;
  readonly runs: Map<string, ModuleRun>;
  /** Number of enclosing conditions of unknown outcome; writes at a higher level than the target join instead of replace. */
  level: number;
  depth: number;
  stepsLeft: number;
  /** Remaining steps of the current function; unlimited inside code that mentions registration. */
  allowance: number;
  /** Functions that exceeded their allowance once; they get a smaller one next time. */
  readonly truncated: Set<FunctionNode>;
  readonly deadline: number;
  readonly active: Map<FunctionNode, number>;
  /** Number of evaluations per function. */
  readonly entered: Map<FunctionNode, number>;
  /** Functions passed to external code (escaped), with the number of evaluations on its behalf. */
  readonly escaped: Map<FunctionNode, number>;
  /** Modules abandoned because they nest too deeply for the stack. */
  readonly unfinished: Set<string>;
  /** Reason, if a budget ended the run early. */
  exhausted: string | undefined;
  /** Imports with a computed path; everything under the known prefix is loaded. */
  readonly partialImports: { readonly at: Place; readonly prefix: string }[];
  /** Import links being resolved, to detect cycles. */
  readonly following: Set<string>;
  /** Declared command line options with their defaults. */
  readonly options: Map<string, Value>;
  /** Lists under the key `tools`, as in a `tools/list` response. */
  readonly toolLists: { readonly items: Value; readonly at: Place }[];
  /** Built-in objects, created once. */
  readonly globals: Map<string, Value | undefined>;
  readonly prototypes: Map<ClassValue, Map<string, FunctionValue | undefined>>;
}

/** Activation of one function or module body. */
export interface Frame {
  readonly run: ModuleRun;
  readonly self?: Value | undefined;
  readonly home?: ClassValue | undefined;
  returned: Value | undefined;
  readonly yielded: Value[];
  readonly isGenerator: boolean;
  readonly args?: Args | undefined;
}

/** Steps of one run: a few seconds of work, whatever the scanned code does. */
const stepLimit = 4_000_000;

/** New machine with fresh budgets. */
export function machineFor(
  project: Project,
  watch: Watcher,
  timeoutMs: number,
  settings: Machine['settings'] = 'any',
): Machine {
  return {
    project,
    watch,
    settings,
    assumedUnset: false,
    runs: new Map(),
    level: 0,
    depth: 0,
    stepsLeft: stepLimit,
    allowance: Number.POSITIVE_INFINITY,
    truncated: new Set(),
    deadline: Date.now() + timeoutMs,
    active: new Map(),
    entered: new Map(),
    escaped: new Map(),
    unfinished: new Set(),
    exhausted: undefined,
    partialImports: [],
    following: new Set(),
    options: new Map(),
    toolLists: [],
    globals: new Map(),
    prototypes: new Map(),
  };
}

/** Counts one step; false once a budget is spent. */
export function step(machine: Machine): boolean {
  if (machine.exhausted !== undefined) return false;
  machine.stepsLeft -= 1;
  if (machine.stepsLeft < 0) machine.exhausted = 'too many steps';
  // The clock is read every 4096 steps: reading it costs more than a step.
  else if ((machine.stepsLeft & 4095) === 0 && Date.now() > machine.deadline) machine.exhausted = 'out of time';
  machine.allowance -= 1;
  return machine.exhausted === undefined && machine.allowance >= 0;
}

const mentionsByFunction = new WeakMap<FunctionNode, boolean>();
/** Steps for code that does not mention registration. */
const idleSteps = 40_000;
/** Steps for a function that was truncated before: it will be truncated again. */
const repeatedSteps = 1_000;

/**
 * Evaluates a function with a step allowance. Library code inside a bundle can run forever without registering anything,
 * so only code that mentions registration is exempt from the limit.
 */
export function withAllowance<T>(machine: Machine, fn: FunctionNode, module: Module, run: () => T): T {
  const before = machine.allowance;
  // A text search per function, cached: it decides how much of a bundle is evaluated at all.
  const isRelevant = mentionsByFunction.get(fn) ?? mentionsRegistration(module.text.slice(fn.start, fn.end));
  mentionsByFunction.set(fn, isRelevant);
  const isOutermost = before === Number.POSITIVE_INFINITY;
  const most = machine.truncated.has(fn) ? repeatedSteps : idleSteps;
  // Half of the remainder: a runaway callee is truncated, and its caller can still finish.
  const own = isRelevant ? Number.POSITIVE_INFINITY : Math.min(most, isOutermost ? idleSteps : before / 2);
  machine.allowance = own;
  try {
    return run();
  } finally {
    if (machine.allowance < 0) machine.truncated.add(fn);
    // The caller pays for its callees, else a chain of calls would multiply the allowance.
    machine.allowance = isRelevant || isOutermost ? before : before - (own - machine.allowance);
  }
}

/** Evaluates code that may or may not run: writes in it join with the old values (weak updates). */
export function runUncertain<T>(machine: Machine, run: () => T): T {
  machine.level += 1;
  try {
    return run();
  } finally {
    machine.level -= 1;
  }
}
