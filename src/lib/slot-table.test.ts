import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { slotTable } from './slot-table.js';

test('what waits is found under its number alone, and under none that was not given', () => {
  const waiting = slotTable<string>();
  const ann = waiting.add('ann');
  expect(waiting.get(ann)).toBe('ann');
  for (const other of [ann + 8, ann + 1, ann + 0.5, -ann, Number.NaN, String(ann), BigInt(ann), null])
    expect(waiting.get(other)).toBeUndefined();
  waiting.delete(ann);
  waiting.delete(ann);
  expect([waiting.get(ann), waiting.size]).toEqual([undefined, 0]);
});

test('an id is never given twice, so that a late answer finds no waiting request', () => {
  const waiting = slotTable<number>();
  const given = Array.from({ length: 100 }, (_, at) => {
    const number = waiting.add(at);
    waiting.delete(number);
    return number;
  });
  expect(new Set(given).size).toBe(100);
  const held = waiting.add(1);
  expect(given.map((number) => waiting.get(number))).toEqual(given.map(() => undefined));
  expect(waiting.get(held)).toBe(1);
});

test('it is what a map with the same comings and goings is', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(40), { nil: undefined }), { maxLength: 300 }), (steps) => {
      const waiting = slotTable<number>();
      const expected = new Map<number, number>();
      for (const [index, leaving] of steps.entries()) {
        if (leaving === undefined) expected.set(waiting.add(index), index);
        else {
          const number = [...expected.keys()][leaving % Math.max(1, expected.size)] ?? 0;
          waiting.delete(number);
          expected.delete(number);
        }
      }
      expect(waiting.size).toBe(expected.size);
      expect([...expected.keys()].map((number) => waiting.get(number))).toEqual([...expected.values()]);
      expect(waiting.values().toSorted((a, b) => a - b)).toEqual([...expected.values()].toSorted((a, b) => a - b));
    }),
  );
});
