import type { Call } from '../../ir/nodes.js';
import { addPart } from '../interpreter/assign.js';
import { factOfValue, type Context } from '../interpreter/context.js';
import { keyOf, type Env } from '../facts/environment.js';
import { mergeTaints, untaintedFact, type Fact } from '../facts/facts.js';
import type { CallArgs } from './functions.js';

/** `Object.assign(target, …)`: the target receives the fields of all sources. */
export function objectAssign(context: Context, expr: Call, given: CallArgs, env: Env): Fact {
  const [target = untaintedFact, ...sources] = given.positional;
  const parts = [...(target.fields ?? []), ...sources.flatMap((source) => [...propertyFacts(source)])];
  const key = expr.args[0] && keyOf(expr.args[0].value);
  if (key !== undefined) for (const [name, fact] of parts) addPart(env, key, name, fact, context);
  return { ...target, taints: mergeTaints(...given.positional.map(({ taints }) => taints)), fields: new Map(parts) };
}

const propertyFacts = ({ fields, value }: Fact): Iterable<[string, Fact]> =>
  fields ??
  (value?.kind === 'object' ? [...value.props].map(([name, prop]): [string, Fact] => [name, factOfValue(prop)]) : []);
