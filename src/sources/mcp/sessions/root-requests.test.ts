import { expect, test } from 'vitest';
import { rootRequests } from './root-requests.js';

test('a server that never asked gets no notification', () => {
  const roots = rootRequests(() => expect.unreachable());
  expect(roots.offer('a')).toBeUndefined();
});

test('a server that asked in vain is notified once per client, and the call waits until it was answered', async () => {
  let notified = 0;
  const roots = rootRequests(() => (notified += 1));
  roots.missed();
  const offered = roots.offer('a');
  roots.answered();
  await offered;
  expect([notified, roots.offer('a')]).toEqual([1, undefined]);
  const other = roots.offer('b');
  roots.answered();
  await other;
  expect(notified).toBe(2);
});
