import { expect, test, vi } from 'vitest';
import { abandonment } from './abandonment.js';

test('deadline and cancellation abandon a request once, with the first reason', () => {
  vi.useFakeTimers();
  try {
    const caller = new AbortController();
    const reasons: string[] = [];
    const request = abandonment(50, caller.signal, (reason) => reasons.push(reason));
    vi.advanceTimersByTime(49);
    expect([request.reason(), request.controller.signal.aborted]).toEqual([undefined, false]);
    vi.advanceTimersByTime(1);
    caller.abort();
    expect(request.reason()).toMatchObject({ kind: 'timeout' });
    expect([reasons, request.controller.signal.aborted]).toEqual([['No response in time'], true]);
  } finally {
    vi.useRealTimers();
  }
});

test('a cleared request is not abandoned any more', () => {
  const caller = new AbortController();
  const request = abandonment(60_000, caller.signal, () => {});
  request.clear();
  caller.abort();
  expect(request.reason()).toBeUndefined();
});
