import type { Expr } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { textOf } from './combine.js';
import type { Context } from './context.js';
import { read, type Env } from './environment.js';
import { factOf } from './expressions.js';
import type { Fact } from './facts.js';
import { lastWord } from './names.js';

const environment = /^process\.env\.\w+$|^os\.(?:environ\.get|getenv)\(\)$/;
const on = /^(?:true|1|yes|on|enabled)$/i;
const switchedOn = '\u0000switched on';
const switchedOff = '\u0000switched off';

/** What a comparison with a setting of the environment gives, where the setting must be made for it to hold. */
export function ofSetting(op: string, left: Fact, right: Fact): Fact | undefined {
  const isSet = [left, right].some(({ name, taints }) => taints.length === 0 && environment.test(name ?? ''));
  if (!isSet || ![left, right].some((fact) => on.test(textOf(fact) ?? ''))) return undefined;
  return { taints: [], name: op === '==' ? switchedOn : switchedOff };
}

const lifts =
  /^(?:is_?)?(?:allow_?(?:all|any|unsafe|insecure|unrestricted|private|local|internal|arbitrary|outside)\w*|unsafe\w*|unrestricted\w*|disable_?(?:security|validation|checks?|guards?|sandbox)\w*|skip_?(?:security|validation|checks?|guards?)\w*|bypass\w*|insecure\w*)$/i;

/**
 * Which branch of a condition is run only after whoever runs the server has lifted a check on purpose. A guard that can be
 * switched off holds as long as nobody does.
 */
export function liftedBranch(context: Context, test: Expr, env: Env): 'yes' | 'no' | undefined {
  if (test.kind === 'unary' && test.op === 'not') {
    const inner = liftedBranch(context, test.value, env);
    return inner === undefined ? undefined : inner === 'yes' ? 'no' : 'yes';
  }
  const { name } = factOf(context, test, env);
  if (name === switchedOn) return 'yes';
  if (name === switchedOff) return 'no';
  const spelled = test.kind === 'call' ? undefined : dottedName(test);
  if (spelled === undefined || !lifts.test(lastWord(spelled))) return undefined;
  // A name of the function itself may hold what the caller asked for.
  const owner = spelled.replace(/\..*$/, '');
  return owner !== 'this' && owner !== 'self' && read(env, owner) ? undefined : 'yes';
}
