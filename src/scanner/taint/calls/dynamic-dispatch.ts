import { optionsOf, type FunctionValue, type Value } from '../../evaluate/values/values.js';
import type { Context } from '../interpreter/context.js';
import { forkEnv, joinEnvs, type Env } from '../facts/environment.js';
import { joinFacts, type Fact } from '../facts/facts.js';
import { callProject, type CallArgs } from './functions.js';

/** Further targets are dropped, which can lose findings but bounds the product of nested dispatch. */
const maxTargets = 8;

/** Functions a callee may be, without duplicates, bounded. */
export const candidateFunctions = (value: Value | undefined): readonly FunctionValue[] =>
  (value ? optionsOf(value) : [])
    .filter((option): option is FunctionValue => option.kind === 'function')
    .filter((option, at, list) => list.findIndex((same) => same.fn === option.fn) === at)
    .slice(0, maxTargets);

/** Analyses every possible target and joins the results: only proofs common to all targets remain. */
export function callAllTargets(
  context: Context,
  targets: readonly FunctionValue[],
  given: CallArgs,
  receiver: Fact | undefined,
  env: Env,
  keepSelf?: (fields: ReadonlyMap<string, Fact>) => void,
): Fact {
  const [only] = targets;
  const enter = (target: FunctionValue, at: Env): Fact => {
    // With several targets each has its own receiver; that of the call belongs to one of them only.
    const self = targets.length > 1 && target.self ? undefined : receiver;
    return callProject(
      context,
      { target: target.wraps ?? target },
      given,
      self ?? (target.self ? { taints: [], value: target.self } : undefined),
      at,
      targets.length === 1 ? keepSelf : undefined,
    );
  };
  if (only && targets.length === 1) return enter(only, env);
  // Each target runs on a fork: a proof of one must not hold for the others.
  const ways = targets.map((target) => {
    const inner = forkEnv(env);
    return { inner, fact: enter(target, inner) };
  });
  joinEnvs(
    env,
    ways.map(({ inner }) => inner),
  );
  // Targets that never return contribute no value.
  const open = ways.map(({ fact }) => fact).filter(({ name }) => name !== '\u0000never');
  return open.length === 0 ? { taints: [], name: '\u0000never' } : open.reduce((one, other) => joinFacts(one, other));
}
