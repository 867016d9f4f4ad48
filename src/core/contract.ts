import { schemaValidator } from '../lib/json/schema.js';
import type { SchemaValidator, SchemaViolation } from '../lib/json/schema.js';
import { schemaDefaults, type ResolveReference, type WhichDefaults } from '../lib/json/schema-defaults.js';
import type { Args } from './call.js';
import type { Json, JsonObject } from './json.js';
import type { Contract, Problem } from './tool.js';

/** Contract enforced by a JSON Schema alone, with the defaults of `shown` filled in. */
export function schemaContract(schema: JsonObject, shown: JsonObject = schema): Contract<Args> {
  const complete = defaultedValidator(schemaValidator(schema), shown);
  return {
    schema,
    parse(value) {
      const { value: completed, misfits } = complete(value);
      // Valid against a schema of an object with named fields.
      if (misfits.length === 0) return { ok: true, value: completed as Args };
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

/** A value with defaults, and what is wrong with it. */
interface Completed {
  readonly value: unknown;
  readonly misfits: readonly SchemaViolation[];
}

/**
 * Fills the defaults of a schema in, then validates. A default that violates its own schema (`null` for a string is common) is left
 * out, so that a call without it stays valid; a required property with such a default is reported as missing.
 */
export function defaultedValidator(
  validate: SchemaValidator,
  schema: object,
  which?: WhichDefaults,
  resolve?: ResolveReference,
): (value: unknown) => Completed {
  const fill = schemaDefaults(schema, which, resolve);
  const plain = (value: unknown): Completed => ({ value, misfits: validate(value) });
  if (fill === undefined) return plain;
  return (given) => {
    const { value, filled } = fill(given);
    const first = plain(value);
    if (first.misfits.length === 0 || filled.length === 0) return first;
    const isAtFault = (path: string): boolean =>
      first.misfits.some(({ field }) => field === path || field.startsWith(`${path}/`));
    const wrong = new Set(filled.filter(isAtFault));
    const second = wrong.size === 0 ? first : plain(fill(given, wrong).value);
    if (second.misfits.length === 0) return second;
    // A default may also violate a rule about the whole, such as `maxProperties` or `oneOf`.
    const bare = plain(given);
    return bare.misfits.length === 0 ? bare : second;
  };
}
