import type { FunctionNode, Module } from '../ir/nodes.js';
import type { Project } from '../project/load.js';
import { mentionsRegistration } from './relevance.js';
import type { Scope } from './scope.js';
import type { Args, ClassValue, FunctionValue, Place, Value } from './values.js';

/** A call that the code makes, shown to whoever watches the run. */
export interface CallSeen {
  readonly callee: Value;
  /** The property called and the value it was taken from, for `a.b()`. */
  readonly method: string;
  readonly receiver?: Value | undefined;
  readonly args: Args;
  readonly at: Place;
  readonly isNew: boolean;
}

/** Answers a call in place of the machine, or undefined to let it proceed. */
export type Watcher = (call: CallSeen, machine: Machine) => Value | undefined;

/** One module being run: its names and what it exports. */
export interface ModuleRun {
  readonly module: Module;
  readonly scope: Scope;
  readonly exports: Map<string, () => Value | undefined>;
  /** The value of `module.exports` once code assigned to it. */
  commonjs: Value;
  done: boolean;
}

/** The state of one abstract run over a project: what was reached, and how much may still be done. */
export interface Machine {
  readonly project: Project;
  readonly watch: Watcher;
  /** Whether settings that nobody made are taken as unset, or as anything. */
  readonly settings: 'unset' | 'any';
  /** True once a setting was taken as unset: another run would see more. */
  assumed: boolean;
  readonly runs: Map<string, ModuleRun>;
  /** How many untold conditions surround the place being run. */
  level: number;
  depth: number;
  stepsLeft: number;
  /** What the code being run may still spend before it is cut short; endless inside code that speaks of registering. */
  allowance: number;
  /** Functions that were cut short once: they get little the next time. */
  readonly cut: Set<FunctionNode>;
  readonly deadline: number;
  readonly active: Map<FunctionNode, number>;
  /** How often each function was run. */
  readonly entered: Map<FunctionNode, number>;
  /** Functions handed to the outside, with how often they were run for it. */
  readonly escaped: Map<FunctionNode, number>;
  /** Modules that were left because they nest deeper than can be followed. */
  readonly unfinished: Set<string>;
  /** Set when a budget ended the run early. */
  exhausted: string | undefined;
  /** Imports whose target is only partly known. */
  readonly loose: { readonly at: Place; readonly prefix: string }[];
  /** Links between modules being read right now. */
  readonly following: Set<string>;
  /** Options of the command line that the program declares, with what they hold when nobody gives them. */
  readonly options: Map<string, Value>;
  /** Lists that code keeps under the key `tools`, as an answer to `tools/list` does. */
  readonly offered: { readonly items: Value; readonly at: Place }[];
  /** Built-in objects, made once. */
  readonly globals: Map<string, Value | undefined>;
  readonly prototypes: Map<ClassValue, Map<string, FunctionValue | undefined>>;
}

/** One function or module body being run. */
export interface Frame {
  readonly run: ModuleRun;
  readonly self?: Value | undefined;
  readonly home?: ClassValue | undefined;
  returned: Value | undefined;
  readonly yielded: Value[];
  readonly isGenerator: boolean;
  readonly args?: Args | undefined;
}

const stepLimit = 4_000_000;

/** A machine that has not run anything yet. */
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
    assumed: false,
    runs: new Map(),
    level: 0,
    depth: 0,
    stepsLeft: stepLimit,
    allowance: Number.POSITIVE_INFINITY,
    cut: new Set(),
    deadline: Date.now() + timeoutMs,
    active: new Map(),
    entered: new Map(),
    escaped: new Map(),
    unfinished: new Set(),
    exhausted: undefined,
    loose: [],
    following: new Set(),
    options: new Map(),
    offered: [],
    globals: new Map(),
    prototypes: new Map(),
  };
}

/** Counts one step; false when the run must end. */
export function step(machine: Machine): boolean {
  if (machine.exhausted !== undefined) return false;
  machine.stepsLeft -= 1;
  if (machine.stepsLeft < 0) machine.exhausted = 'too many steps';
  else if ((machine.stepsLeft & 4095) === 0 && Date.now() > machine.deadline) machine.exhausted = 'out of time';
  machine.allowance -= 1;
  return machine.exhausted === undefined && machine.allowance >= 0;
}

const relevant = new WeakMap<FunctionNode, boolean>();
const idleSteps = 40_000;
const lateSteps = 1_000;

/**
 * Runs a function with what it may spend: a library inside a bundle can go on forever and tell nothing, so only code
 * that speaks of registering runs without a limit of its own.
 */
export function allowed<T>(machine: Machine, fn: FunctionNode, module: Module, run: () => T): T {
  const before = machine.allowance;
  const isRelevant = relevant.get(fn) ?? mentionsRegistration(module.text.slice(fn.start, fn.end));
  relevant.set(fn, isRelevant);
  const isOutermost = before === Number.POSITIVE_INFINITY;
  const most = machine.cut.has(fn) ? lateSteps : idleSteps;
  // Half of what is left: a callee that runs away is cut itself, and its caller still comes to its end.
  const own = isRelevant ? Number.POSITIVE_INFINITY : Math.min(most, isOutermost ? idleSteps : before / 2);
  machine.allowance = own;
  try {
    return run();
  } finally {
    if (machine.allowance < 0) machine.cut.add(fn);
    machine.allowance = isRelevant || isOutermost ? before : before - (own - machine.allowance);
  }
}

/** Runs something that may or may not happen. */
export function maybe<T>(machine: Machine, run: () => T): T {
  machine.level += 1;
  try {
    return run();
  } finally {
    machine.level -= 1;
  }
}
