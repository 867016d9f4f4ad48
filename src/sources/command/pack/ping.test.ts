import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandBench, printed, type Bench } from '../../../../test/support/commands.js';
import { pingOutput } from './ping.js';

let bench: Bench;
beforeAll(() => void (bench = commandBench()));
afterAll(() => bench.close());

test('ping of loopback answers with parsed replies, the words it ran and the tier that held it [S0.76]', async () => {
  const outcome = await bench.ask('ping', { target: '127.0.0.1', count: 2, interval: 0.2 });
  expect(outcome).toMatchObject({ kind: 'done', content: [] });
  const output = printed(outcome);
  expect(output).toMatchObject({ returncode: 0, stderr: '', timed_out: false, truncated_stdout: false });
  expect(output.metadata['command']).toBe('ping -c 2 -i 0.2 -w 30 -n -- 127.0.0.1');
  expect(output.metadata['sandbox']).toEqual({ tier: expect.stringMatching(/^(?:bwrap|prlimit)$/), network: 'host' });
  expect(output.metadata['parsed']).toMatchObject({
    transmitted: 2,
    received: 2,
    loss_percent: 0,
    replies: [{ seq: 1 }, { seq: 2 }],
  });
  expect(output.metadata['summary']).toMatch(/^2 of 2 replies/);
});

test('a name is looked up once and its vetted address goes to the program', async () => {
  const outcome = await bench.ask('ping', { target: 'HERE.lab.internal.', count: 1 });
  expect(printed(outcome).returncode).toBe(0);
  expect(bench.started.at(-1)?.args.at(-1)).toBe('127.0.0.1');
});

test('loss is read from what a silent host leaves behind', () => {
  const stdout = '--- 10.0.0.9 ping statistics ---\n4 packets transmitted, 0 received, 100% packet loss, time 3060ms\n';
  expect(pingOutput.read({ stdout, stderr: '', returncode: 1, args: {} })).toEqual({
    parsed: { transmitted: 4, received: 0, loss_percent: 100, replies: [] },
    summary: '0 of 4 replies',
  });
  expect(pingOutput.read({ stdout: 'nothing of the kind', stderr: '', returncode: 2, args: {} })).toEqual({});
});
