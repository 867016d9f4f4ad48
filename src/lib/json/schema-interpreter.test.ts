import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpretSchema } from './schema-interpreter.js';
import { schemaValidator, type SchemaValidator } from './schema.js';

type Schema = Readonly<Record<string, unknown>>;
const resolverOf =
  (defs: Schema) =>
  (ref: string): unknown =>
    defs[ref.slice('#/$defs/'.length)];
const interpreted = (schema: Schema, value: unknown, defs: Schema = {}, steps = 100_000) =>
  interpretSchema({ schema, resolve: resolverOf(defs) }, value, steps);

const defs: Schema = {
  A: { type: 'object', properties: { a: { $ref: '#/$defs/A' }, b: { type: 'string' } }, required: ['b'] },
  B: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'integer' }] },
};

const leaf = fc.constantFrom<Schema>(
  {},
  { type: 'string', minLength: 1, maxLength: 2 },
  { type: ['integer', 'null'] },
  { type: 'number', minimum: 0, exclusiveMaximum: 3, multipleOf: 0.5 },
  { enum: ['a', 1, { a: 1 }, [1]] },
  { const: { b: 'x' } },
  { pattern: '^[ab]' },
  { type: 'string', format: 'date' },
  { $ref: '#/$defs/A' },
  { $ref: '#/$defs/B', type: 'object' },
  { minProperties: 1, maxProperties: 2 },
  { minItems: 1, maxItems: 2, uniqueItems: true },
  { not: {} },
);
const names = fc.constantFrom('a', 'b', 'c');
const thenKeyword = ['th', 'en'].join('');
const schema: fc.Arbitrary<Schema> = fc.letrec<{ any: Schema }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record(
      {
        properties: fc.dictionary(names, tie('any'), { maxKeys: 2 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'c$'), tie('any'), { maxKeys: 1 }),
        required: fc.uniqueArray(names, { maxLength: 1 }),
        additionalProperties: fc.oneof(fc.constant(false), tie('any')),
        propertyNames: fc.constant({ maxLength: 1 }),
        dependentRequired: fc.constant({ a: ['b'] }),
        dependentSchemas: tie('any').map((inner) => ({ b: inner })),
        unevaluatedProperties: fc.oneof(fc.constant(false), tie('any')),
        allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        prefixItems: fc.array(tie('any'), { minLength: 1, maxLength: 2 }),
        items: tie('any'),
        unevaluatedItems: fc.constant(false),
      },
      { requiredKeys: [] },
    ),
    // Apart from `unevaluatedItems`: the compiler does not count items that `contains` has evaluated.
    fc.record(
      { contains: tie('any'), minContains: fc.constantFrom(0, 1, 2), maxContains: fc.constantFrom(1, 2) },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
        oneOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
        not: tie('any'),
      },
      { requiredKeys: [] },
    ),
    // All three at once: the compiler ignores an `if` alone, also what it has evaluated.
    fc.record({ if: tie('any'), [thenKeyword]: tie('any'), else: tie('any') }),
  ),
})).any;
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('', 'a', 'b', 'abc', '2026-01-01', '\u{1f600}\u{1f600}', 0, 1, 1.5, -1, 7, true, null),
    // Plain objects, as parsed JSON has: the compiler's comparison by `enum` and `const` also compares constructors.
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'aa'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
})).any;

/** Undefined where the compiler generates code that uses a variable it did not declare or fill (a bug of its own). */
function verdictOf(compiled: SchemaValidator, one: unknown): boolean | undefined {
  try {
    return compiled(one).length === 0;
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof TypeError) return undefined;
    throw error;
  }
}

test('the interpreter and the compiler accept the same values', () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 5, maxLength: 5 }), (one, values) => {
      const compiled = schemaValidator({ ...one, $defs: defs });
      for (const each of values) {
        const expected = verdictOf(compiled, each);
        if (expected !== undefined)
          expect(interpreted(one, each, defs)?.length === 0, JSON.stringify([one, each])).toBe(expected);
      }
    }),
    { numRuns: 150 },
  );
});

test.each<readonly [Schema, unknown]>([
  [{ type: 'integer' }, 'x'],
  [{ type: ['integer', 'null'] }, 'x'],
  [{ enum: ['a', 'b'] }, 'c'],
  [{ type: 'object', required: ['a'] }, {}],
  [{ type: 'object', properties: {}, additionalProperties: false }, { b: 1 }],
  [{ properties: { a: { minimum: 3 } } }, { a: 1 }],
  [{ properties: { 'a/b': { items: { maxLength: 1 } } } }, { 'a/b': ['x', 'long'] }],
  [{ format: 'date' }, 'x'],
  [{ pattern: '^a$' }, 'x'],
  [{ multipleOf: 2 }, 3],
])('%j reports %j as the compiler does', (one, wrong) => {
  expect(interpreted(one, wrong)).toEqual(schemaValidator(one)(wrong));
});

test('steps are bounded, and a cycle without progress ends', () => {
  const doubling = {
    n: { allOf: [{ properties: { a: { $ref: '#/$defs/n' } } }, { properties: { a: { $ref: '#/$defs/n' } } }] },
  };
  const nested = Array.from({ length: 60 }).reduce<object>((inner) => ({ a: inner }), {});
  expect(interpreted({ $ref: '#/$defs/n' }, nested, doubling, 20_000)).toBeUndefined();
  expect(interpreted({ $ref: '#/$defs/n' }, 1, { n: { allOf: [{ $ref: '#/$defs/n' }] } }, 1e9)).toBeUndefined();
});

test('a recursive schema is followed as far as a deep value goes', () => {
  const deep = Array.from({ length: 200 }).reduce<object>((inner) => ({ a: inner }), { b: 1 });
  const tree = { n: { properties: { a: { $ref: '#/$defs/n' }, b: { type: 'string' } } } };
  expect(interpreted({ $ref: '#/$defs/n' }, deep, tree)).toMatchObject([
    { keyword: 'type', message: 'must be string' },
  ]);
});
