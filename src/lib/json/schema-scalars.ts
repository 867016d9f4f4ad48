import { createRequire } from 'node:module';
import { lru } from '../lru.js';
import { safePattern } from '../text/patterns.js';
import type { SchemaViolation } from './schema.js';

type SchemaObject = Readonly<Record<string, unknown>>;
type Fail = (violation: Omit<SchemaViolation, 'field'>) => void;

/** Whether a value has a type of JSON Schema. */
export function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'number':
      // NaN and infinity cannot be written in JSON.
      return typeof value === 'number' && Number.isFinite(value);
    case 'integer':
      // 1.0 is an integer in JSON Schema.
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return false;
  }
}

const bounds = [
  ['minimum', '>=', (value: number, limit: number) => value >= limit],
  ['maximum', '<=', (value: number, limit: number) => value <= limit],
  ['exclusiveMinimum', '>', (value: number, limit: number) => value > limit],
  ['exclusiveMaximum', '<', (value: number, limit: number) => value < limit],
] as const;

/** Keywords about numbers. */
export function checkNumber(schema: SchemaObject, value: number, fail: Fail): void {
  for (const [keyword, sign, holds] of bounds) {
    const limit = schema[keyword];
    if (typeof limit === 'number' && !holds(value, limit))
      fail({ keyword, message: `must be ${sign} ${limit}`, expected: limit });
  }
  const { multipleOf: step } = schema;
  // Division instead of the remainder, which is inexact for steps such as 0.1.
  if (typeof step === 'number' && !Number.isInteger(value / step))
    fail({ keyword: 'multipleOf', message: `must be multiple of ${step}` });
}

/** Keywords about texts; lengths count code points. */
export function checkText(schema: SchemaObject, value: string, fail: Fail): void {
  const { minLength, maxLength, pattern } = schema;
  // The number of UTF-16 units is an upper bound, so most texts need no count.
  if (typeof minLength === 'number' && (value.length < minLength || lengthOf(value) < minLength))
    fail({
      keyword: 'minLength',
      message: `must NOT have fewer than ${minLength} characters`,
      expected: minLength,
    });
  if (typeof maxLength === 'number' && value.length > maxLength && lengthOf(value) > maxLength)
    fail({
      keyword: 'maxLength',
      message: `must NOT have more than ${maxLength} characters`,
      expected: maxLength,
    });
  if (typeof pattern === 'string' && !matchesPattern(pattern, value))
    fail({ keyword: 'pattern', message: `must match pattern "${pattern}"`, expected: pattern });
}

// Code points without building an array of them.
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

// Compiled patterns by source; bounded, because schemas come from servers.
const patterns = lru<string, (text: string) => boolean>(500);

/** Whether a text matches an untrusted pattern; an unsafe pattern matches everything (ReDoS). */
export function matchesPattern(source: string, text: string): boolean {
  let test = patterns.get(source);
  if (test === undefined) {
    const pattern = safePattern(source);
    patterns.set(source, (test = pattern.kind === 'accepted' ? pattern.test : () => true));
  }
  return test(text);
}

type Format =
  | RegExp
  | ((text: string) => boolean)
  | { readonly type?: string; readonly validate: RegExp | ((value: never) => boolean) }
  | true;
const requireModule = createRequire(import.meta.url);
let formats: Readonly<Record<string, Format>> | undefined;

/** The keyword `format`; unknown formats accept everything. */
export function checkFormat(name: unknown, value: unknown, fail: Fail): void {
  if (typeof name !== 'string' || (typeof value !== 'string' && typeof value !== 'number')) return;
  // Loaded with the first format that is checked; the table needs nothing of the compiler.
  formats ??= (
    requireModule('ajv-formats/dist/formats.js') as { readonly fullFormats: Readonly<Record<string, Format>> }
  ).fullFormats; // as its type declarations state
  // Own properties only: the name comes from an untrusted schema.
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined || format === true) return;
  const isDefinition = typeof format === 'object' && 'validate' in format;
  const [type, test] = isDefinition ? [format.type ?? 'string', format.validate] : ['string', format];
  // Formats apply to their type only; other values are valid by definition.
  if (typeof value !== type) return;
  // A definition is for values of its type, compared above.
  const holds = test instanceof RegExp ? test.test(String(value)) : (test as (value: unknown) => boolean)(value);
  if (!holds) fail({ keyword: 'format', message: `must match format "${name}"`, expected: name });
}
