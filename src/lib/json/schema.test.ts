import { expect, test } from 'vitest';
import { schemaValidator } from './schema.js';

test('two patterns of one schema are judged each by its own', () => {
  const judged = schemaValidator({ type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
  expect(judged({ a: 'a', b: 'b' })).toEqual([]);
  expect(judged({ a: 'b', b: 'a' }).map(({ field }) => field)).toEqual(['/a', '/b']);
});

test('a pattern that could hang is not run, one that is no pattern does not break the schema', () => {
  const judged = schemaValidator({
    type: 'object',
    properties: { a: { pattern: '(a+)+$' }, b: { pattern: '[' }, c: { type: 'integer' } },
  });
  expect(judged({ a: `${'a'.repeat(40)}!`, b: 'x', c: 'x' }).map(({ field }) => field)).toEqual(['/c']);
});

const nested = (levels: number): object => Array.from({ length: levels }).reduce<object>((inner) => ({ a: inner }), {});

test('a schema that leads into itself twice at one place is given up on, not followed for ever', () => {
  const judged = schemaValidator({
    $ref: '#/$defs/n',
    $defs: {
      n: { allOf: [{ properties: { a: { $ref: '#/$defs/n' } } }, { properties: { a: { $ref: '#/$defs/n' } } }] },
    },
  });
  expect(judged(nested(5))).toEqual([]);
  expect(judged(nested(60))).toEqual([
    { field: '', keyword: 'schema', message: 'cannot be validated: nested references take too long' },
  ]);
  expect(judged(nested(5))).toEqual([]);
});

test('a schema that leads into itself once is followed as far as the value goes', () => {
  const judged = schemaValidator({
    $ref: '#/$defs/n',
    $defs: { n: { properties: { a: { $ref: '#/$defs/n' } }, unevaluatedProperties: false } },
  });
  expect(judged(nested(200))).toEqual([]);
  expect(judged({ a: { b: 1 } })).toMatchObject([{ keyword: 'unevaluatedProperties' }]);
});

test('items are distinguished in one pass, whatever they are', () => {
  const judged = schemaValidator({ type: 'array', uniqueItems: true });
  const many = Array.from({ length: 60_000 }, (_, index) => ({ index }));
  expect(judged(many)).toEqual([]);
  expect(judged([...many, { index: 7 }])).toMatchObject([
    { keyword: 'uniqueItems', message: 'must NOT have duplicate items' },
  ]);
  expect(
    judged([
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
  ).toHaveLength(1);
  expect(judged([1, '1', true, 'true', null])).toEqual([]);
  expect(schemaValidator({ uniqueItems: false })([1, 1])).toEqual([]);
});

test('of a large value one mismatch is reported and not one for every part', () => {
  const judged = schemaValidator({ type: 'array', items: { type: 'string' } });
  expect(judged([1, 2, 3])).toHaveLength(3);
  expect(judged(Array.from({ length: 100_000 }, () => 1))).toHaveLength(1);
});

test('a schema too large to compile checks nothing and is reported', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
  );
  expect(schemaValidator({ properties })({})).toEqual([
    { field: '', keyword: 'schema', message: 'cannot be validated: the schema is too large' },
  ]);
});

test('a schema with thousands of properties still judges a large value', () => {
  const judged = schemaValidator({
    properties: Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`p${index}`, { type: 'integer' }])),
  });
  expect(judged(Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p${index}`, index])))).toEqual([]);
  expect(
    judged(Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`p${index}`, index === 7 ? 'x' : index]))),
  ).toMatchObject([{ field: '/p7' }]);
});
