import type { Call } from '../../ir/nodes.js';
import type { Env } from '../facts/environment.js';
import type { Context } from '../interpreter/context.js';
import { factOf } from '../interpreter/expressions.js';

/** Whether a call returns a promise or coroutine of project code: as a condition it is always true, as a check it has not run. */
export function isPromise(context: Context, { callee }: Call, env: Env): boolean {
  if (callee.kind !== 'name' && callee.kind !== 'member') return false;
  const { closure, value } = factOf(context, callee, env);
  const fn = closure?.fn ?? (value?.kind === 'function' ? value.fn : undefined);
  return fn !== undefined && fn.isAsync && !fn.isGenerator;
}
