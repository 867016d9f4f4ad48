import { schemaOf } from '../surface/schema.js';
import type { InputSchema } from '../surface/report.js';
import { vouchedByMatch } from './charset.js';
import type { Context } from './context.js';
import type { Env } from './environment.js';
import { anyParam } from './param-names.js';
import { all, givenName, taintsIn, vouchFor, type Fact, type Taint } from './facts.js';
import { refine } from './refinements.js';

/** The dangers that the declared type of a parameter rules out. */
export function safeByType(schema: unknown, depth = 0): number {
  if (typeof schema !== 'object' || schema === null || depth > 4) return 0;
  // Read as an open record: a JSON Schema may hold anything under any key.
  const given = schema as Readonly<Record<string, unknown>>;
  if ('const' in given || (Array.isArray(given['enum']) && given['enum'].length > 0)) return all;
  const { type } = given;
  if (type === 'integer' || type === 'number' || type === 'boolean' || type === 'null') return all;
  if (type === 'array') return safeByType(given['items'], depth + 1);
  const options = given['anyOf'] ?? given['oneOf'];
  if (Array.isArray(options) && options.length > 0)
    return options.reduce<number>((safe, option) => safe & safeByType(option, depth + 1), all);
  if (
    given['format'] === 'uuid' ||
    given['format'] === 'date' ||
    given['format'] === 'date-time' ||
    given['format'] === 'ipv4'
  )
    return all;
  return typeof given['pattern'] === 'string' ? vouchedByMatch(given['pattern'], '', false) : 0;
}

/** The parts of an argument object by its schema; anything else in it is kept under the whole. */
export function factBySchema(schema: InputSchema | undefined, taint: Taint): Fact {
  const fields = fieldsBy(schema?.properties, taint, 0);
  const isClosed = schema !== undefined && schema.partial !== true && fields.size > 0;
  return { taints: isClosed ? [] : [taint], ...(fields.size > 0 ? { fields } : {}) };
}

const fieldsBy = (properties: unknown, taint: Taint, depth: number): ReadonlyMap<string, Fact> =>
  new Map(
    Object.entries(typeof properties === 'object' && properties !== null ? properties : {}).map(([name, property]) => [
      name,
      factByProperty(property, { ...taint, origin: { ...taint.origin, param: name }, whole: true }, depth),
    ]),
  );

/** What the caller can put into one parameter: the parts of a model each have the types that it declares. */
export function factByProperty(schema: unknown, taint: Taint, depth = 0): Fact {
  const safe = safeByType(schema);
  if (safe === all) return { taints: [], name: givenName };
  // Read as an open record: a JSON Schema may hold anything under any key.
  const given = (typeof schema === 'object' && schema !== null ? schema : {}) as Readonly<Record<string, unknown>>;
  if (depth < 4 && given['type'] === 'object' && given['partial'] !== true) {
    const fields = fieldsBy(given['properties'], taint, depth + 1);
    if (fields.size > 0) return { taints: [], fields };
  }
  return { taints: vouchFor([taint], safe) };
}

/** `schema.parse(args)`: the parts have the types that the schema says. */
export function schemaFact(
  context: Context,
  method: string,
  receiver: Fact | undefined,
  given: Fact | undefined,
  env: Env,
): Fact | undefined {
  if (
    !/^(?:parse|safeParse|parseAsync|safeParseAsync|model_validate|validate|validateSync|parse_obj)$/.test(method) ||
    !receiver?.value ||
    !given
  )
    return undefined;
  const schema = schemaOf(context.machine, receiver.value);
  const taints = taintsIn(given);
  if (!schema || taints.length === 0) return undefined;
  const fields = new Map<string, Fact>();
  for (const [name, property] of Object.entries(schema.properties)) {
    const safe = safeByType(property);
    const part = given.fields?.get(name);
    const inner =
      part?.taints ??
      taints.map((taint) =>
        taint.origin.param === anyParam ? { ...taint, origin: { ...taint.origin, param: name }, whole: true } : taint,
      );
    fields.set(name, { ...part, taints: safe === all ? [] : vouchFor(inner, safe) });
  }
  const refined = refine(context, fields, schema, env);
  const parsed: Fact = { taints: schema.partial === true || fields.size === 0 ? taints : [], fields: refined };
  return method.startsWith('safeParse') ? { taints: [], fields: new Map([['data', parsed]]) } : parsed;
}
