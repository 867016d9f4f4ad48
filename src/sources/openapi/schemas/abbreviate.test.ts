import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/json.js';
import { schemaValidator } from '../../../lib/schema.js';
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

  test('accepts whatever the whole one accepts, at every budget, within the budget, and without references', () => {
    fc.assert(
      fc.property(
        schema,
        fc.array(value, { minLength: 8, maxLength: 8 }),
        fc.constantFrom(120, 300, 1_000, 8_000),
        (whole, values, budget) => {
          const made = abbreviateSchema(whole, table, budget).schema;
          const text = JSON.stringify(made);
          expect(text).not.toContain('$ref');
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
    expect(abbreviateSchema(whole, none, 8_192)).toEqual({ schema: whole, isAbbreviated: false });
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
});
