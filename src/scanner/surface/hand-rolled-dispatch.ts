import { findMethod } from '../evaluate/calls/classes.js';
import { functionFrom } from '../evaluate/interpreter/expressions.js';
import type { Frame, Machine, ModuleRun } from '../evaluate/interpreter/abstract-machine.js';
import { lookup } from '../evaluate/values/scope.js';
import { object, type FunctionValue } from '../evaluate/values/values.js';
import type { ClassNode, FunctionNode, Module } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import { isAuxiliary } from '../project/auxiliary-files.js';

/** Matches code that tests for the method `tools/call`, not code that sends such a request. */
const toolCallTest = /(?:==|\bcase|\bis)\s*["'`]tools\/call["'`]|["'`]tools\/call["'`]\s*(?:[:=]|\]\s*=|,\s*\w+\s*\))/;
/** Code that reads messages: a program is followed from here, so that a decoy elsewhere hides nothing. */
const readsMessages =
  /\bstdin\b|createInterface\(|\.get_json\(|request\.json\b|\breq(?:uest)?\.body\b|\.req\.json\(|StreamReader|input\(\)|\.on\(\s*['"]message/;
/** Bounds the work for a program with many functions that read messages. */
const maxHandlers = 8;

/**
 * Where the messages of a server without an SDK arrive, the whole programs that read them first: everything reached from a
 * read loop is a handler. Functions that test for `tools/call` follow, in case a framework calls them (a route, a listener).
 */
export function findMessageHandlers(machine: Machine): readonly FunctionValue[] {
  const programs: FunctionValue[] = [];
  const functions: FunctionValue[] = [];
  for (const run of machine.runs.values()) {
    // Tests and examples imitate clients, which would look like servers.
    if (isAuxiliary(run.module.path)) continue;
    if (readsMessages.test(run.module.text)) programs.push(programOf(run));
    if (!toolCallTest.test(run.module.text)) continue;
    for (const { fn, owner } of dispatchFunctions(run)) {
      const found = toFunctionValue(machine, run, fn, owner);
      if (found) functions.push(found);
    }
  }
  return [...functions, ...programs].slice(0, maxHandlers);
}

/** One synthetic function per module, so that caches keyed by function nodes work. */
const programs = new WeakMap<Module, FunctionNode>();

/** The statements of a module as a function, so that its top-level read loop is analysed like a handler. */
export function programOf({ module, scope }: ModuleRun): FunctionValue {
  const fn: FunctionNode = programs.get(module) ?? {
    name: module.path,
    params: [],
    body: module.body,
    isAsync: true,
    isGenerator: false,
    isArrow: false,
    decorators: [],
    start: 0,
    end: module.text.length,
    decoratedStart: 0,
  };
  programs.set(module, fn);
  return { kind: 'function', fn, scope, module, props: new Map() };
}

/** A function that tests for `tools/call`, with its class. */
interface DispatchFunction {
  readonly fn: FunctionNode;
  readonly owner: ClassNode | undefined;
}

/** The functions that contain the test themselves, not in a function inside of them. */
function dispatchFunctions({ module }: ModuleRun): readonly DispatchFunction[] {
  const found: DispatchFunction[] = [];
  walk(module.body, {
    mayContain: (text) => toolCallTest.test(text),
    fn: (fn, owner) => {
      const testsForToolCall = toolCallTest.test(module.text.slice(fn.start, fn.end));
      if (testsForToolCall) found.push({ fn, owner });
      return testsForToolCall;
    },
  });
  return found.filter(({ fn }) => !found.some((other) => other.fn !== fn && isInside(other.fn, fn)));
}

/** Whether a function lies inside of another one. */
const isInside = (inner: FunctionNode, outer: FunctionNode): boolean =>
  inner.start >= outer.start && inner.end <= outer.end;

/** The function of the evaluation, bound to an instance if it is a method. */
function toFunctionValue(
  machine: Machine,
  run: ModuleRun,
  fn: FunctionNode,
  owner: ClassNode | undefined,
): FunctionValue | undefined {
  const frame: Frame = { run, returned: undefined, yielded: [], isGenerator: false };
  if (!owner) {
    const known = fn.name === undefined ? undefined : lookup(run.scope, fn.name);
    return known?.kind === 'function' && known.fn === fn ? known : functionFrom(fn, run.scope, frame);
  }
  const cls = owner.name === undefined ? undefined : lookup(run.scope, owner.name);
  if (cls?.kind !== 'class') return undefined;
  // A method that no subclass overrides is taken as declared.
  const method = (fn.name === undefined ? undefined : findMethod(machine, cls, fn.name)) ?? {
    ...functionFrom(fn, cls.scope, frame),
    home: cls,
  };
  return { ...method, self: object([], { cls, at: { module: run.module, spot: owner } }) };
}
