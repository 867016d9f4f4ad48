import { describe, expect, test } from 'vitest';
import { matchesName, parseNamePattern, parseName } from './host-names.js';

describe('a host name', () => {
  test.each([
    ['web.lab.internal', 'web.lab.internal'],
    ['WEB.Lab.Internal.', 'web.lab.internal'],
    ['a.b.c.lab.internal', 'a.b.c.lab.internal'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['evil。com', 'evil.com'],
    [`${'a'.repeat(63)}.x`, `${'a'.repeat(63)}.x`],
    ['9to5.example', '9to5.example'],
  ])('%s is read as %s', (text, name) => {
    expect(parseName(text)).toEqual({ ok: true, name });
  });

  test.each([
    '',
    '.',
    '..',
    'a..b',
    '.a',
    '-a.b',
    'a-.b',
    'a.-b',
    `${'a'.repeat(64)}.x`,
    `${'a.'.repeat(127)}ab`,
    'x'.repeat(5_000),
    'a b',
    'a\tb',
    'a\nb',
    'a\0b',
    'a%2eb',
    'a/b',
    'a\\b',
    'a@b',
    'a:80',
    'a?b',
    'a#b',
    '[::1]',
    'a_b.c',
    '*.a',
    'a,b',
    "a'b",
    'a;b',
    'a|b',
    'a$b',
    'a`b',
    'xn--a',
    'xn--\u0000',
    '\ud800.com',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0x7f000001',
    '1.2.3.4.5',
    '256.1.1.1',
    '①②⑦.⓪.⓪.①',
    '１２７.１',
    'a.0x7f',
    'a.1',
    '0x',
    '127.0.0.1',
    '0177.0.0.1.',
  ])('%j is refused', (text) => {
    expect(parseName(text)).toMatchObject({ ok: false });
  });

  test('service labels pass only where they are asked for', () => {
    expect(parseName('_dmarc.lab.internal').ok).toBe(false);
    expect(parseName('_dmarc.lab.internal', { underscores: true })).toEqual({ ok: true, name: '_dmarc.lab.internal' });
  });
});

test.each([
  ['example.com', 'example.com', true],
  ['EXAMPLE.com.', 'example.com', true],
  ['example.com', 'a.example.com', false],
  ['*.example.com', 'a.example.com', true],
  ['.example.com', 'a.b.example.com', true],
  ['.example.com', 'example.com', false],
  ['.example.com', 'badexample.com', false],
  ['example.com', 'example.com.evil.net', false],
  ['.bücher.example', 'a.xn--bcher-kva.example', true],
])('the pattern %s against %s: %s', (text, name, expected) => {
  expect(matchesName(parseNamePattern(text)!, name)).toBe(expected);
});

test.each(['*', '', '.', '*.', 'a*', 'a.*.b', '**.a', '10.0.0.1', 'http://a'])('%j is no name pattern', (text) => {
  expect(parseNamePattern(text)).toBeUndefined();
});
