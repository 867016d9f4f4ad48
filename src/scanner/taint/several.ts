import { optionsOf, type FunctionValue, type Value } from '../evaluate/values.js';
import type { Context } from './context.js';
import { branch, meet, type Env } from './environment.js';
import { joinFacts, type Fact } from './facts.js';
import { callProject, type Given } from './functions.js';

const maxTargets = 8;

/** The functions that a value may be. */
export const functionsIn = (value: Value | undefined): readonly FunctionValue[] =>
  (value ? optionsOf(value) : [])
    .filter((option): option is FunctionValue => option.kind === 'function')
    .filter((option, at, list) => list.findIndex((same) => same.fn === option.fn) === at)
    .slice(0, maxTargets);

/** Whichever of several functions is meant: each is followed, and only what all of them prove is proved. */
export function callEach(
  context: Context,
  targets: readonly FunctionValue[],
  given: Given,
  receiver: Fact | undefined,
  env: Env,
  keepSelf?: (fields: ReadonlyMap<string, Fact>) => void,
): Fact {
  const [only] = targets;
  const enter = (target: FunctionValue, at: Env): Fact => {
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
  const ways = targets.map((target) => {
    const inner = branch(env);
    return { inner, fact: enter(target, inner) };
  });
  meet(
    env,
    ways.map(({ inner }) => inner),
  );
  const open = ways.map(({ fact }) => fact).filter(({ name }) => name !== '\u0000never');
  return open.length === 0 ? { taints: [], name: '\u0000never' } : open.reduce((one, other) => joinFacts(one, other));
}
