import { expect, test } from 'vitest';
import { boundedAjv, stepLimitExceeded } from './bounded-ajv.js';

/** References itself twice at one place: unbounded, the work doubles with every level. */
const doubling = {
  $defs: { node: { properties: { next: { allOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/node' }] } } } },
  $ref: '#/$defs/node',
};
const nested = (depth: number): object => (depth === 0 ? {} : { next: nested(depth - 1) });

test('a validation stops at its step limit', () => {
  const { ajv, setStepLimit } = boundedAjv({ strict: false });
  const validate = ajv.compile(doubling);
  setStepLimit(1_000);
  expect(() => validate(nested(40))).toThrow(stepLimitExceeded);
  setStepLimit(1_000);
  expect(validate(nested(3))).toBe(true);
});

test('unique items are compared by value', () => {
  const { ajv } = boundedAjv({ strict: false });
  const validate = ajv.compile({ type: 'array', uniqueItems: true });
  expect(validate([{ a: 1, b: 2 }, { a: 2 }])).toBe(true);
  expect(
    validate([
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
  ).toBe(false);
});

test('ten thousand items are compared in linear time', () => {
  const { ajv } = boundedAjv({ strict: false });
  const validate = ajv.compile({ type: 'array', uniqueItems: true });
  expect(validate(Array.from({ length: 10_000 }, (_, id) => ({ id })))).toBe(true);
});
