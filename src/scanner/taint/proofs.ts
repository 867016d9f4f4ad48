import type { FunctionNode } from '../ir/nodes.js';
import { readKey, type Context, type Exit } from './context.js';
import { keyOf, type Env } from './environment.js';
import { knownTruth } from './expressions.js';
import { all, known, nothingKnown, taintsIn, type Fact, type Implied, type Vouch } from './facts.js';
import type { Given } from './functions.js';
import { heldButForMode } from './modes.js';

/** The dangers that every taint of a name is safe from. */
const safeOf = (context: Context, env: Env, name: string): number =>
  taintsIn(readKey(context, env, name) ?? nothingKnown).reduce((safe, taint) => safe & taint.safe, all);

function withVouches(safe: number, vouches: readonly Vouch[] | undefined, name: string): number {
  let made = safe;
  for (const each of vouches ?? []) if (each.key === name) made |= each.safe;
  return made;
}

/** One name that a function binds, with what the caller knows of the value. */
interface Bound {
  readonly name: string;
  readonly key: string | undefined;
  readonly fact: Fact | undefined;
}

/** The names that the parameters bind, also those taken out of an object that is written at the call. */
function boundNames(fn: FunctionNode, given: Given, isMethod: boolean): readonly Bound[] {
  const plain = given.exprs.filter((arg) => arg.name === undefined);
  return fn.params.flatMap(({ target }, index): Bound[] => {
    const at = index - (isMethod ? 1 : 0);
    const whole = given.positional[at];
    if (target.kind === 'name') {
      const arg = given.exprs.find((each) => each.name === target.name) ?? plain[at];
      return [{ name: target.name, key: arg && keyOf(arg.value), fact: given.named.get(target.name) ?? whole }];
    }
    const written = plain[at]?.value;
    if (target.kind !== 'dict-pattern' || written?.kind !== 'dict') return [];
    return target.entries.flatMap(({ key, target: inner }): Bound[] => {
      const name = key.kind === 'literal' ? String(key.value) : undefined;
      const entry = written.entries.find((each) => each.key?.kind === 'literal' && String(each.key.value) === name);
      return inner.kind !== 'name' || name === undefined || !entry
        ? []
        : [{ name: inner.name, key: keyOf(entry.value), fact: whole?.fields?.get(name) }];
    });
  });
}

/** The ways out of a function with the names that `implication` asks for; all others would only take memory. */
export function provable(fn: FunctionNode, exits: readonly Exit[]): readonly Exit[] {
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

const provesNothing = { always: [], yes: [], no: [] };

/** Whether there is any text of a caller that something could be proved of. */
function isTainted({ positional, named }: Given): boolean {
  for (const fact of positional) if (taintsIn(fact).length > 0) return true;
  for (const fact of named.values()) if (taintsIn(fact).length > 0) return true;
  return false;
}

/** What returning at all, returning true and returning false each say about the caller's names. */
export function implication(
  context: Context,
  exits: readonly Exit[],
  given: Given,
  fn: FunctionNode,
  isMethod: boolean,
  proved: number,
): Implied & { readonly always: readonly Vouch[] } {
  if (!isTainted(given)) return provesNothing;
  const always: Vouch[] = [];
  const yes: Vouch[] = [];
  const no: Vouch[] = [];
  for (const { name, key, fact } of boundNames(fn, given, isMethod)) {
    if (!fact || taintsIn(fact).length === 0) continue;
    const before = taintsIn(fact).reduce((safe, taint) => safe & taint.safe, all);
    let sure = all;
    let whenTrue = all;
    let whenFalse = all;
    for (const exit of exits) {
      const here = safeOf(context, exit.env, name);
      sure &= here;
      if (exit.truth !== false) whenTrue &= withVouches(here, exit.implied?.yes, name);
      if (exit.truth !== true) whenFalse &= withVouches(here, exit.implied?.no, name);
    }
    // One way out alone is under no mode that another is free of.
    if (exits.length > 1) {
      if (heldButForMode(exits, (exit) => safeOf(context, exit.env, name))) sure |= known.byMode;
      const agreeing = exits.filter((exit) => exit.truth !== false);
      const proof = (exit: Exit): number => withVouches(safeOf(context, exit.env, name), exit.implied?.yes, name);
      if (heldButForMode(agreeing, proof)) whenTrue |= known.byMode;
    }
    sure |= proved;
    const targets: { key: string; kinds: number }[] = [
      ...(key === undefined ? [] : [{ key, kinds: all }]),
      ...(fact.from ?? []),
    ];
    const isJudged = exits.some(
      (exit) =>
        (exit.implied?.yes.length ?? 0) > 0 ||
        taintsIn(readKey(context, exit.env, name) ?? nothingKnown).some((taint) => taint.judged),
    );
    for (const { key: outer, kinds } of targets) {
      if (sure !== before && (sure & ~before & kinds) !== 0) always.push({ key: outer, safe: sure & kinds });
      else if (isJudged) always.push({ key: outer, safe: 0 });
      if ((whenTrue & ~before & kinds) !== 0 && exits.some((exit) => exit.truth !== false))
        yes.push({ key: outer, safe: whenTrue & kinds });
      if ((whenFalse & ~before & kinds) !== 0 && exits.some((exit) => exit.truth !== true))
        no.push({ key: outer, safe: whenFalse & kinds });
    }
  }
  return { always, yes, no };
}

/** The exits of a function, its parameters and what it was given. */
type Made = readonly [exits: readonly Exit[], given: Given, fn: FunctionNode, isMethod: boolean];

const maxFlags = 4;

/** An answer such as `{ ok: false, reason }` or `(False, reason)` proves by its parts what a plain truth would prove. */
export function flagged(context: Context, answer: Fact, [exits, given, fn, isMethod]: Made): Fact {
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
    const { yes, no } = implication(context, told, given, fn, isMethod, 0);
    const field = fields.get(key);
    if (field && yes.length + no.length > 0) fields.set(key, { ...field, implies: { yes, no } });
  }
  return { ...answer, fields };
}

/** Whether a part of an answer is true; one that is not there is not. */
function truthOf({ fields }: Fact, key: string): boolean | undefined {
  const field = fields?.get(key);
  return field ? knownTruth(field) : fields ? false : undefined;
}
