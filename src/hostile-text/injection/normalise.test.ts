import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalise } from './normalise.js';

describe('normalise', () => {
  test.each([
    ['Plain TEXT', 'plain text'],
    ['Z\u00fcrich caf\u00e9', 'zurich cafe'],
    ['\uff29\uff27\uff2e\uff2f\uff32\uff25', 'ignore'],
    ['\u{1d422}\u{1d420}\u{1d427}\u{1d428}\u{1d42b}\u{1d41e}', 'ignore'],
    ['i\u0301gn\u200bo\u00adre', 'ignore'],
    ['p\u0430ssw\u043erd', 'password'],
    [
      '\u0437\u0430\u0431\u0443\u0434\u044c \u0432\u0441\u0451',
      '\u0437\u0430\u0431\u0443\u0434\u044c \u0432\u0441\u0451',
    ],
    ['don\u2019t \u201csay\u201d', 'don\'t "say"'],
    ['\u5ffd\u7565\u6307\u4ee4', '\u5ffd\u7565\u6307\u4ee4'],
  ])('%s is read as %s', (text, plain) => {
    expect(normalise(text).text).toBe(plain);
  });

  test('a place among the letters of one character points at that character', () => {
    const { text, origin } = normalise('a\u2167b');
    expect(text).toBe('aviiib');
    expect([...text].map((_, index) => origin(index))).toEqual([0, 1, 2, 2, 2, 2]);
    expect(origin(text.length)).toBe(3);
  });

  test('for any text, places lead back into it and never backwards', () => {
    const unit = fc.oneof(
      fc.constantFrom('\u2167', '\u200b', '\u00e9', '\u{1d422}', '\u{1f468}', '\u0130', 'a', '\ufb03', '\u{e0041}'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
        const normalised = normalise(text);
        let last = 0;
        for (let index = 0; index <= normalised.text.length; index++) {
          const place = normalised.origin(index);
          expect(place).toBeGreaterThanOrEqual(last);
          expect(place).toBeLessThanOrEqual(text.length);
          last = place;
        }
      }),
    );
  });
});
