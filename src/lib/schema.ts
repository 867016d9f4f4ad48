import type { ErrorObject } from 'ajv/dist/2020.js';
import { boundedAjv, tooManySteps } from './bounded-ajv.js';
import { safePattern } from './patterns.js';

/** One thing that does not fit a schema. */
export interface Misfit {
  readonly field: string;
  readonly keyword: string;
  readonly message: string;
  readonly expected?: unknown;
}

/** Judges a value; an empty list means that it fits. */
export type Judge = (value: unknown) => readonly Misfit[];

const fits: readonly Misfit[] = [];

/** Patterns come from strangers: one that cannot be run safely passes everything, and the others only see texts of a safe length. */
const patternEngine = Object.assign(
  (source: string) => {
    const pattern = safePattern(source);
    // The compiler shares engines of equal text.
    return { test: pattern.kind === 'kept' ? pattern.test : () => true, toString: () => source };
  },
  { code: 'undefined' },
);

/** Of a value with more parts than this only the first misfit is told: all those of a large answer would not fit in memory. */
const mostThorough = 2_000;
/** A schema of more parts than this takes seconds to compile, so nothing is held against it. */
const largestSchema = 40_000;
/** References that one judgement may follow: enough for any honest schema, and over in a moment. */
const stepsFor = (parts: number): number => Math.min(20_000 + 100 * parts, 2_000_000 + 4 * parts);

type Sized = (value: unknown, parts: number) => readonly Misfit[];

/** Makes a judge for a JSON Schema 2020-12; compiled at the first use, since many tools are listed and few are called. */
export function judge(schema: object): Judge {
  let thorough: Sized | undefined;
  let brisk: Sized | undefined;
  return (value) => {
    const parts = partsOf(value);
    if (parts <= mostThorough) return (thorough ??= compiled(schema, true))(value, parts);
    return (brisk ??= compiledBriskly(schema))(value, parts);
  };
}

/** Stopping at the first misfit nests one test in the other, and thousands of properties side by side nest too deep to compile. */
function compiledBriskly(schema: object): Sized {
  try {
    return compiled(schema, false);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const thorough = compiled(schema, true);
  return (value, parts) =>
    parts <= 20 * mostThorough
      ? thorough(value, parts)
      : [{ field: '', keyword: 'schema', message: 'cannot be checked: it is too large for its schema' }];
}

function compiled(schema: object, allErrors: boolean): Sized {
  if (partsOf(schema, largestSchema) >= largestSchema)
    return () => [{ field: '', keyword: 'schema', message: 'cannot be checked: the schema is too large' }];
  // One instance a schema: a shared one would let a repeated $id of one source answer for another's.
  const { ajv, allow } = boundedAjv({
    strict: false,
    allErrors,
    validateSchema: false,
    unicodeRegExp: false,
    logger: false,
    ownProperties: true,
    code: { regExp: patternEngine },
  });
  const validate = ajv.compile(schema);
  return (value, parts) => {
    allow(stepsFor(parts));
    try {
      if (validate(value)) return fits;
    } catch (error) {
      if (error === tooManySteps)
        return [{ field: '', keyword: 'schema', message: 'is nested so that checking it would take too long' }];
      throw error;
    }
    return (validate.errors ?? []).slice(0, 20).map(toMisfit);
  };
}

/** How many values a value is made of, itself included, counted no further than the limit; without recursion, since it may be deep. */
function partsOf(value: unknown, limit = Infinity): number {
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

function toMisfit(error: ErrorObject): Misfit {
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
          : (error.message ?? 'does not fit');
  return { field, keyword: error.keyword, message, ...(expected !== undefined && { expected }) };
}
