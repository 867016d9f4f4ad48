import { expect, test } from 'vitest';
import { nearest } from './nearest.js';

test.each([
  ['prot', 'port'],
  ['Port', 'port'],
  ['max-body-bytes', 'max_body_bytes'],
  ['max_bdoy_bytes', 'max_body_bytes'],
  ['hots', 'host'],
  ['transprt', 'transport'],
  ['zzz', undefined],
  ['', undefined],
  ['x'.repeat(1000), undefined],
])('%s means %s', (word, meant) => {
  expect(nearest(word, ['port', 'host', 'transport', 'max_body_bytes'])).toBe(meant);
});
