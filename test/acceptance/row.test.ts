import { expect, test } from 'vitest';
import { documents, perform, row, wrongIds } from './row.js';

const all = Array.from({ length: documents.S4 }, (_, index) =>
  row(`S4.${index + 1}`, 'demand', 'action', () => 'seen'),
);

test('a row that is removed, unknown or there twice is named', () => {
  expect(wrongIds('S4', all)).toEqual([]);
  expect(wrongIds('S4', all.slice(1))).toEqual(['S4.1 has no row']);
  const unknown = row('S4.23', 'demand', 'action', () => 'seen');
  expect(wrongIds('S4', [...all, unknown])).toEqual(['S4.23 is unknown']);
  expect(wrongIds('S4', [...all, ...all.slice(0, 1)])).toEqual(['S4.1 occurs twice']);
});

test('a check without an assertion fails, and so does one that saw nothing', async () => {
  const outcome = (see: () => string): Promise<unknown> =>
    perform(row('S4.1', 'demand', 'action', see)).catch((error: unknown) => error);
  const [silent, blind, good] = [
    await outcome(() => 'all is well'),
    await outcome(() => {
      expect(1).toBe(1);
      return '';
    }),
    await outcome(() => {
      expect(1).toBe(1);
      return 'all is well';
    }),
  ];
  expect(silent).toEqual(new Error('the check of S4.1 asserts nothing'));
  expect(blind).toEqual(new Error('the check of S4.1 returns nothing that it saw'));
  expect(good).toBe('all is well');
});
