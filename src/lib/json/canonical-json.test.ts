import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.js';

const parsed = (text: string): unknown => JSON.parse(text);

test.each([
  ['another order of keys', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
  ['a number written otherwise', '{"n":1}', '{"n":1e0}'],
  ['a nought with a sign, which no receiver gets to see', '{"n":0}', '{"n":-0}'],
  ['a key given twice, of which the last counts for everybody', '{"a":2}', '{"a":1,"a":2}'],
  ['escapes', '{"a":"é"}', '{"\\u0061":"\\u00e9"}'],
])('the same arguments have one text: %s', (_how, one, other) => {
  expect(canonicalJson(parsed(one))).toBe(canonicalJson(parsed(other)));
});

test.each([
  ['a text that only looks the same', '{"a":"\\u00e9"}', '{"a":"e\\u0301"}'],
  ['a number and its text', '{"a":1}', '{"a":"1"}'],
  ['a key named like a prototype', '{"a":1}', '{"a":1,"__proto__":{"b":1}}'],
  ['null and nothing', '{"a":null}', '{}'],
  ['a list and an object', '{"a":["x"]}', '{"a":{"0":"x"}}'],
  ['one text and two', '{"a":["x,y"]}', '{"a":["x","y"]}'],
  ['quotes inside a text', '{"a":"\\",\\"b\\":\\""}', '{"a":"","b":""}'],
  ['halves of characters', '{"a":"\\ud800"}', '{"a":"\\udfff"}'],
  ['a space at the end', '{"a":"x"}', '{"a":"x "}'],
  ['a nested difference', '{"a":{"b":[{"c":1}]}}', '{"a":{"b":[{"c":2}]}}'],
])('different arguments have different texts: %s', (_how, one, other) => {
  expect(canonicalJson(parsed(one))).not.toBe(canonicalJson(parsed(other)));
});

test('the text is JSON that reads as the value it was made of', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  );
});

/** The definition, without any short cut. */
const reference = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => reference(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, field]) => `${JSON.stringify(key)}:${reference(field)}`).join(',')}}`;
};

test('short cuts for sorted keys, rows of a table and index keys give the canonical form', () => {
  const key = fc.oneof(fc.constantFrom('b', 'a', '10', '9', '__proto__', 'toJSON', ''), fc.string());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), tie('rows'), fc.dictionary(key, tie('value'))),
    rows: fc.array(fc.record({ name: fc.string(), id: fc.integer(), '7': fc.boolean() }, { requiredKeys: ['id'] })),
  }));
  fc.assert(
    fc.property(value, (any) => {
      expect(canonicalJson(any)).toBe(reference(any));
    }),
    { numRuns: 2_000 },
  );
});
