import { schemaValidator } from '../lib/schema.js';
import type { Args } from './call.js';
import type { Json, JsonObject } from './json.js';
import type { Contract, Problem } from './tool.js';

/** Contract enforced by a JSON Schema alone. */
export function schemaContract(schema: JsonObject): Contract<Args> {
  const validateValue = schemaValidator(schema);
  return {
    schema,
    parse(value) {
      const misfits = validateValue(value);
      // Valid against a schema of an object with named fields.
      if (misfits.length === 0) return { ok: true, value: value as Args };
      return {
        ok: false,
        problems: misfits.map((misfit): Problem => ({
          field: misfit.field,
          message: misfit.message,
          keyword: misfit.keyword,
          // Ajv's params are JSON: they are parts of the schema.
          ...(misfit.expected !== undefined && { expected: misfit.expected as Json }),
        })),
      };
    },
  };
}
