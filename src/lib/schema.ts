import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';
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

const load = createRequire(import.meta.url);

// Required when the first schema is compiled, not imported: validators cost more than the rest of a start.
const makeAjv = (options: Options): Ajv2020 => {
  const { Ajv2020: Ajv } = load('ajv/dist/2020.js') as { readonly Ajv2020: new (given: Options) => Ajv2020 }; // as its types say
  const ajv = new Ajv(options);
  const addFormats: unknown = load('ajv-formats');
  if (typeof addFormats === 'function') addFormats(ajv);
  return ajv;
};

/** Patterns come from strangers: one that cannot be run safely passes everything, and the others only see texts of a safe length. */
const patternEngine = Object.assign(
  (source: string) => {
    const pattern = safePattern(source);
    // The compiler shares engines of equal text.
    return { test: pattern.kind === 'kept' ? pattern.test : () => true, toString: () => source };
  },
  { code: 'undefined' },
);

/** Makes a judge for a JSON Schema 2020-12; compiled at the first use, since many tools are listed and few are called. */
export function judge(schema: object): Judge {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile(schema);
    if (validate(value)) return fits;
    return (validate.errors ?? []).slice(0, 20).map(toMisfit);
  };
}

function compile(schema: object): ValidateFunction {
  // One instance a schema: a shared one would let a repeated $id of one source answer for another's.
  return makeAjv({ strict: false, allErrors: true, validateSchema: false, unicodeRegExp: false, logger: false, ownProperties: true, code: { regExp: patternEngine } }).compile(schema);
}

function toMisfit(error: ErrorObject): Misfit {
  const params: Readonly<Record<string, unknown>> = error.params;
  const missing = params['missingProperty'];
  const extra = params['additionalProperty'];
  const named = typeof missing === 'string' ? missing : typeof extra === 'string' ? extra : undefined;
  const field = named === undefined ? error.instancePath : `${error.instancePath}/${named}`;
  const expected = params['allowedValues'] ?? params['limit'] ?? params['type'] ?? params['pattern'] ?? params['format'];
  const message =
    typeof missing === 'string' ? 'is required'
    : typeof extra === 'string' ? 'is not a known argument'
    : error.keyword === 'enum' && Array.isArray(expected) ? `must be one of ${expected.slice(0, 12).map(String).join(', ')}`
    : (error.message ?? 'does not fit');
  return { field, keyword: error.keyword, message, ...(expected !== undefined && { expected }) };
}
