import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drainOutput } from './output-drain.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('rounds with data go on, a quiet one can end the drain, a held one counts no round', () => {
  let activity = 0;
  const seen: string[] = [];
  drainOutput(
    () => activity,
    (isQuiet, rounds) => {
      seen.push(`${rounds} ${isQuiet}`);
      if (seen.length === 1) return 'hold';
      if (seen.length === 2) activity += 1;
      return seen.length === 4 ? 'done' : 'again';
    },
  );
  activity += 1;
  vi.advanceTimersByTime(2_000);
  expect(seen).toEqual(['0 false', '0 true', '1 true', '2 true']);
});
