import { expect, test } from 'vitest';
import { escapeInvisible } from './escape-invisible.js';

test.each([
  ['plain text, é and 😀', 'plain text, é and 😀'],
  ['a\nb\r\tc', 'a\\u000ab\\u000d\\u0009c'],
  ['\u001b[31mred', '\\u001b[31mred'],
  ['a\u202eb', 'a\\u202eb'],
  ['zero\u200bwidth', 'zero\\u200bwidth'],
  ['tag\u{e0041}', 'tag\\udb40\\udc41'],
  ['lone \ud800 surrogate', 'lone \\ud800 surrogate'],
])('%j is written as %j', (text, escaped) => {
  expect(escapeInvisible(text)).toBe(escaped);
});
