import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../core/json.js';
import { schemaContract } from '../../core/contract.js';
import { schemaDefaults } from './schema-defaults.js';

const fill = (schema: object, value: unknown) => schemaDefaults(schema)?.(value).value;
const css = { type: 'string', enum: ['css', 'device'], default: 'css' };

test.each([
  ['a missing property', { properties: { a: css } }, {}, { a: 'css' }],
  ['a given one', { properties: { a: css } }, { a: 'device' }, { a: 'device' }],
  ['a given null', { properties: { a: css } }, { a: null }, { a: null }],
  ['a nested one', { properties: { o: { properties: { a: css } } } }, { o: {} }, { o: { a: 'css' } }],
  ['nothing inside a missing object', { properties: { o: { properties: { a: css } } } }, {}, {}],
  ['each item', { properties: { l: { items: { properties: { a: css } } } } }, { l: [{}, 1] }, { l: [{ a: 'css' }, 1] }],
  ['allOf', { allOf: [{ properties: { a: css } }] }, {}, { a: 'css' }],
  ['a reference', { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: css } }, {}, { a: 'css' }],
  ['a false value', { properties: { a: { default: false } } }, {}, { a: false }],
])('%s', (_, schema, value, expected) => {
  expect(fill(schema, value)).toEqual(expected);
});

test.each([
  ['no default', { properties: { a: { type: 'string' } } }],
  ['a branch that may not apply', { anyOf: [{ properties: { a: css } }], if: { properties: { a: css } } }],
  ['a reference elsewhere', { properties: { a: { $ref: 'https://example.test/x' } } }],
  ['a prototype', JSON.parse('{"properties":{"__proto__":{"default":{"admin":true}}}}') as object],
])('%s compiles to nothing', (_, schema) => {
  expect(schemaDefaults(schema)).toBeUndefined();
});

test('only required ones where asked, also if the requirement is in allOf', () => {
  const schema = {
    allOf: [{ required: ['a'] }],
    properties: { a: css, b: css, o: { required: ['c'], properties: { c: css } } },
  };
  expect(schemaDefaults(schema, 'required')?.({ o: {} }).value).toEqual({ a: 'css', o: { c: 'css' } });
});

test('the given value and the schema are never changed', () => {
  const schema = { properties: { o: { default: { list: [1] } } } };
  const given = Object.freeze({});
  const first = fill(schema, given) as { o: { list: number[] } };
  first.o.list.push(2);
  expect([given, fill(schema, {})]).toEqual([{}, { o: { list: [1] } }]);
});

test('an own __proto__ of the caller stays a plain property', () => {
  const given: unknown = JSON.parse('{"__proto__":{"admin":true}}');
  const value = fill({ properties: { a: css } }, given) as Record<string, unknown>;
  expect([Object.getPrototypeOf(value) === Object.prototype, value['admin'], Object.keys(value)]).toEqual([
    true,
    undefined,
    ['__proto__', 'a'],
  ]);
});

test('recursive schemas, large arrays and large defaults take bounded work', () => {
  const recursive = { properties: { next: { $ref: '#' }, a: css } } as object;
  expect(schemaDefaults({ ...recursive, $ref: undefined })).toBeDefined();
  const endless = {
    $defs: { N: { properties: { n: { $ref: '#/$defs/N' }, m: { $ref: '#/$defs/N' } } } },
    $ref: '#/$defs/N',
  };
  schemaDefaults(endless);
  const { filled } = schemaDefaults({ items: { properties: { a: css } } })?.(
    Array.from({ length: 200_000 }, () => ({})),
  ) ?? {
    filled: [],
  };
  expect(filled.length).toBeLessThanOrEqual(10_000);
  expect(schemaDefaults({ properties: { a: { default: 'x'.repeat(20_000) } } })).toBeUndefined();
});

test('required with a default is satisfied; a default that is invalid is not filled in, and a required one is named', () => {
  const contract = schemaContract({ type: 'object', required: ['a'], properties: { a: css } });
  expect(contract.parse({})).toMatchObject({ ok: true, value: { a: 'css' } });
  const wrong = { type: 'string', default: null };
  expect(schemaContract({ type: 'object', properties: { a: wrong } }).parse({})).toMatchObject({ ok: true, value: {} });
  expect(schemaContract({ type: 'object', required: ['a'], properties: { a: wrong } }).parse({})).toMatchObject({
    ok: false,
    problems: [{ field: '/a', message: 'is required' }],
  });
});

const types = {
  string: fc.string(),
  integer: fc.integer(),
  boolean: fc.boolean(),
  null: fc.constant(null),
} as const;
const anyDefault = fc.oneof(...Object.values(types), fc.constant(undefined));
const aLeaf = fc
  .record({ type: fc.constantFrom('string', 'integer', 'boolean', 'null'), byDefault: anyDefault })
  .map(({ type, byDefault }) => ({ type, ...(byDefault !== undefined && { default: byDefault }) }));
const aName = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString');
const anObject = (inside: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(fc.array(fc.tuple(aName, inside), { maxLength: 4 }), fc.array(aName, { maxLength: 2 }))
    .map(([properties, required]) => ({ type: 'object', properties: Object.fromEntries(properties), required }));
const aSchema = anObject(fc.oneof(aLeaf, anObject(aLeaf)));

test('a filled value validates, or the refusal names a property', () => {
  fc.assert(
    fc.property(
      aSchema,
      fc.dictionary(aName, fc.oneof(anyDefault, fc.dictionary(aName, anyDefault))),
      (schema, value) => {
        const parsed = schemaContract(schema).parse(value);
        if (!parsed.ok) {
          expect('problems' in parsed && parsed.problems.every(({ field }) => field !== '')).toBe(true);
          return;
        }
        // Valid as it is: filling once more changes nothing.
        const again = schemaContract(schema).parse(parsed.value);
        expect(again).toMatchObject({ ok: true });
        // What was given stays.
        for (const [name, given] of Object.entries(value))
          if (typeof given !== 'object') expect(Object.getOwnPropertyDescriptor(parsed.value, name)?.value).toBe(given);
      },
    ),
    { numRuns: 500 },
  );
});
