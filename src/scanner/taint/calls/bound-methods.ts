import type { Call } from '../../ir/nodes.js';
import type { Context } from '../interpreter/context.js';
import type { Env } from '../facts/environment.js';
import { factOf } from '../interpreter/expressions.js';
import type { CallArgs } from './functions.js';
import { isModelled } from '../models/models.js';
import type { CallSite } from '../models/sinks.js';

/** `to_thread(path.write_text, text)`: a bound method of a tainted value is passed on; matches it against the sinks as a direct call. */
export function boundMethodCalls(
  context: Context,
  name: string,
  expr: Call,
  given: CallArgs,
  env: Env,
): readonly Pick<CallSite, 'name' | 'args' | 'receiver'>[] {
  if (!isModelled('forwards-arguments', name)) return [];
  // The function is the first argument, or the second behind an executor.
  return given.positional.slice(0, 2).flatMap((fact, at) => {
    const handed = expr.args[at]?.value;
    if (handed?.kind !== 'member' || fact.name === undefined || fact.taints.length === 0) return [];
    return [{ name: fact.name, args: given.positional.slice(at + 1), receiver: factOf(context, handed.object, env) }];
  });
}
