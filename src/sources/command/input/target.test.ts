import { expect, test } from 'vitest';
import { commandBench, printed } from '../../../../test/support/commands.js';
import { defineCommand } from '../pack/define.js';

const plain = { command: 'true', flags: {}, target: { kind: 'url' as const } };

test('a program given a URL is held to the vetted address, or the name in it is refused [S0.49]', async () => {
  const bench = commandBench({
    builtins: false,
    definitions: [
      defineCommand('loose', plain),
      defineCommand('pinned', { ...plain, target: { kind: 'url', pin: ['--resolve', '{name}:{port}:{address}'] } }),
    ],
  });
  const argv = async (tool: string, target: string): Promise<unknown> =>
    printed(await bench.ask(tool, { target, dry_run: true })).metadata['argv'];
  try {
    expect(await argv('loose', 'http://10.0.0.1/a#b')).toEqual([expect.any(String), 'http://10.0.0.1/a']);
    expect(await bench.ask('loose', { target: 'https://server.lab.internal/' })).toMatchObject({
      kind: 'failed',
      error: { code: 'invalid_arguments', message: expect.stringContaining('cannot be pinned to the vetted address') },
    });
    expect(await argv('pinned', 'https://server.lab.internal/x')).toEqual([
      expect.any(String),
      '--resolve',
      'server.lab.internal:443:192.168.1.20',
      'https://server.lab.internal/x',
    ]);
    for (const target of [
      'ftp://10.0.0.1/',
      'http://8.8.8.8/',
      'http://',
      'javascript:1',
      'http://a@10.0.0.1/',
      '//10.0.0.1/',
      'http://2130706434/',
    ]) {
      const outcome = await bench.ask('pinned', { target });
      if (target !== 'http://2130706434/')
        expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'invalid_arguments' } });
      else expect(outcome).toMatchObject({ kind: 'done' });
    }
  } finally {
    await bench.close();
  }
});
