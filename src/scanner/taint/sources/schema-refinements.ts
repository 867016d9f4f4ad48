import type { InputSchema } from '../../surface/report.js';
import { refinedBy, type Refinement } from '../../surface/schemas/schema-zod.js';
import type { Context } from '../interpreter/context.js';
import { forkEnv, withProof, type Env } from '../facts/environment.js';
import { issuesName } from '../facts/param-names.js';
import { allSafe, untaintedFact, taintsIn, type Fact } from '../facts/facts.js';
import { callProject } from '../calls/functions.js';
import { withListKeys } from '../checks/guard-lists.js';

/** Key of the value a refinement receives, to read back what the refinement proves about it. */
const refinedKey = '\u0000asked';

/** Applies `refine` and `transform` functions of a schema to its fields: `z.string().refine(isName).transform(lower)`. */
export function applyRefinements(
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
        steps.filter(isRefinement).reduce((at, step) => applyRefinement(context, at, step, env), fact),
      );
  }
  return made;
}

const isRefinement = (step: unknown): step is Refinement =>
  typeof step === 'object' && step !== null && 'fn' in step && 'kind' in step;

function applyRefinement(context: Context, fact: Fact, { fn, kind }: Refinement, env: Env): Fact {
  if (fn.kind !== 'function') return fact;
  const given = { positional: [withListKeys(fact, untaintedFact, refinedKey)], named: new Map(), rest: [], exprs: [] };
  if (kind === 'reports') {
    // A path that adds an issue rejects the value; the others prove what they tested.
    const inner = forkEnv(env);
    inner.vars.set(refinedKey, fact);
    const issues: Fact = { taints: [], name: issuesName };
    callProject(context, { target: fn }, { ...given, positional: [...given.positional, issues] }, undefined, inner);
    return { ...(inner.vars.get(refinedKey) ?? fact), from: undefined };
  }
  const answer = callProject(context, { target: fn }, given, undefined, env);
  if (kind === 'makes') return { ...answer, from: undefined };
  return (answer.implies?.yes ?? [])
    .filter(({ key }) => key === refinedKey)
    .reduce((at, { safe }) => withProof(at, safe & allSafe), fact);
}
