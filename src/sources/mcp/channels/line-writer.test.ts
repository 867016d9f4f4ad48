import { expect, test } from 'vitest';
import { lineWriter } from './line-writer.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('lines of one turn of the event loop are one write, in order', async () => {
  const written: string[] = [];
  const writer = lineWriter(() => ({ write: async (text) => written.push(text) }));
  writer.send('a');
  writer.send('b');
  await nextTurn();
  writer.send('c');
  await nextTurn();
  expect(written).toEqual(['a\nb\n', 'c\n']);
});

test('a process that does not read is full, until it reads again', async () => {
  let readAll = (): void => {};
  const reading = new Promise<void>((resolve) => (readAll = resolve));
  const writer = lineWriter(() => ({ write: () => reading }));
  for (let turn = 0; turn < 256; turn += 1) {
    expect(writer.isFull()).toBe(false);
    writer.send('x');
    await nextTurn();
  }
  expect(writer.isFull()).toBe(true);
  readAll();
  await nextTurn();
  expect(writer.isFull()).toBe(false);
});
