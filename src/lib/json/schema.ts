import type { ErrorObject } from 'ajv/dist/2020.js';
import { boundedAjv, stepLimitExceeded } from './bounded-ajv.js';
import { safePattern } from '../text/patterns.js';

/** One violation of a schema. */
export interface SchemaViolation {
  readonly field: string;
  readonly keyword: string;
  readonly message: string;
  readonly expected?: unknown;
}

/** Validates a value; an empty list means it is valid. */
export type SchemaValidator = (value: unknown) => readonly SchemaViolation[];

const noViolations: readonly SchemaViolation[] = [];

/** Patterns are untrusted: an unsafe one accepts everything, and the others only run on texts of a safe length (ReDoS). */
const patternEngine = Object.assign(
  (source: string) => {
    const pattern = safePattern(source);
    // Ajv shares pattern engines by their text.
    return { test: pattern.kind === 'accepted' ? pattern.test : () => true, toString: () => source };
  },
  { code: 'undefined' },
);

/** Larger values are validated only up to the first violation: all violations of a large response would exhaust memory. */
const maxValuesForAllErrors = 2_000;
/** Larger schemas take seconds to compile, so they are not compiled. */
const maxSchemaValues = 40_000;
/** References one validation may follow: enough for any reasonable schema, and bounded in time. */
const stepLimitFor = (parts: number): number => Math.min(20_000 + 100 * parts, 2_000_000 + 4 * parts);

type SizedValidator = (value: unknown, parts: number) => readonly SchemaViolation[];

/** Validator for a JSON Schema 2020-12; compiled on first use, since many tools are listed and few are called. */
export function schemaValidator(schema: object): SchemaValidator {
  let allErrorsValidator: SizedValidator | undefined;
  let failFast: SizedValidator | undefined;
  return (value) => {
    // The size decides how thorough validation may be, so it is measured first.
    const parts = countValues(value);
    if (parts <= maxValuesForAllErrors) return (allErrorsValidator ??= compileValidator(schema, true))(value, parts);
    return (failFast ??= compileFailFast(schema))(value, parts);
  };
}

/** Fail-fast code nests its checks, and thousands of sibling properties nest too deep for the JavaScript parser. */
function compileFailFast(schema: object): SizedValidator {
  try {
    return compileValidator(schema, false);
  } catch (error) {
    // Only the overflow of the parser is expected here.
    if (!(error instanceof RangeError)) throw error;
  }
  const thorough = compileValidator(schema, true);
  return (value, parts) =>
    parts <= 20 * maxValuesForAllErrors
      ? thorough(value, parts)
      : [{ field: '', keyword: 'schema', message: 'cannot be validated: the value is too large for its schema' }];
}

function compileValidator(schema: object, allErrors: boolean): SizedValidator {
  // Checked before compiling, because compiling is the expensive part.
  if (countValues(schema, maxSchemaValues) >= maxSchemaValues)
    return () => [{ field: '', keyword: 'schema', message: 'cannot be validated: the schema is too large' }];
  // One instance per schema: with a shared one, a duplicate $id of one source would resolve to another source's schema.
  const { ajv, setStepLimit: allow } = boundedAjv({
    strict: false,
    allErrors,
    // The meta-schema is not checked: a sloppy schema of a server should still validate what it can.
    validateSchema: false,
    unicodeRegExp: false,
    logger: false,
    // Own properties only, against values such as `__proto__` (prototype pollution).
    ownProperties: true,
    code: { regExp: patternEngine },
  });
  const validate = ajv.compile(schema);
  return (value, parts) => {
    allow(stepLimitFor(parts));
    try {
      if (validate(value)) return noViolations;
    } catch (error) {
      if (error === stepLimitExceeded)
        return [{ field: '', keyword: 'schema', message: 'cannot be validated: nested references take too long' }];
      throw error;
    }
    // Bounded: an agent needs the first few problems, not thousands.
    return (validate.errors ?? []).slice(0, 20).map(toViolation);
  };
}

/** Number of values inside a value, itself included, up to the limit; iterative, since hostile values may be deep. */
function countValues(value: unknown, limit = Infinity): number {
  if (typeof value !== 'object' || value === null) return 1;
  const todo: object[] = [value];
  let count = 1;
  for (let at = todo.pop(); at !== undefined && count < limit; at = todo.pop()) {
    const inside: readonly unknown[] = Array.isArray(at) ? at : Object.values(at);
    count += inside.length;
    for (const item of inside) if (typeof item === 'object' && item !== null) todo.push(item);
  }
  return count;
}

function toViolation(error: ErrorObject): SchemaViolation {
  // Ajv types parameters by keyword; here they are read by name.
  const params: Readonly<Record<string, unknown>> = error.params;
  const missing = params['missingProperty'];
  const extra = params['additionalProperty'];
  const named = typeof missing === 'string' ? missing : typeof extra === 'string' ? extra : undefined;
  const field = named === undefined ? error.instancePath : `${error.instancePath}/${named}`;
  const expected =
    params['allowedValues'] ?? params['limit'] ?? params['type'] ?? params['pattern'] ?? params['format'];
  const message =
    typeof missing === 'string'
      ? 'is required'
      : typeof extra === 'string'
        ? 'is not a known argument'
        : error.keyword === 'enum' && Array.isArray(expected)
          ? `must be one of ${expected.slice(0, 12).map(String).join(', ')}`
          : (error.message ?? 'is invalid');
  return { field, keyword: error.keyword, message, ...(expected !== undefined && { expected }) };
}
