import type { Expr } from '../../ir/nodes.js';
import { dottedName } from '../../ir/names.js';
import { constantText } from '../facts/combine.js';
import type { Context } from '../interpreter/context.js';
import { readVariable, type Env } from '../facts/environment.js';
import { factOf } from '../interpreter/expressions.js';
import type { Fact } from '../facts/facts.js';
import { lastSegment } from '../facts/qualified-names.js';

const environmentReads = /^process\.env\.\w+$|^os\.(?:environ\.get|getenv)\(\)$/;
const truthyWords = /^(?:true|1|yes|on|enabled)$/i;
const switchedOn = '\u0000switched on';
const switchedOff = '\u0000switched off';

/** Marks a comparison with an environment variable that is true only if the operator set it. */
export function settingComparison(op: string, left: Fact, right: Fact): Fact | undefined {
  const isSet = [left, right].some(({ name, taints }) => taints.length === 0 && environmentReads.test(name ?? ''));
  // Only comparisons with a word that switches something on; other settings choose between values.
  if (!isSet || ![left, right].some((fact) => truthyWords.test(constantText(fact) ?? ''))) return undefined;
  return { taints: [], name: op === '==' ? switchedOn : switchedOff };
}

const optOutNames =
  /^(?:is_?)?(?:allow_?(?:all|any|unsafe|insecure|unrestricted|private|local|internal|arbitrary|outside)\w*|unsafe\w*|unrestricted\w*|disable_?(?:security|validation|checks?|guards?|sandbox)\w*|skip_?(?:security|validation|checks?|guards?)\w*|bypass\w*|insecure\w*)$/i;

/**
 * Branch that runs only after the operator disabled a check on purpose (`ALLOW_UNSAFE=1`). A guard with an opt-out counts
 * as active by default.
 */
export function optOutBranch(context: Context, test: Expr, env: Env): 'yes' | 'no' | undefined {
  if (test.kind === 'unary' && test.op === 'not') {
    const inner = optOutBranch(context, test.value, env);
    return inner === undefined ? undefined : inner === 'yes' ? 'no' : 'yes';
  }
  const { name } = factOf(context, test, env);
  if (name === switchedOn) return 'yes';
  if (name === switchedOff) return 'no';
  const spelled = test.kind === 'call' ? undefined : dottedName(test);
  if (spelled === undefined || !optOutNames.test(lastSegment(spelled))) return undefined;
  // A local variable may hold caller data.
  const owner = spelled.replace(/\..*$/, '');
  return owner !== 'this' && owner !== 'self' && readVariable(env, owner) ? undefined : 'yes';
}
