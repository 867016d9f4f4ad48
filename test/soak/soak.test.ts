import { expect, test } from 'vitest';

test('random kills, timeouts, crashes and reloads leave no process, no descriptor and a flat heap', async () => {
  const { soak } = (await import('./cycles.mjs' as string)) as {
    soak(options: { cycles: number; seed: number }): Promise<Record<string, number>>;
  };
  const result = await soak({ cycles: 40, seed: 7 });
  expect(result).toMatchObject({ cycles: 40, processesLeft: 0, activeLeft: 0 });
  expect(result['descriptorsGrown']).toBeLessThanOrEqual(2);
  expect(
    Object.values({ a: result['answered'], c: result['crashed'], k: result['killed'], r: result['reloaded'] }).every(
      (count) => (count ?? 0) > 0,
    ),
  ).toBe(true);
}, 120_000);

test('clients that vanish in the middle of a session, a stream, a call or a request leave no call and no descriptor', async () => {
  const { vanish } = (await import('./vanish.mjs' as string)) as {
    vanish(options: { clients: number }): Promise<Record<string, number>>;
  };
  const result = await vanish({ clients: 600 });
  expect(result).toMatchObject({ clients: 600, activeLeft: 0 });
  expect(result['descriptorsGrown']).toBeLessThanOrEqual(2);
}, 60_000);
