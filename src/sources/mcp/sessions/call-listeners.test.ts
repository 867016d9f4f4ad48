import { expect, test } from 'vitest';
import { callListeners, type CallListener } from './call-listeners.js';

const asking = (clientKey: string): CallListener => ({
  clientKey,
  question: () => Promise.resolve({ result: { clientKey } }),
});

test('a question goes to the only call, or to the latest of one client, and never to one of two clients', () => {
  const calls = callListeners();
  expect(calls.forQuestion(undefined)).toBeUndefined();
  const first = asking('a');
  const second = asking('a');
  calls.add(first);
  expect(calls.forQuestion(undefined)).toBe(first);
  const added = calls.add(second);
  expect(calls.forQuestion(undefined)).toBe(second);
  added.remove();
  calls.add(asking('b'));
  expect(calls.forQuestion(undefined)).toBeUndefined();
  expect(calls.forQuestion(first)).toBe(first);
});

test('progress reaches the call of its token, bounded, and no call once that has ended', () => {
  const calls = callListeners();
  const seen: unknown[] = [];
  const { token, remove } = calls.add({ clientKey: 'a', progress: (progress) => seen.push(progress) });
  calls.add({ clientKey: 'a', progress: () => seen.push('other') });
  const progressToken = token ?? -1;
  calls.forwardProgress({ progressToken, progress: 1, total: 2, message: 'x'.repeat(2_000) });
  calls.forwardProgress({ progressToken, progress: 'half' });
  remove();
  calls.forwardProgress({ progressToken, progress: 2 });
  expect(seen).toEqual([{ progress: 1, total: 2, message: 'x'.repeat(1_000) }]);
});
