import { expect, test } from 'vitest';
import { systemResolver, withTimeLimit } from './resolver.js';

test('the system finds this machine by name', async () => {
  const found = await systemResolver()('localhost');
  expect(found.some((address) => address === '127.0.0.1' || address === '::1')).toBe(true);
});

test('a lookup ends at its time limit or when the caller goes, whichever is first', async () => {
  const hanging = () => new Promise<never>(() => undefined);
  await expect(withTimeLimit(hanging, 10)('a.test')).rejects.toThrow('timed out or was cancelled');
  const away = new AbortController();
  const lookup = withTimeLimit(hanging, 60_000)('a.test', away.signal);
  away.abort();
  await expect(lookup).rejects.toThrow('timed out or was cancelled');
  await expect(withTimeLimit(hanging, 60_000)('a.test', AbortSignal.abort())).rejects.toThrow(
    'timed out or was cancelled',
  );
});
