import type { InputSchema } from '../surface/report.js';
import { refinedBy, type Refinement } from '../surface/schema-zod.js';
import type { Context } from './context.js';
import { vouched, type Env } from './environment.js';
import { all, nothingKnown, taintsIn, type Fact } from './facts.js';
import { callProject } from './functions.js';
import { ofList } from './guard-lists.js';

/** The value that a function of a schema is asked about, as its answer names it. */
const asked = '\u0000asked';

/** The parts of an object after the functions that its schema asks: `z.string().refine(isName).transform(lower)`. */
export function refine(
  context: Context,
  fields: ReadonlyMap<string, Fact>,
  schema: InputSchema,
  env: Env,
): ReadonlyMap<string, Fact> {
  const made = new Map(fields);
  for (const [name, fact] of fields) {
    if (taintsIn(fact).length === 0) continue;
    const property = schema.properties[name];
    const steps = typeof property === 'object' && property !== null ? Reflect.get(property, refinedBy) : undefined;
    if (Array.isArray(steps))
      made.set(
        name,
        steps.filter(isRefinement).reduce((at, step) => passed(context, at, step, env), fact),
      );
  }
  return made;
}

const isRefinement = (step: unknown): step is Refinement =>
  typeof step === 'object' && step !== null && 'fn' in step && 'makes' in step;

function passed(context: Context, fact: Fact, { fn, makes }: Refinement, env: Env): Fact {
  if (fn.kind !== 'function') return fact;
  const given = { positional: [ofList(fact, nothingKnown, asked)], named: new Map(), rest: [], exprs: [] };
  const answer = callProject(context, { target: fn }, given, undefined, env);
  if (makes) return { ...answer, from: undefined };
  return (answer.implies?.yes ?? [])
    .filter(({ key }) => key === asked)
    .reduce((at, { safe }) => vouched(at, safe & all), fact);
}
