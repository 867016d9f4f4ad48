import type { Json } from '../../../core/json.js';
import { expandBestFirst } from './best-first.js';
import { toClientSchema } from './client-schema.js';
import { referencedNames, type Schema, type SchemaConverter } from './converter.js';
import { inlineSchema } from './inline.js';

/** A schema for the model within a byte budget, and at least as permissive as the full schema. */
export interface AbbreviatedSchema {
  readonly schema: Schema;
  /** Whether anything was omitted. */
  readonly isAbbreviated: boolean;
  /** JSON pointers to the places that were omitted, the most important first. */
  readonly omitted: readonly string[];
}

type Definitions = Pick<SchemaConverter, 'def'>;

/**
 * The form of a schema that keeps most within the budget: whole and without references, whole with `$defs`, else its most
 * important parts. Omissions only make it more permissive, so that a client never rejects what the gateway would accept.
 */
export function abbreviateSchema(
  schema: Schema,
  defs: Definitions,
  maxBytes: number,
  maxDepth = Infinity,
): AbbreviatedSchema {
  const whole = (made: Schema | undefined): AbbreviatedSchema | undefined =>
    made !== undefined && byteLength(made) <= maxBytes
      ? { schema: made, isAbbreviated: false, omitted: [] }
      : undefined;
  const unabbreviated =
    maxDepth === Infinity
      ? (whole(inlineSchema(schema, defs, maxBytes)) ?? whole(withDefinitions(schema, defs, maxBytes)))
      : undefined;
  if (unabbreviated !== undefined) return unabbreviated;
  // The costs of the parts are estimates, so the result is measured and the budget reduced until it fits.
  for (let budget = maxBytes; ; budget = Math.floor(budget * 0.8)) {
    const made = expandBestFirst(schema, defs, budget, maxDepth);
    if (byteLength(made.schema) <= maxBytes || budget < 16)
      return { ...made, schema: byteLength(made.schema) <= maxBytes ? made.schema : {} };
  }
}

const byteLength = (value: Json): number => Buffer.byteLength(JSON.stringify(value));

/** The schema with every definition it reaches; undefined once it is certainly larger than the budget. */
function withDefinitions(schema: Schema, defs: Definitions, maxBytes: number): Schema | undefined {
  const found: Record<string, Schema> = {};
  const todo = [schema];
  let bytes = 0;
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const shown = toClientSchema(next);
    bytes += byteLength(shown);
    if (bytes > maxBytes) return undefined;
    for (const name of referencedNames(next)) {
      if (Object.hasOwn(found, name)) continue;
      found[name] = {};
      todo.push(defs.def(name));
    }
  }
  for (const name of Object.keys(found)) found[name] = toClientSchema(defs.def(name));
  return { ...toClientSchema(schema), ...(Object.keys(found).length > 0 && { $defs: found }) };
}
