import type { Expr, Spot } from '../ir/nodes.js';
import { walkExpr } from '../ir/walk.js';
import { readName, type Context, type Exit } from './context.js';
import { read, type Env } from './environment.js';
import { all, anyPath, givenName, known, taintsIn, vouchFor, type Fact, type Vouch } from './facts.js';

/** One side of a condition on the server's own state: a setting, not anything the caller gives. */
export interface Mode {
  readonly at: Spot;
  readonly taken: boolean;
}

/** Whether a condition asks for nothing of the caller's: what it decides is how the server was set up. */
export const isOwnState = (context: Context, test: Expr, env: Env): boolean =>
  namesIn(test).every((name) => {
    const fact = readName(context, env, name);
    // A name of the function itself may hold what was found out about the caller's text, unless it is known what it holds.
    const isTold = read(env, name) === undefined || fact.name !== undefined || fact.value !== undefined;
    return isTold && fact.from === undefined && fact.name !== givenName && taintsIn(fact).length === 0;
  });

const asked = new WeakMap<Expr, readonly string[]>();

/** The names that a condition asks for, looked at once. */
function namesIn(test: Expr): readonly string[] {
  const before = asked.get(test);
  if (before) return before;
  const names = new Set<string>();
  walkExpr(test, {
    expr: (expr) => (expr.kind === 'name' ? void names.add(expr.name) : expr.kind !== 'function'),
  });
  const made = [...names];
  asked.set(test, made);
  return made;
}

const isHeld = (safe: number): boolean => (safe & anyPath) === anyPath;
const isIn = ({ modes }: Exit, { at, taken }: Mode): boolean =>
  modes?.some((mode) => mode.at === at && mode.taken === taken) === true;

/**
 * Whether a path is held to a folder on every way out but those of one mode. A server that can be told to let any path
 * through is not the one that forgot to look.
 */
export function heldButForMode(exits: readonly Exit[], safeOf: (exit: Exit) => number): boolean {
  // Where nothing of the caller's is left, nothing was held.
  const telling = exits.filter((exit) => (safeOf(exit) & all) !== all);
  const open = telling.filter((exit) => !isHeld(safeOf(exit)));
  if (open.length === 0 || open.length === telling.length) return false;
  const candidates = open[0]?.modes ?? [];
  return candidates.some(
    (mode) =>
      open.every((exit) => isIn(exit, mode)) && telling.some((exit) => !isIn(exit, mode) && isHeld(safeOf(exit))),
  );
}

/** What is returned, held but for a mode where all other ways return it held. */
export function answerByMode(exits: readonly Exit[], fact: Fact): Fact {
  if (fact.taints.length === 0 || exits.length < 2) return fact;
  const safeOf = (exit: Exit): number => exit.fact.taints.reduce((safe, taint) => safe & taint.safe, -1);
  const isPath = exits.every((exit) => exit.fact.taints.length > 0);
  return isPath && heldButForMode(exits, safeOf)
    ? { ...fact, taints: vouchFor(fact.taints, known.byMode, true) }
    : fact;
}

/** Checks of a path that a setting beside them can lift. */
export const liftable = (vouches: readonly Vouch[]): readonly Vouch[] =>
  vouches.filter(({ safe }) => isHeld(safe)).map(({ key }) => ({ key, safe: known.byMode }));

/** Names that one side of a condition on the server's state holds to a folder and the other does not. */
export function heldOnOneSide(yes: Env, no: Env, after: Env): void {
  for (const [key, fact] of after.vars) {
    const sides = [yes, no].map((env) => env.vars.get(key)?.taints ?? []);
    if (fact.taints.length === 0 || sides.some((taints) => taints.length === 0)) continue;
    const [one, other] = sides.map((taints) => isHeld(taints.reduce((safe, taint) => safe & taint.safe, all)));
    if (one !== other) after.vars.set(key, { ...fact, taints: vouchFor(fact.taints, known.byMode, true) });
  }
}
