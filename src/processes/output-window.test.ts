import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { outputWindowBytes } from './broker/messages.js';
import { outputWindow } from './output-window.js';

test('pipes pause at a full window and resume when half of it was credited', () => {
  const pipe = new PassThrough();
  pipe.resume();
  const window = outputWindow([pipe, null]);
  window.sent(outputWindowBytes - 1);
  expect(pipe.isPaused()).toBe(false);
  window.sent(1);
  expect([pipe.isPaused(), window.isFull()]).toEqual([true, true]);
  window.credit(outputWindowBytes / 2);
  expect(pipe.isPaused()).toBe(true);
  window.credit(1);
  expect(pipe.isPaused()).toBe(false);
  window.credit(outputWindowBytes * 9);
  window.sent(outputWindowBytes - 1);
  expect(window.isFull()).toBe(false);
});
