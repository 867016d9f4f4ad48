import { classFrom } from '../../evaluate/calls/classes.js';
import type { Frame } from '../../evaluate/interpreter/abstract-machine.js';
import { undefinedValue, type Value } from '../../evaluate/values/values.js';
import type { ClassNode } from '../../ir/nodes.js';
import { factOfValue, type Context } from './context.js';
import type { Env } from '../facts/environment.js';
import type { Fact } from '../facts/facts.js';

/** Frame of the first pass for code found on this path. */
export function frameIn(context: Context, env: Env): Frame {
  // The module may not have run in the first pass (imported lazily); an empty run resolves nothing but does not fail.
  const run = context.machine.runs.get(env.module.path) ?? {
    module: env.module,
    scope: env.scope,
    exports: new Map(),
    commonjs: undefinedValue,
    done: true,
  };
  return { run, returned: undefined, yielded: [], isGenerator: false };
}

const classValues = new WeakMap<ClassNode, Value>();

/** Class declared inside a function; built once, because it does not depend on the path. */
export function localClass(context: Context, cls: ClassNode, env: Env): Fact {
  const before = classValues.get(cls);
  const value = before ?? classFrom(context.machine, cls, env.scope, frameIn(context, env));
  if (!before) classValues.set(cls, value);
  return factOfValue(value);
}
