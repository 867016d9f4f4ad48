import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance, compareNames, skeleton } from './look-alike.js';

/** The textbook table, whole and unbounded. */
function plainDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      table[i]![j] = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1);
    }
  }
  return table[a.length]![b.length]!;
}

describe('editDistance', () => {
  test.each([
    ['read_file', 'read_file', 0],
    ['read_file', 'raed_file', 1],
    ['read_file', 'read_fil', 1],
    ['read_file', 'reed_phile', 3],
    ['', 'abc', 3],
  ])('%s and %s are %d apart', (a, b, distance) => {
    expect(editDistance(a, b, 5)).toBe(distance);
  });

  test('agrees with the whole table up to the limit, and returns limit + 1 beyond it', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
    fc.assert(
      fc.property(word, word, fc.nat(4), (a, b, max) => {
        expect(editDistance(a, b, max)).toBe(Math.min(plainDistance(a, b), max + 1));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('lookAlike', () => {
  test.each([
    ['r\u0435ad_file', 'read_file', 'confusable'],
    ['read-file', 'read_file', 'confusable'],
    ['Read_Fi1e', 'read_file', 'confusable'],
    ['read\u200b_file', 'read_file', 'confusable'],
    ['g\u00ecthub_search', 'github_search', 'confusable'],
    ['co\u217f\u217fand', 'command', 'confusable'],
    ['raed_file', 'read_file', 'near'],
    ['send_emial_message', 'send_email_message', 'near'],
  ] as const)('%s passes for %s: %s [S2.28]', (name, known, how) => {
    expect(compareNames(name, known)).toBe(how);
  });

  test.each([
    ['read_file', 'read_file'],
    ['get', 'set'],
    ['read_file', 'write_file'],
    ['list_user', 'list_users'],
    ['search_v1', 'search_v2'],
    ['create_issue', 'close_issue'],
  ])('%s does not pass for %s', (name, known) => {
    expect(compareNames(name, known)).toBeUndefined();
  });

  test('hidden characters never change what any name looks like', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (start, end) => {
        expect(skeleton(`${start} \u200b ${end}`)).toBe(skeleton(`${start}  ${end}`));
      }),
    );
  });
});
