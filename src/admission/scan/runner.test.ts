import { expect, test } from 'vitest';
import type { Finished, ProcessSpec, RunResult, TierReport } from '../../processes/index.js';
import { noTiers } from '../../processes/sandbox/tiers.js';
import { scanRunner } from './runner.js';

const ended = (over: Partial<Finished>): RunResult => ({
  kind: 'finished',
  code: 0,
  signal: null,
  stdout: Buffer.from('{}'),
  stderr: Buffer.alloc(0),
  truncatedStdout: false,
  truncatedStderr: false,
  producedBytes: 2,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  tier: 'prlimit',
  ...over,
});

const weak = { available: false, reason: 'bwrap is not installed' };
const tiers = async (): Promise<TierReport> => ({ ...noTiers('nothing'), bwrapNoNetwork: weak });

test.each<[string, RunResult]>([
  ['the scan took longer than 60 s', ended({ code: null, signal: 'SIGKILL', timedOut: true })],
  ['the scan result is too large', ended({ truncatedStdout: true })],
  [
    'the scan process exited unexpectedly (SIGABRT), out of memory or by a crash',
    ended({ code: null, signal: 'SIGABRT' }),
  ],
  ['the scan process exited unexpectedly (exit code 7), out of memory or by a crash', ended({ code: 7 })],
  ['the scan result cannot be parsed', ended({ stdout: Buffer.from('{"half') })],
  ['the scan could not start: no broker', { kind: 'refused', reason: 'broker_lost', message: 'no broker' }],
])('%s: it is unread, never taken for clean', async (unread, result) => {
  const read = scanRunner({ run: async () => result, tiers });
  expect(await read({ root: '/nowhere', timeoutMs: 60_000, memoryMb: 64 })).toEqual({ unread });
});

test('few are read at once, and each gets its turn', async () => {
  let now = 0;
  let most = 0;
  const read = scanRunner({
    tiers,
    async run() {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return ended({});
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => read({ root: '/nowhere', timeoutMs: 1, memoryMb: 64 })));
  expect(most).toBeLessThanOrEqual(2);
});

test('without bwrap a source is scanned with limits only, and that is reported once', async () => {
  const told: string[] = [];
  const held: ProcessSpec[] = [];
  const run = async (spec: ProcessSpec): Promise<RunResult> => (held.push(spec), ended({}));
  const read = scanRunner({ run, tiers }, (why) => void told.push(why));
  await Promise.all([1, 2, 3].map(() => read({ root: '/nowhere', timeoutMs: 1, memoryMb: 64 })));
  expect(held.map(({ tier, network }) => `${tier} ${network}`)).toEqual(Array(3).fill('prlimit host'));
  expect(told).toEqual(['bwrap is not installed']);
});
