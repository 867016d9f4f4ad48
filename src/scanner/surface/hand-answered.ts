import { findMethod } from '../evaluate/classes.js';
import { functionFrom } from '../evaluate/expressions.js';
import type { Frame, Machine, ModuleRun } from '../evaluate/machine.js';
import { lookup } from '../evaluate/scope.js';
import { object, type FunctionValue } from '../evaluate/values.js';
import type { ClassNode, FunctionNode } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import { isAside } from '../project/aside.js';

/** A place that asks whether a call is meant, and not one that makes a call. */
const asks = /(?:==|\bcase|\bis)\s*["'`]tools\/call["'`]|["'`]tools\/call["'`]\s*(?:[:=]|\]\s*=)/;

/** The function of a program that speaks the protocol by hand which answers `tools/call`, where one can be told. */
export function answererByHand(machine: Machine): FunctionValue | undefined {
  for (const run of machine.runs.values()) {
    if (isAside(run.module.path) || !asks.test(run.module.text)) continue;
    const found = innermost(run);
    if (found) return valueOf(machine, run, found.fn, found.owner);
  }
  return undefined;
}

interface Found {
  readonly fn: FunctionNode;
  readonly owner: ClassNode | undefined;
}

/** The smallest function around the question that is given something: a request that is read from a stream is nobody's parameter. */
function innermost({ module }: ModuleRun): Found | undefined {
  let found: Found | undefined;
  walk(module.body, {
    mayHold: (text) => asks.test(text),
    fn: (fn, owner) => {
      const isAsking = asks.test(module.text.slice(fn.start, fn.end));
      if (isAsking && fn.params.some(({ target }) => !isSelf(target))) found = { fn, owner };
      return isAsking;
    },
  });
  return found;
}

const isSelf = (target: FunctionNode['params'][number]['target']): boolean =>
  target.kind === 'name' && /^(?:self|cls|this)$/.test(target.name);

function valueOf(
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
