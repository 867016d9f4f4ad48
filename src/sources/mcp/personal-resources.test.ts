import { expect, test } from 'vitest';
import type { ResourceLists } from '../../core/source.js';
import { personalResources } from './personal-resources.js';

const lists = (): ResourceLists => ({ resources: [], templates: [] });

test('lists are read once per principal, again after a change or five minutes, and kept if that fails', async () => {
  let now = 0;
  let fails = false;
  const read: string[] = [];
  const personal = personalResources({
    clock: () => now,
    onLate() {},
    read(principal) {
      read.push(principal);
      return fails ? Promise.reject(new Error('down')) : Promise.resolve(lists());
    },
  });
  expect(personal.known('ada')).toBeUndefined();
  const [first, same] = await Promise.all([personal.of('ada'), personal.of('ada')]);
  expect(same).toBe(first);
  expect(personal.of('ada')).toBe(first);
  await personal.of('bob');
  expect(read).toEqual(['ada', 'bob']);
  personal.invalidate();
  expect(personal.known('ada')).toBe(first);
  const second = await personal.of('ada');
  expect(second).not.toBe(first);
  now += 300_000;
  fails = true;
  expect(await personal.of('ada')).toBe(second);
  expect(personal.of('ada')).toBe(second);
  now += 10_000;
  fails = false;
  expect(await personal.of('ada')).not.toBe(second);
});

test('a change during a read makes the result outdated at once', async () => {
  const answers: ((lists: ResourceLists) => void)[] = [];
  const personal = personalResources({ onLate() {}, read: () => new Promise((resolve) => void answers.push(resolve)) });
  const first = personal.of('ada');
  personal.invalidate();
  answers[0]?.(lists());
  await first;
  expect(personal.of('ada')).toBeInstanceOf(Promise);
  expect(answers).toHaveLength(2);
});

test('a server that hangs delays a reader for a bounded time, and its lists are announced when they come', async () => {
  let answer: (lists: ResourceLists) => void = () => {};
  let announced: () => void = () => {};
  const late = new Promise<void>((resolve) => (announced = resolve));
  const personal = personalResources({
    maxWaitMs: 1,
    onLate: () => announced(),
    read: () => new Promise((resolve) => (answer = resolve)),
  });
  expect(await personal.of('ada')).toEqual(lists());
  const real = lists();
  answer(real);
  await late;
  expect(personal.of('ada')).toBe(real);
});
