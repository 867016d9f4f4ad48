import type { FunctionNode } from '../../ir/nodes.js';
import { readKey, type Context, type Exit } from '../interpreter/context.js';
import { keyOf, type Env } from '../facts/environment.js';
import { knownTruth } from '../interpreter/expressions.js';
import { allSafe, proofBit, untaintedFact, taintsIn, type Fact, type Implication, type Proof } from '../facts/facts.js';
import type { CallArgs } from '../calls/functions.js';
import { isContainedButForConfig } from './config-branches.js';

/** Bits that all taints of a variable have in common. */
const commonBits = (context: Context, env: Env, name: string): number =>
  taintsIn(readKey(context, env, name) ?? untaintedFact).reduce((safe, taint) => safe & taint.safe, allSafe);

function addProofs(safe: number, vouches: readonly Proof[] | undefined, name: string): number {
  let made = safe;
  for (const each of vouches ?? []) if (each.key === name) made |= each.safe;
  return made;
}

/** Parameter with the key and the fact of its argument in the caller. */
interface ParameterBinding {
  readonly name: string;
  readonly key: string | undefined;
  readonly fact: Fact | undefined;
}

/** Parameters of a function, including those destructured from an object literal at the call. */
function parameterBindings(fn: FunctionNode, given: CallArgs, isMethod: boolean): readonly ParameterBinding[] {
  const plain = given.exprs.filter((arg) => arg.name === undefined);
  return fn.params.flatMap(({ target }, index): ParameterBinding[] => {
    const at = index - (isMethod ? 1 : 0);
    const whole = given.positional[at];
    if (target.kind === 'name') {
      const arg = given.exprs.find((each) => each.name === target.name) ?? plain[at];
      return [{ name: target.name, key: arg && keyOf(arg.value), fact: given.named.get(target.name) ?? whole }];
    }
    const written = plain[at]?.value;
    if (target.kind !== 'dict-pattern' || written?.kind !== 'dict') return [];
    return target.entries.flatMap(({ key, target: inner }): ParameterBinding[] => {
      const name = key.kind === 'literal' ? String(key.value) : undefined;
      const entry = written.entries.find((each) => each.key?.kind === 'literal' && String(each.key.value) === name);
      return inner.kind !== 'name' || name === undefined || !entry
        ? []
        : [{ name: inner.name, key: keyOf(entry.value), fact: whole?.fields?.get(name) }];
    });
  });
}

/** Exits reduced to the variables that `implication` reads, to bound the memory of summaries. */
export function trimExits(fn: FunctionNode, exits: readonly Exit[]): readonly Exit[] {
  const names = fn.params.flatMap(({ target }) =>
    (target.kind === 'dict-pattern' ? target.entries.map((entry) => entry.target) : [target]).flatMap((each) =>
      each.kind === 'name' ? [each.name] : [],
    ),
  );
  return exits.map((exit) => {
    const vars = new Map<string, Fact>();
    for (const name of names) {
      const fact = exit.env.vars.get(name);
      if (fact) vars.set(name, fact);
    }
    return { ...exit, env: { ...exit.env, vars } };
  });
}

const noProofs = { always: [], yes: [], no: [] };

/** Whether any argument is tainted; otherwise there is nothing to prove. */
function isTainted({ positional, named }: CallArgs): boolean {
  for (const fact of positional) if (taintsIn(fact).length > 0) return true;
  for (const fact of named.values()) if (taintsIn(fact).length > 0) return true;
  return false;
}

/** What a call proves about the caller's variables: by returning at all (it throws otherwise), by returning true, by returning false. */
export function callImplication(
  context: Context,
  exits: readonly Exit[],
  given: CallArgs,
  fn: FunctionNode,
  isMethod: boolean,
  proved: number,
): Implication & { readonly always: readonly Proof[] } {
  if (!isTainted(given)) return noProofs;
  const always: Proof[] = [];
  const yes: Proof[] = [];
  const no: Proof[] = [];
  for (const { name, key, fact } of parameterBindings(fn, given, isMethod)) {
    if (!fact || taintsIn(fact).length === 0) continue;
    // Bits the argument had before: only what the call adds is a proof of the call.
    const before = taintsIn(fact).reduce((safe, taint) => safe & taint.safe, allSafe);
    let sure = allSafe;
    let whenTrue = allSafe;
    let whenFalse = allSafe;
    for (const exit of exits) {
      // Meet over all exits: a proof holds only if no exit lacks it.
      const here = commonBits(context, exit.env, name);
      sure &= here;
      if (exit.truth !== false) whenTrue &= addProofs(here, exit.implied?.yes, name);
      if (exit.truth !== true) whenFalse &= addProofs(here, exit.implied?.no, name);
    }
    // With a single exit no configuration branch can make a difference.
    if (exits.length > 1) {
      if (isContainedButForConfig(exits, (exit) => commonBits(context, exit.env, name)))
        sure |= proofBit.containedByConfig;
      const agreeing = exits.filter((exit) => exit.truth !== false);
      const proof = (exit: Exit): number => addProofs(commonBits(context, exit.env, name), exit.implied?.yes, name);
      if (isContainedButForConfig(agreeing, proof)) whenTrue |= proofBit.containedByConfig;
    }
    sure |= proved;
    const targets: { key: string; kinds: number }[] = [
      ...(key === undefined ? [] : [{ key, kinds: allSafe }]),
      ...(fact.from ?? []),
    ];
    const isChecked = exits.some(
      (exit) =>
        (exit.implied?.yes.length ?? 0) > 0 ||
        taintsIn(readKey(context, exit.env, name) ?? untaintedFact).some((taint) => taint.isChecked),
    );
    for (const { key: outer, kinds } of targets) {
      if (sure !== before && (sure & ~before & kinds) !== 0) always.push({ key: outer, safe: sure & kinds });
      // Looked at but not proved: lowers the severity, rules nothing out.
      else if (isChecked) always.push({ key: outer, safe: 0 });
      if ((whenTrue & ~before & kinds) !== 0 && exits.some((exit) => exit.truth !== false))
        yes.push({ key: outer, safe: whenTrue & kinds });
      if ((whenFalse & ~before & kinds) !== 0 && exits.some((exit) => exit.truth !== true))
        no.push({ key: outer, safe: whenFalse & kinds });
    }
  }
  return { always, yes, no };
}

/** Exits, arguments and function of one call. */
type CallRun = readonly [exits: readonly Exit[], given: CallArgs, fn: FunctionNode, isMethod: boolean];

/** Flag fields examined per result; each costs a pass over all exits. */
const maxFlags = 4;

/** A result such as `{ ok: false, reason }` or `(False, reason)`: its flag field proves what a plain boolean would. */
export function withFlagProofs(context: Context, answer: Fact, [exits, given, fn, isMethod]: CallRun): Fact {
  if (!answer.fields) return answer;
  const fields = new Map(answer.fields);
  const tells = ({ fact }: Exit, key: string): boolean =>
    fact.fields?.get(key)?.implies !== undefined || (exits.length > 1 && truthOf(fact, key) !== undefined);
  const flags = [...fields.keys()].filter((key) => exits.some((exit) => tells(exit, key)));
  for (const key of flags.slice(0, maxFlags)) {
    const told = exits.map((exit) => ({
      ...exit,
      truth: truthOf(exit.fact, key),
      implied: exit.fact.fields?.get(key)?.implies,
    }));
    const { yes, no } = callImplication(context, told, given, fn, isMethod, 0);
    const field = fields.get(key);
    if (field && yes.length + no.length > 0) fields.set(key, { ...field, implies: { yes, no } });
  }
  return { ...answer, fields };
}

/** Truth of a field of a result; a missing field is false. */
function truthOf({ fields }: Fact, key: string): boolean | undefined {
  const field = fields?.get(key);
  return field ? knownTruth(field) : fields ? false : undefined;
}
