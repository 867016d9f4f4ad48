import { findMethod } from '../evaluate/calls/classes.js';
import { functionFrom } from '../evaluate/interpreter/expressions.js';
import type { Frame, Machine, ModuleRun } from '../evaluate/interpreter/abstract-machine.js';
import { lookup } from '../evaluate/values/scope.js';
import { object, type FunctionValue } from '../evaluate/values/values.js';
import type { ClassNode, FunctionNode } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import { isAuxiliary } from '../project/auxiliary-files.js';

/** Matches code that tests for the method `tools/call`, not code that sends such a request. */
const toolCallTest = /(?:==|\bcase|\bis)\s*["'`]tools\/call["'`]|["'`]tools\/call["'`]\s*(?:[:=]|\]\s*=)/;

/** The function that handles `tools/call` in a server without an SDK, if it can be identified. */
export function findHandRolledDispatcher(machine: Machine): FunctionValue | undefined {
  for (const run of machine.runs.values()) {
    if (isAuxiliary(run.module.path) || !toolCallTest.test(run.module.text)) continue;
    const found = innermostDispatcher(run);
    if (found) return toFunctionValue(machine, run, found.fn, found.owner);
  }
  return undefined;
}

interface DispatchFunction {
  readonly fn: FunctionNode;
  readonly owner: ClassNode | undefined;
}

/** The innermost function with parameters that contains the test; a request read from a stream is not a parameter. */
function innermostDispatcher({ module }: ModuleRun): DispatchFunction | undefined {
  let found: DispatchFunction | undefined;
  walk(module.body, {
    mayContain: (text) => toolCallTest.test(text),
    fn: (fn, owner) => {
      const testsForToolCall = toolCallTest.test(module.text.slice(fn.start, fn.end));
      if (testsForToolCall && fn.params.some(({ target }) => !isSelf(target))) found = { fn, owner };
      return testsForToolCall;
    },
  });
  return found;
}

const isSelf = (target: FunctionNode['params'][number]['target']): boolean =>
  target.kind === 'name' && /^(?:self|cls|this)$/.test(target.name);

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
  const method = (fn.name === undefined ? undefined : findMethod(machine, cls, fn.name)) ?? {
    ...functionFrom(fn, cls.scope, frame),
    home: cls,
  };
  return { ...method, self: object([], { cls, at: { module: run.module, spot: owner } }) };
}
