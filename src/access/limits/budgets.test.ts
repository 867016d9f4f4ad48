import { expect, test } from 'vitest';
import { memoryStore } from '../../state/memory-store.js';
import type { LocalStore } from '../../state/store.js';
import { handClock } from '../../../test/support/make.js';
import { budgets } from './budgets.js';

function counting(store: LocalStore): { readonly store: LocalStore; writes(): number } {
  let writes = 0;
  return {
    store: {
      ...store,
      put: (...given) => {
        writes += 1;
        store.put(...given);
      },
    },
    writes: () => writes,
  };
}
const spendAll = (from: ReturnType<typeof budgets>, budget: number): number => {
  let made = 0;
  while (from.spend('k', budget) === 0) made += 1;
  return made;
};

test('after a crash no caller has more left than before, and at most a block less', () => {
  const clock = handClock(1_000);
  const store = memoryStore({ now: clock });
  const first = budgets({ maxKeys: () => 10, now: clock });
  first.keepIn(store);
  for (let call = 0; call < 30; call += 1) expect(first.spend('k', 1000)).toBe(0);
  const second = budgets({ maxKeys: () => 10, now: clock });
  second.keepIn(store);
  const left = spendAll(second, 1000);
  expect(left).toBeLessThanOrEqual(970);
  expect(left).toBeGreaterThanOrEqual(970 - 21);
});

test('a clean end writes exactly what was spent; a day later it is all there again', () => {
  const clock = handClock(1_000);
  const store = memoryStore({ now: clock });
  const first = budgets({ maxKeys: () => 10, now: clock });
  first.keepIn(store);
  for (let call = 0; call < 30; call += 1) first.spend('k', 1000);
  first.settle();
  const second = budgets({ maxKeys: () => 10, now: clock });
  second.keepIn(store);
  expect(spendAll(second, 1000)).toBe(970);
  clock.advance(86_400_000);
  expect(spendAll(second, 1000)).toBe(1000);
});

test('most calls write nothing, and a small budget is exact', () => {
  const clock = handClock(1_000);
  const { store, writes } = counting(memoryStore({ now: clock }));
  const made = budgets({ maxKeys: () => 10, now: clock });
  made.keepIn(store);
  expect(spendAll(made, 10_000)).toBe(10_000);
  expect(writes()).toBeLessThan(200);
  const again = budgets({ maxKeys: () => 10, now: clock });
  again.keepIn(store);
  expect([again.spend('small', 2), again.spend('small', 2), again.spend('small', 2) > 0]).toEqual([0, 0, true]);
});

test('a key that memory had no room for is found again in the store', () => {
  const clock = handClock(1_000);
  const made = budgets({ maxKeys: () => 2, now: clock });
  made.keepIn(memoryStore({ now: clock }));
  made.spend('k', 1);
  for (const other of ['a', 'b', 'c']) made.spend(other, 1);
  expect(made.spend('k', 1)).toBeGreaterThan(0);
});
