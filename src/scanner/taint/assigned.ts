import type { Call } from '../ir/nodes.js';
import { addPart } from './assign.js';
import { factOfValue, type Context } from './context.js';
import { keyOf, type Env } from './environment.js';
import { mergeTaints, nothingKnown, type Fact } from './facts.js';
import type { Given } from './functions.js';

/** `Object.assign(target, …)`: the target has the parts of all that follow. */
export function assigned(context: Context, expr: Call, given: Given, env: Env): Fact {
  const [target = nothingKnown, ...sources] = given.positional;
  const parts = [...(target.fields ?? []), ...sources.flatMap((source) => [...partsOf(source)])];
  const key = expr.args[0] && keyOf(expr.args[0].value);
  if (key !== undefined) for (const [name, fact] of parts) addPart(env, key, name, fact, context);
  return { ...target, taints: mergeTaints(...given.positional.map(({ taints }) => taints)), fields: new Map(parts) };
}

const partsOf = ({ fields, value }: Fact): Iterable<[string, Fact]> =>
  fields ??
  (value?.kind === 'object' ? [...value.props].map(([name, prop]): [string, Fact] => [name, factOfValue(prop)]) : []);
