import type { Expr, Spot } from '../../ir/nodes.js';
import { walkExpr } from '../../ir/walk.js';
import { readName, type Context, type Exit } from '../interpreter/context.js';
import { readVariable, type Env } from '../facts/environment.js';
import {
  allSafe,
  anyPath,
  callerScalarName,
  proofBit,
  taintsIn,
  markSafe,
  type Fact,
  type Proof,
} from '../facts/facts.js';

/** One branch of a condition on server configuration, as opposed to caller data. */
export interface ConfigBranch {
  readonly at: Spot;
  readonly taken: boolean;
}

/** Whether a condition depends on server state only, so that it is decided by how the server is configured. */
export const isServerState = (context: Context, test: Expr, env: Env): boolean =>
  variablesIn(test).every((name) => {
    const fact = readName(context, env, name);
    // A local variable may hold the result of a check of caller data, unless its value is known.
    const isKnown = readVariable(env, name) === undefined || fact.name !== undefined || fact.value !== undefined;
    return isKnown && fact.from === undefined && fact.name !== callerScalarName && taintsIn(fact).length === 0;
  });

const variablesByTest = new WeakMap<Expr, readonly string[]>();

/** Variables read by a condition; memoised. */
function variablesIn(test: Expr): readonly string[] {
  const before = variablesByTest.get(test);
  if (before) return before;
  const names = new Set<string>();
  walkExpr(test, {
    expr: (expr) => (expr.kind === 'name' ? void names.add(expr.name) : expr.kind !== 'function'),
  });
  const made = [...names];
  variablesByTest.set(test, made);
  return made;
}

const isContained = (safe: number): boolean => (safe & anyPath) === anyPath;
const isOnBranch = ({ configBranches }: Exit, { at, taken }: ConfigBranch): boolean =>
  configBranches?.some((mode) => mode.at === at && mode.taken === taken) === true;

/**
 * Whether a path is contained on every exit except those of one configuration branch. A check that can be configured
 * away is a lower severity than a missing one.
 */
export function isContainedButForConfig(exits: readonly Exit[], safeOf: (exit: Exit) => number): boolean {
  // Exits without tainted data prove nothing.
  const telling = exits.filter((exit) => (safeOf(exit) & allSafe) !== allSafe);
  const open = telling.filter((exit) => !isContained(safeOf(exit)));
  if (open.length === 0 || open.length === telling.length) return false;
  const candidates = open[0]?.configBranches ?? [];
  return candidates.some(
    (mode) =>
      open.every((exit) => isOnBranch(exit, mode)) &&
      telling.some((exit) => !isOnBranch(exit, mode) && isContained(safeOf(exit))),
  );
}

/** Marks a returned path as contained except by configuration, if all other exits return it contained. */
export function returnedByConfig(exits: readonly Exit[], fact: Fact): Fact {
  if (fact.taints.length === 0 || exits.length < 2) return fact;
  const safeOf = (exit: Exit): number => exit.fact.taints.reduce((safe, taint) => safe & taint.safe, -1);
  const isPath = exits.every((exit) => exit.fact.taints.length > 0);
  return isPath && isContainedButForConfig(exits, safeOf)
    ? { ...fact, taints: markSafe(fact.taints, proofBit.containedByConfig, true) }
    : fact;
}

/** Containment proofs that a setting beside them can disable: `allowAll || isInside(path)`. */
export const optionalProofs = (vouches: readonly Proof[]): readonly Proof[] =>
  vouches.filter(({ safe }) => isContained(safe)).map(({ key }) => ({ key, safe: proofBit.containedByConfig }));

/** Marks variables that only one branch of a configuration condition proves contained. */
export function markOneSidedContainment(yes: Env, no: Env, after: Env): void {
  for (const [key, fact] of after.vars) {
    const sides = [yes, no].map((env) => env.vars.get(key)?.taints ?? []);
    if (fact.taints.length === 0 || sides.some((taints) => taints.length === 0)) continue;
    const [one, other] = sides.map((taints) => isContained(taints.reduce((safe, taint) => safe & taint.safe, allSafe)));
    if (one !== other)
      after.vars.set(key, { ...fact, taints: markSafe(fact.taints, proofBit.containedByConfig, true) });
  }
}
