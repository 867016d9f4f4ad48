import { judge } from '../lib/schema.js';
import type { Args } from './call.js';
import type { Json, JsonObject } from './json.js';
import type { Contract, Problem } from './tool.js';

/** A contract that is a JSON Schema and nothing more. */
export function schemaContract(schema: JsonObject): Contract<Args> {
  const judged = judge(schema);
  return {
    schema,
    parse(value) {
      const misfits = judged(value);
      // The schema has just said that it is an object with named fields.
      if (misfits.length === 0) return { ok: true, value: value as Args };
      return {
        ok: false,
        problems: misfits.map((misfit): Problem => ({
          field: misfit.field,
          message: misfit.message,
          keyword: misfit.keyword,
          // ajv's params are JSON: they were cut out of a schema that is.
          ...(misfit.expected !== undefined && { expected: misfit.expected as Json }),
        })),
      };
    },
  };
}
