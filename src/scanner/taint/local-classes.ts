import { classFrom } from '../evaluate/classes.js';
import type { Frame } from '../evaluate/machine.js';
import { nothing, type Value } from '../evaluate/values.js';
import type { ClassNode } from '../ir/nodes.js';
import { factOfValue, type Context } from './context.js';
import type { Env } from './environment.js';
import type { Fact } from './facts.js';

/** The place of the abstract run that code met on this path stands in. */
export function frameIn(context: Context, env: Env): Frame {
  const run = context.machine.runs.get(env.module.path) ?? {
    module: env.module,
    scope: env.scope,
    exports: new Map(),
    commonjs: nothing,
    done: true,
  };
  return { run, returned: undefined, yielded: [], isGenerator: false };
}

const made = new WeakMap<ClassNode, Value>();

/** A class that a function makes for itself; made once, since what it is does not hang on the path. */
export function localClass(context: Context, cls: ClassNode, env: Env): Fact {
  const before = made.get(cls);
  const value = before ?? classFrom(context.machine, cls, env.scope, frameIn(context, env));
  if (!before) made.set(cls, value);
  return factOfValue(value);
}
