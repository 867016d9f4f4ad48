import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { behaviourOf } from '../../../core/errors.js';
import { recoveryOf } from '../../../core/recovery.js';
import type { Outcome } from '../../../core/outcome.js';
import { commandBench, printed, type Bench } from '../../../../test/support/commands.js';
import type { CommandDefinition, OutputParser } from '../definition.js';
import type { ManifestInput } from '../manifest/manifest.js';
import { defineCommand } from '../pack/define.js';
import { findParser } from '../output/parsers.js';

const command = (
  name: string,
  program: string,
  before: string[] = [],
  over: Partial<ManifestInput> = {},
): CommandDefinition => defineCommand(name, { command: program, before, flags: {}, target: { kind: 'none' }, ...over });

/** A script, which no manifest could ask for: the check that forbids shells is passed by. */
const script = (name: string, text: string, over: Partial<ManifestInput> = {}): CommandDefinition => {
  const made = command(name, 'true', [], over);
  return { ...made, manifest: { ...made.manifest, command: 'sh', before: ['-c', text] } };
};
const held = { sandbox: { best: 'prlimit', network: 'host' } } as const;

let bench: Bench;
beforeAll(() => {
  process.env['GATEWAY_SECRET'] = 'hunter2';
  bench = commandBench({
    definitions: [
      command('environment', 'printenv', [], { environment: { TERM: 'dumb' } }),
      command('limits', 'cat', ['/proc/self/limits'], {
        ...held,
        limits: { timeout_sec: 20, memory_mb: 128, file_descriptors: 64 },
      }),
      command('session', 'cat', ['/proc/self/stat'], held),
      command('interfaces', 'cat', ['/proc/net/dev']),
      script('slow', 'echo begun; echo warned >&2; exec sleep 30', held),
      command('endless', 'yes', ['toolgate'], { limits: { max_stdout_bytes: 5000 } }),
      command('drained', 'seq', ['1', '20000'], { limits: { max_stdout_bytes: 5000, on_output_limit: 'drain' } }),
      command('bytes', 'printf', ['a\\377b\\303\\251']),
      script('wide', `for i in 1 2 3 4 5 6; do printf '${String.raw`\303\251`.repeat(100)}'; done`, {
        limits: { max_stdout_bytes: 1025, on_output_limit: 'drain' },
      }),
      command('escapes', 'printf', ['\\033[31mred\\033[0m\\007']),
      command('json', 'printf', ['{"a": [1]}']),
      command('xml', 'printf', ['<?xml version="1.0"?><a/>']),
      {
        ...command('declared_xml', 'printf', ['<?xml version="1.0"?><a b="1"> x<c/></a>']),
        parser: findParser('xml') as OutputParser,
      },
      command('no', 'false'),
      script('crash', 'kill -SEGV $$'),
      script('crash_limits', 'kill -SEGV $$', held),
      command('greedy', 'grep', ['-a', 'x', '/dev/zero'], { limits: { memory_mb: 64 } }),
      command('writer', 'dd', ['if=/dev/zero', 'of=/tmp/x', 'bs=1M', 'count=4']),
      command('missing', 'no-such-program-here'),
      command('elsewhere', '/usr/bin/false'),
      command('nowhere', '/opt/secret/place/program'),
      script('denied', 'echo "cannot: Operation not permitted" >&2; exit 2'),
      script('offline', 'echo "connect: Network is unreachable" >&2; exit 2'),
      command('hyphens', 'printf', ['%s'], {
        flags: { word: { flag: '--word', type: 'string', pattern: '[a-z]+' } },
        always: ['--always'],
        end_of_flags: true,
        target: { kind: 'host' },
      }),
    ],
  });
});
afterAll(() => bench.close());

const failure = (outcome: Outcome) => {
  if (outcome.kind !== 'failed') throw new Error(`did not fail: ${JSON.stringify(outcome)}`);
  return outcome.error;
};

test('the program gets PATH, LANG, LC_ALL and the declared names, and nothing of the gateway [S0.57]', async () => {
  const lines = printed(await bench.ask('environment', {}))
    .stdout.trim()
    .split('\n')
    .filter((line) => !line.startsWith('PWD='))
    .sort();
  expect(lines).toEqual(['LANG=C.UTF-8', 'LC_ALL=C.UTF-8', expect.stringMatching(/^PATH=\/usr/), 'TERM=dumb']);
});

test('limits of processor time, memory, files and core dumps hold in the program [S0.59] [S0.60] [S0.61] [S0.62]', async () => {
  const { stdout } = printed(await bench.ask('limits', { timeout_sec: 7 }));
  expect(stdout).toMatch(/^Max cpu time\s+7\s+12\s/m);
  expect(stdout).toMatch(/^Max address space\s+134217728\s+134217728\s/m);
  expect(stdout).toMatch(/^Max open files\s+64\s+64\s/m);
  expect(stdout).toMatch(/^Max core file size\s+0\s+0\s/m);
});

test('each run has its own session and process group [S0.58]', async () => {
  const [pid, , , , group, session] = printed(await bench.ask('session', {}))
    .stdout.replace(/\(.*\)/, 'x')
    .split(' ')
    .map((word) => (word === 'x' ? word : Number(word)));
  expect([typeof pid, group, session]).toEqual(['number', pid, pid]);
});

test('a tool without a target has no network', async () => {
  const output = printed(await bench.ask('interfaces', {}));
  expect(output.metadata['sandbox']).toEqual({ tier: 'bwrap', network: 'none' });
  expect(
    output.stdout
      .split('\n')
      .slice(2)
      .map((line) => line.trim().split(':')[0]),
  ).toEqual(['lo', '']);
});

test('the words are program, fixed words, flags, always-added ones, --, target, in that order [S0.55]', async () => {
  const output = printed(await bench.ask('hyphens', { target: '127.0.0.1', word: 'x', dry_run: true }));
  expect(output.metadata['argv']).toEqual([
    expect.stringMatching(/\/printf$/),
    '%s',
    '--word',
    'x',
    '--always',
    '--',
    '127.0.0.1',
  ]);
});

test('a dry run shows words, environment names, tier and limits, and starts nothing [S0.53]', async () => {
  const before = bench.started.length;
  const outcome = await bench.ask('ping', { target: '127.0.0.1', dry_run: true, timeout_sec: 9 });
  expect(outcome).toMatchObject({ kind: 'done' });
  expect(printed(outcome)).toMatchObject({
    stdout: 'Would execute: ping -c 4 -w 30 -n -- 127.0.0.1',
    returncode: 0,
    metadata: {
      dry_run: true,
      command: 'ping -c 4 -w 30 -n -- 127.0.0.1',
      argv: [expect.stringMatching(/^\/.*\/ping$/), '-c', '4', '-w', '30', '-n', '--', '127.0.0.1'],
      environment: ['PATH', 'LANG', 'LC_ALL'],
      sandbox: { network: 'host' },
      limits: {
        timeout_sec: 9,
        cpu_seconds: 9,
        memory_bytes: 536_870_912,
        open_files: 256,
        stdout_bytes: 65_536,
        stderr_bytes: 262_144,
      },
    },
  });
  expect(bench.started).toHaveLength(before);
});

test('a timeout is 124, is stated, and keeps what was printed until then [S0.65] [S0.125]', async () => {
  const outcome = await bench.ask('slow', { timeout_sec: 0.5 });
  expect(failure(outcome)).toMatchObject({ code: 'timeout' });
  expect(printed(outcome)).toMatchObject({
    returncode: 124,
    timed_out: true,
    stdout: 'begun\n',
    stderr: 'warned\nProcess timed out after 0.5s',
  });
});

test('a caller who hangs up is cancelled, which is no timeout', async () => {
  const controller = new AbortController();
  const asked = bench.ask('slow', {}, controller.signal);
  setTimeout(() => controller.abort(), 50);
  const outcome = await asked;
  expect(failure(outcome)).toMatchObject({ code: 'cancelled' });
  expect(outcome.kind === 'failed' && outcome.data !== undefined ? printed(outcome).timed_out : false).toBe(false);
});

test('output above the cap ends the program, and its beginning is returned and marked [S0.67]', async () => {
  const outcome = await bench.ask('endless', {});
  expect(failure(outcome)).toMatchObject({ code: 'output_limit' });
  expect(printed(outcome)).toMatchObject({ truncated_stdout: true, truncated_stderr: false });
  expect(printed(outcome).stdout.length).toBeLessThanOrEqual(5000);
});

test('where draining is configured the program ends by itself and the result is only marked [S0.67]', async () => {
  const outcome = await bench.ask('drained', {});
  expect(outcome).toMatchObject({ kind: 'done', data: { returncode: 0, truncated_stdout: true } });
  expect(printed(outcome).stdout).toMatch(/^1\n2\n3\n/);
});

test('bytes that are not UTF-8 are replaced, and a cut never leaves half a character [S0.68]', async () => {
  expect(printed(await bench.ask('bytes', {})).stdout).toBe('a\ufffdbé');
  expect(printed(await bench.ask('wide', {}))).toMatchObject({ truncated_stdout: true, stdout: 'é'.repeat(512) });
});

test('escapes of a terminal are taken out [S0.68]', async () => {
  expect(printed(await bench.ask('escapes', {})).stdout).toBe('red');
});

test('output that is JSON is given as data too; XML is not read unless a tool asks for it [S0.75]', async () => {
  expect(printed(await bench.ask('json', {})).metadata['json']).toEqual({ a: [1] });
  const { metadata } = printed(await bench.ask('xml', {}));
  expect([metadata['json'], metadata['xml'], metadata['parsed']]).toEqual([undefined, undefined, undefined]);
  expect(printed(await bench.ask('declared_xml', {})).metadata['parsed']).toEqual({
    name: 'a',
    attributes: { b: '1' },
    text: 'x',
    children: [{ name: 'c', attributes: {}, text: '', children: [] }],
  });
});

test('a result has every field of a command output [S0.77]', async () => {
  expect(Object.keys(printed(await bench.ask('json', {}))).sort()).toEqual([
    'metadata',
    'returncode',
    'stderr',
    'stdout',
    'timed_out',
    'truncated_stderr',
    'truncated_stdout',
  ]);
});

test.each([
  ['no', 'execution_failed', 'execution_error', 1],
  ['crash', 'crashed', 'execution_error', 139],
  ['crash_limits', 'crashed', 'execution_error', 139],
  ['greedy', 'resource_exhausted', 'resource_exhausted', 2],
  ['writer', 'resource_exhausted', 'resource_exhausted', 153],
  ['denied', 'permission_denied', 'permission_denied', 2],
  ['offline', 'execution_failed', 'execution_error', 2],
  ['slow', 'timeout', 'timeout', 124],
  ['endless', 'output_limit', 'output_limit', undefined],
])(
  '%s ends as %s, reported as %s; success is exit code 0 and nothing else [S0.79] [S0.82]',
  async (tool, code, type, returncode) => {
    const outcome = await bench.ask(tool, { timeout_sec: 4 });
    expect([failure(outcome).code, behaviourOf(failure(outcome)).type]).toEqual([code, type]);
    expect(printed(outcome).returncode).not.toBe(0);
    if (returncode !== undefined) expect(printed(outcome).returncode).toBe(returncode);
  },
);

test('each failure has a hint what to do about it [S0.80]', async () => {
  expect(recoveryOf(failure(await bench.ask('slow', { timeout_sec: 0.2 })))).toBe(
    'Increase timeout_sec or reduce operation scope.',
  );
  expect(recoveryOf(failure(await bench.ask('missing', {})))).toBe('Install no-such-program-here or add to PATH.');
  expect(recoveryOf(failure(await bench.ask('denied', {})))).toBe('Run with appropriate permissions or adjust policy.');
  expect(recoveryOf(failure(await bench.ask('offline', {})))).toBe('Check network connectivity and firewall rules.');
  expect(recoveryOf(failure(await bench.ask('ping', { target: '' })))).toBe(
    'Check argument format. Use --help for syntax.',
  );
});

test('no error shows a path, the PATH or a stack [S0.84]', async () => {
  for (const tool of ['no', 'elsewhere', 'nowhere', 'crash', 'missing', 'greedy', 'slow']) {
    const error = failure(await bench.ask(tool, { timeout_sec: 0.3 }));
    expect(JSON.stringify(error)).not.toMatch(/\/usr|\/bin|\/opt|PATH=|\bat .*\.ts/);
  }
});

test('a program that is not installed makes its tool not ready, with code 127 [S0.56]', async () => {
  const tool = await bench.tool('missing');
  expect(tool.unavailable).toMatchObject({ code: 'command_missing', data: { returncode: 127 } });
  const before = bench.started.length;
  expect(failure(await bench.ask('missing', {})).code).toBe('command_missing');
  expect(bench.started).toHaveLength(before);
});

test('a program that every user could replace is not used [S0.56]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-'));
  const file = join(folder, 'program');
  writeFileSync(file, '#!/bin/true\n', { mode: 0o755 });
  const one = commandBench({ builtins: false, definitions: [command('open', file)] });
  try {
    expect((await one.tool('open')).unavailable).toEqual({
      code: 'command_missing',
      message: 'program can be overwritten by any user of this machine and is not used',
      hint: 'Install program where only its owner can write.',
      data: { returncode: 127 },
    });
  } finally {
    rmSync(folder, { recursive: true });
    await one.close();
  }
});

test('a tool below its minimum tier is refused, never run weaker [S0.63]', async () => {
  const weak = { available: false, reason: 'bwrap is not installed (package bubblewrap)' };
  const started: unknown[] = [];
  const poor = commandBench({
    definitions: [
      command('boxed', 'true', [], { sandbox: { minimum: 'bwrap' } }),
      command('offline', 'true'),
      command('plain', 'true', [], { sandbox: { network: 'host' } }),
    ],
    builtins: false,
    processes: {
      tiers: () => Promise.resolve({ bwrap: weak, bwrapNoNetwork: weak, prlimit: { available: true } }),
      run: (spec) => (
        started.push(spec.tier),
        Promise.resolve({ kind: 'refused', reason: 'spawn_failed', message: '/usr/bin/true: secret path' })
      ),
    },
  });
  try {
    for (const name of ['boxed', 'offline']) {
      expect((await poor.tool(name)).unavailable).toMatchObject({
        code: 'sandbox_unavailable',
        message: expect.stringContaining('bubblewrap'),
      });
      expect(failure(await poor.ask(name, {})).code).toBe('sandbox_unavailable');
    }
    expect(started).toEqual([]);
    expect(failure(await poor.ask('plain', {}))).toEqual({ code: 'crashed', message: 'true could not be started' });
    expect(started).toEqual(['prlimit']);
  } finally {
    await poor.close();
  }
});
