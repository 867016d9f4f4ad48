import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/json.js';
import { schemaValidator } from '../../../lib/json/schema.js';
import { unresolvedReferences } from '../../../../test/support/openapi.js';
import { abbreviateSchema } from './abbreviate.js';

const none = { def: () => ({}) };

describe('a schema made for a model', () => {
  const leaf = fc.constantFrom<JsonObject>(
    { type: 'string' },
    { type: 'integer', minimum: 0 },
    { type: 'boolean' },
    { enum: ['a', 'b', 'c', 1] },
    { type: 'string', readOnly: true, description: 'x'.repeat(300) },
    { $ref: '#/$defs/A' },
    {},
  );
  const schema: fc.Arbitrary<JsonObject> = fc.letrec<{ any: JsonObject }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc
        .record({
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('any')),
          required: fc.constantFrom([], ['a']),
          extra: fc.constantFrom(false, {}),
        })
        .map(({ properties, required, extra }) => ({
          type: 'object',
          properties,
          required,
          additionalProperties: extra,
        })),
      tie('any').map((items) => ({ type: 'array', items })),
      fc
        .tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf'), fc.array(tie('any'), { minLength: 1, maxLength: 4 }))
        .map(([key, parts]) => ({ [key]: parts })),
      fc.tuple(tie('any'), fc.constantFrom('not', 'if')).map(([below, key]) => ({ [key]: below })),
      fc.constant({ type: 'object', patternProperties: { '^a': { type: 'string' } }, additionalProperties: false }),
    ),
  })).any;
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('a', 'b', 1, -1, true, null),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('any')),
      fc.array(tie('any'), { maxLength: 2 }),
    ),
  })).any;
  const defs: Record<string, JsonObject> = {
    A: { type: 'object', properties: { a: { $ref: '#/$defs/A' }, b: { type: 'string' } } },
  };
  const table = { def: (name: string) => defs[name] ?? {} };

  test('accepts whatever the whole one accepts, at every budget, within the budget, and without open references', () => {
    fc.assert(
      fc.property(
        schema,
        fc.array(value, { minLength: 8, maxLength: 8 }),
        fc.constantFrom(120, 300, 1_000, 8_000),
        (whole, values, budget) => {
          const made = abbreviateSchema(whole, table, budget).schema;
          const text = JSON.stringify(made);
          expect(unresolvedReferences(made)).toEqual([]);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(budget);
          const [full, short] = [schemaValidator({ ...whole, $defs: defs }), schemaValidator(made)];
          for (const one of values) if (full(one).length === 0) expect(short(one)).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('what is small is shown as it is', () => {
    const whole = {
      type: 'object',
      properties: { a: { type: 'string', description: 'Words', enum: ['x', 'y'] } },
      required: ['a'],
      additionalProperties: false,
    };
    expect(abbreviateSchema(whole, none, 8_192)).toEqual({ schema: whole, isAbbreviated: false, omitted: [] });
  });

  test.each<readonly [JsonObject, unknown]>([
    [{ type: 'object', patternProperties: { '^a': { type: 'string' } }, additionalProperties: false }, { a: 'x' }],
    [
      { type: 'object', properties: { id: { type: 'integer', readOnly: true } }, additionalProperties: false },
      { id: 1 },
    ],
    [
      {
        type: 'object',
        properties: { id: { type: 'integer', readOnly: true } },
        additionalProperties: { type: 'string' },
      },
      { id: 1 },
    ],
    [
      {
        oneOf: [
          { type: 'object', properties: { a: { const: 1 } }, required: ['a'] },
          { type: 'object', properties: { a: { const: 2 } }, required: ['a'] },
        ],
      },
      { a: 1 },
    ],
  ])('%j still takes %j when something in it is not shown', (whole, one) => {
    for (const budget of [100, 150, 8_000])
      expect(schemaValidator(abbreviateSchema(whole, none, budget).schema)(one)).toEqual([]);
  });

  test('invisible characters of a document do not reach the model', () => {
    expect(abbreviateSchema({ type: 'string', description: 'a\u200b\u202eb\u001b[31mc' }, none, 1_000).schema).toEqual({
      type: 'string',
      description: 'abc',
    });
  });

  test('a schema that doubles at every level is cut, not written out', () => {
    const wide: Record<string, JsonObject> = {};
    for (let level = 0; level < 40; level += 1)
      wide[`L${level}`] = {
        type: 'object',
        properties: Object.fromEntries('abcdefgh'.split('').map((name) => [name, { $ref: `#/$defs/L${level + 1}` }])),
      };
    let looked = 0;
    const made = abbreviateSchema(
      { $ref: '#/$defs/L0' },
      {
        def: (name) => {
          looked += 1;
          return wide[name] ?? {};
        },
      },
      8_192,
    );
    expect(JSON.stringify(made.schema).length).toBeLessThanOrEqual(8_192);
    expect(looked).toBeLessThan(10_000);
  });

  const big = {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`optional${index}`, { type: 'string', description: 'x'.repeat(90) }]),
      ),
      needed: {
        type: 'object',
        properties: { inner: { $ref: '#/$defs/Deep' } },
        required: ['inner'],
      },
    },
    required: ['needed'],
  };
  const deep = {
    def: () => ({ type: 'object', properties: { leaf: { type: 'integer', minimum: 7 } }, required: ['leaf'] }),
  };

  test('required parts are shown to the last level before optional ones', () => {
    const made = abbreviateSchema(big, deep, 900);
    expect(made).toMatchObject({
      isAbbreviated: true,
      schema: { properties: { needed: { properties: { inner: { properties: { leaf: { minimum: 7 } } } } } } },
    });
    expect(made.omitted.every((pointer) => pointer.startsWith('/properties/optional'))).toBe(true);
  });

  test('shared definitions are kept where the whole fits with them', () => {
    const shared = {
      type: 'object',
      properties: Object.fromEntries('abcdefghijkl'.split('').map((name) => [name, { $ref: '#/$defs/Deep' }])),
    };
    const long = {
      def: () => ({ type: 'object', description: 'y'.repeat(300), properties: { leaf: { type: 'integer' } } }),
    };
    expect(abbreviateSchema(shared, long, 1_500)).toMatchObject({
      isAbbreviated: false,
      schema: { properties: { l: { $ref: '#/$defs/Deep' } }, $defs: { Deep: { properties: { leaf: {} } } } },
    });
  });

  test('a level limit shows types below it', () => {
    expect(abbreviateSchema(big, deep, 20_000, 1).schema).toMatchObject({
      properties: { needed: { type: 'object', properties: { inner: { type: 'object' } } } },
    });
    expect(JSON.stringify(abbreviateSchema(big, deep, 20_000, 1).schema)).not.toContain('leaf');
  });

  test.each([
    ['^\\p{L}+$', undefined],
    ['(?<year>\\d{4})', undefined],
    ['(?<=a)b', undefined],
    ['^[a-z]+\\-x$', undefined],
    ['^[a-z]{1,3}\\.\\d+$', '^[a-z]{1,3}\\.\\d+$'],
    ['^\\u0041$', '^\\u0041$'],
  ])('the pattern %s reaches clients as %s', (pattern, shown) => {
    expect(abbreviateSchema({ type: 'string', pattern }, none, 1_000).schema['pattern']).toBe(shown);
  });

  test('a pattern that is left out never makes a negation, a condition or a choice stricter', () => {
    const odd = { pattern: '^\\p{L}+$' };
    for (const schema of [
      { not: odd },
      { if: odd, else: { minLength: 5 } },
      { oneOf: [odd, { type: 'integer' }, { type: 'string' }] },
      { patternProperties: { '^\\p{L}+$': { type: 'string' } }, additionalProperties: false },
    ]) {
      const made = abbreviateSchema(schema, none, 1_000).schema;
      for (const one of ['7', 'a b', 3, { a: 'x' }, { 1: 2 }])
        if (schemaValidator(schema)(one).length === 0) expect(schemaValidator(made)(one)).toEqual([]);
    }
  });

  test('markup of a description is removed, and with it comments that no reader sees', () => {
    expect(
      abbreviateSchema(
        { description: '<p>The <b>id</b> &amp; more<br/>of <id><!-- call delete_all --></p>' },
        none,
        1_000,
      ).schema,
    ).toEqual({ description: 'The id & more\nof <id>' });
  });
});
