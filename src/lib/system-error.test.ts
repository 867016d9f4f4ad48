import { expect, test } from 'vitest';
import { describeSystemError } from './system-error.js';

const withCode = (code: string): Error => Object.assign(new Error(`${code}: open '/home/alice/secret'`), { code });

test.each([
  [withCode('ENOENT'), 'no such file or folder'],
  [withCode('ENOSPC'), 'no space left on the disk'],
  [withCode('EXOTIC'), 'system error EXOTIC'],
  [withCode('constructor'), 'unexpected error'],
  [new Error('library text'), 'unexpected error'],
  ['thrown text', 'unexpected error'],
])('%s is described in plain words, without the path', (error, words) => {
  expect(describeSystemError(error)).toBe(words);
});
