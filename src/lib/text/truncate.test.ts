import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateText } from './truncate.js';

describe('truncate', () => {
  test.each([
    ['fits', 'abc', 3, 'abc', false],
    ['is cut', 'abcd', 3, 'abc', true],
    ['ends before half an accent', 'a\u00e9b', 2, 'a', true],
    ['ends before half an emoji', 'a\u{1f600}b', 4, 'a', true],
    ['keeps a whole emoji', 'a\u{1f600}b', 5, 'a\u{1f600}', true],
    ['has no room', 'abc', 0, '', true],
    ['has a budget below zero', 'abc', -1, '', true],
  ])('a text that %s comes out whole code points [S0.68]', (_name, text, maxBytes, value, truncated) => {
    const totalBytes = Buffer.byteLength(text);
    expect(truncateText(text, maxBytes)).toEqual({ value, truncated, totalBytes });
  });

  test('for any text and budget the cut fits, splits nothing and wastes less than a code point [S0.68]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(130), (text, maxBytes) => {
        const { value } = truncateText(text, maxBytes);
        const size = Buffer.byteLength(value);
        expect(size).toBeLessThanOrEqual(maxBytes);
        expect(text.startsWith(value)).toBe(true);
        expect(Buffer.from(value).toString()).toBe(value);
        if (value !== text) expect(size).toBeGreaterThan(maxBytes - 4);
      }),
      { numRuns: 1000 },
    );
  });
});
