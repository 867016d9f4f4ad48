import { expect, test } from 'vitest';
import { processEntries } from './process-entries.js';
import { toRefusal } from './process-spec.js';

function theEntries() {
  const seen: string[] = [];
  const entries = processEntries((hasEntries) => seen.push(hasEntries ? 'hold' : 'free'));
  const add = (dueAt = Infinity): number =>
    entries.add((id) => ({
      dueAt,
      take: (kind) => kind === 9,
      lost: ({ reason }) => seen.push(`${id} ${reason}`),
    }));
  return { entries, add, seen };
}

test('the first entry holds the broker and the last frame of the last one frees it', async () => {
  const { entries, add, seen } = theEntries();
  const [first, second] = [add(), add()];
  entries.take(1, first, Buffer.alloc(0));
  entries.take(9, first, Buffer.alloc(0));
  expect([entries.size(), seen]).toEqual([1, ['hold']]);
  const empty = entries.untilEmpty();
  entries.take(9, second, Buffer.alloc(0));
  await empty;
  expect(seen).toEqual(['hold', 'free']);
});

test('a lost broker ends every entry, and an entry past its time is overdue', () => {
  const { entries, add, seen } = theEntries();
  add(100);
  add();
  expect([entries.isOverdue(100), entries.isOverdue(101)]).toEqual([false, true]);
  entries.lose(toRefusal('broker_lost', 'test'));
  expect([entries.size(), seen]).toEqual([0, ['hold', '1 broker_lost', '2 broker_lost', 'free']]);
});
