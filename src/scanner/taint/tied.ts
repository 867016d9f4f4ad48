import type { Call } from '../ir/nodes.js';
import { passesOn } from './callbacks.js';
import type { Context } from './context.js';
import type { Env } from './environment.js';
import { factOf } from './expressions.js';
import type { Given } from './functions.js';
import type { SeenCall } from './sinks.js';

/** `to_thread(path.write_text, text)`: a method of something of the caller's is handed on, and called there as it would be here. */
export function tiedMethods(
  context: Context,
  name: string,
  expr: Call,
  given: Given,
  env: Env,
): readonly Pick<SeenCall, 'name' | 'args' | 'receiver'>[] {
  if (!passesOn.test(name)) return [];
  return given.positional.slice(0, 2).flatMap((fact, at) => {
    const handed = expr.args[at]?.value;
    if (handed?.kind !== 'member' || fact.name === undefined || fact.taints.length === 0) return [];
    return [{ name: fact.name, args: given.positional.slice(at + 1), receiver: factOf(context, handed.object, env) }];
  });
}
