import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandBench, printed, type Bench } from '../../../../test/support/commands.js';
import { tracerouteOutput } from './traceroute.js';

let bench: Bench;
beforeAll(() => void (bench = commandBench()));
afterAll(() => bench.close());

test('the way to loopback is one hop', async () => {
  const output = printed(await bench.ask('traceroute', { target: '127.0.0.1', max_hops: 3, queries: 1 }));
  expect(output).toMatchObject({
    returncode: 0,
    metadata: { parsed: { reached: true, hops: [{ hop: 1, addresses: ['127.0.0.1'], lost: 0 }] } },
  });
  expect(output.metadata['command']).toBe('traceroute -m 3 -q 1 -w 2 -n -N 8 -- 127.0.0.1');
});

test('silent hops, several routers and marks are read', () => {
  const stdout = [
    'traceroute to 10.9.9.9 (10.9.9.9), 30 hops max, 60 byte packets',
    ' 1  10.0.0.1  0.5 ms  0.6 ms',
    ' 2  * *',
    ' 3  10.1.0.1  1.5 ms 10.1.0.2  2.5 ms !H',
    '',
  ].join('\n');
  expect(tracerouteOutput.read({ stdout, stderr: '', returncode: 0, args: { address: '10.9.9.9' } })).toEqual({
    parsed: {
      reached: false,
      hops: [
        { hop: 1, addresses: ['10.0.0.1'], times_ms: [0.5, 0.6], lost: 0 },
        { hop: 2, addresses: [], times_ms: [], lost: 2 },
        { hop: 3, addresses: ['10.1.0.1', '10.1.0.2'], times_ms: [1.5, 2.5], lost: 0 },
      ],
    },
    summary: 'not reached in 3 hops',
  });
});
