import { schemaOf } from '../../surface/schemas/schema.js';
import type { InputSchema } from '../../surface/report.js';
import { safeByMatch } from '../checks/charset.js';
import type { Context } from '../interpreter/context.js';
import type { Env } from '../facts/environment.js';
import { anyParam } from '../facts/param-names.js';
import { allSafe, callerScalarName, taintsIn, markSafe, type Fact, type Taint } from '../facts/facts.js';
import { applyRefinements } from './schema-refinements.js';

/** Dangers ruled out by the JSON Schema of a parameter: numbers, enums, uuid, anchored patterns. */
function safeBySchema(schema: unknown, depth = 0): number {
  if (typeof schema !== 'object' || schema === null || depth > 4) return 0;
  // Read as an open record: a JSON Schema may hold anything under any key.
  const given = schema as Readonly<Record<string, unknown>>;
  if ('const' in given || (Array.isArray(given['enum']) && given['enum'].length > 0)) return allSafe;
  const { type } = given;
  if (type === 'integer' || type === 'number' || type === 'boolean' || type === 'null') return allSafe;
  if (type === 'array') return safeBySchema(given['items'], depth + 1);
  const options = given['anyOf'] ?? given['oneOf'];
  if (Array.isArray(options) && options.length > 0)
    return options.reduce<number>((safe, option) => safe & safeBySchema(option, depth + 1), allSafe);
  if (
    given['format'] === 'uuid' ||
    given['format'] === 'date' ||
    given['format'] === 'date-time' ||
    given['format'] === 'ipv4'
  )
    return allSafe;
  return typeof given['pattern'] === 'string' ? safeByMatch(given['pattern'], '', false) : 0;
}

/** Fields of the argument object by schema; the whole stays tainted unless the schema is complete. */
export function factBySchema(schema: InputSchema | undefined, taint: Taint): Fact {
  const fields = schemaFields(schema?.properties, taint, 0);
  const isClosed = schema !== undefined && schema.partial !== true && fields.size > 0;
  return { taints: isClosed ? [] : [taint], ...(fields.size > 0 ? { fields } : {}) };
}

const schemaFields = (properties: unknown, taint: Taint, depth: number): ReadonlyMap<string, Fact> =>
  new Map(
    Object.entries(typeof properties === 'object' && properties !== null ? properties : {}).map(([name, property]) => [
      name,
      factByProperty(property, { ...taint, origin: { ...taint.origin, param: name }, whole: true }, depth),
    ]),
  );

/** Fact of one parameter by its schema; fields of a nested object have their own types. */
export function factByProperty(schema: unknown, taint: Taint, depth = 0): Fact {
  const safe = safeBySchema(schema);
  if (safe === allSafe) return { taints: [], name: callerScalarName };
  // Read as an open record: a JSON Schema may hold anything under any key.
  const given = (typeof schema === 'object' && schema !== null ? schema : {}) as Readonly<Record<string, unknown>>;
  if (depth < 4 && given['type'] === 'object' && given['partial'] !== true) {
    const fields = schemaFields(given['properties'], taint, depth + 1);
    if (fields.size > 0) return { taints: [], fields };
  }
  return { taints: markSafe([taint], safe) };
}

/** `schema.parse(args)`: fields have the types the schema declares. */
export function parsedFact(
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
    const safe = safeBySchema(property);
    const part = given.fields?.get(name);
    const inner =
      part?.taints ??
      taints.map((taint) =>
        taint.origin.param === anyParam ? { ...taint, origin: { ...taint.origin, param: name }, whole: true } : taint,
      );
    fields.set(name, { ...part, taints: safe === allSafe ? [] : markSafe(inner, safe) });
  }
  const refined = applyRefinements(context, fields, schema, env);
  const parsed: Fact = { taints: schema.partial === true || fields.size === 0 ? taints : [], fields: refined };
  return method.startsWith('safeParse') ? { taints: [], fields: new Map([['data', parsed]]) } : parsed;
}
