import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { commandBench, policyOf, printed, type Bench } from '../../../test/support/commands.js';
import type { CommandSourceOptions } from './source.js';
import { defineCommand } from './pack/define.js';

const open: Bench[] = [];
const folders: string[] = [];
const bench = (over: Partial<CommandSourceOptions> = {}): Bench => {
  const made = commandBench(over);
  open.push(made);
  return made;
};
const folderOf = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o644 });
  return folder;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const wc = 'command: wc\nflags: {}\ntarget: { kind: none }\n';

test('the pack is there, whole and ready where its programs are installed', async () => {
  const tools = await bench().tools();
  expect([...tools.keys()]).toEqual(['ping', 'traceroute', 'nmap', 'dig', 'whois', 'tls_inspect', 'http_fetch']);
  expect([...tools.values()].filter((tool) => tool.unavailable !== undefined)).toEqual([]);
  for (const tool of tools.values()) expect(tool.output?.schema).toMatchObject({ type: 'object' });
});

test('the example manifest is a tool that runs, and nothing but the manifest was written for it [S0.102] [S0.3]', async () => {
  const examples = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/commands');
  const one = bench({ builtins: false, directories: [examples] });
  expect([...(await one.tools()).keys()]).toEqual(['disk_usage']);
  expect(one.source.withheld?.()).toEqual([]);
  const output = printed(await one.ask('disk_usage', { inodes: true }));
  expect(output.metadata['command']).toBe('df -h -i');
  expect(output.metadata['parsed']).toMatchObject({
    lines: expect.arrayContaining([expect.stringMatching(/^Filesystem +Inodes/)]),
  });
});

test('a tool is named after its file or its manifest, and gets a description by default [S0.33] [S0.105]', async () => {
  const one = bench({
    builtins: false,
    directories: [folderOf({ 'wc.tool.yaml': wc, 'b.tool.yaml': `name: words\ndescription: Counts words\n${wc}` })],
  });
  const tools = await one.tools();
  expect([...tools.values()].map(({ name, description }) => [name, description])).toEqual([
    ['words', 'Counts words'],
    ['wc', 'Execute wc'],
  ]);
});

test('a name that is taken, and a policy that is not configured, are withheld by name', async () => {
  const one = bench({
    directories: [
      folderOf({
        'ping.tool.yaml': wc,
        'scan.tool.yaml': 'command: wc\nflags: {}\ntarget: { kind: host, policy: moon }\n',
      }),
    ],
  });
  const tools = await one.tools();
  expect(tools.get('ping')?.details).toMatchObject({ command: 'ping' });
  expect(tools.has('scan')).toBe(false);
  expect(one.source.health?.()).toEqual({ status: 'degraded', detail: '2 manifests were rejected' });
  expect(one.source.withheld?.()).toEqual([
    { what: expect.stringMatching(/ping\.tool\.yaml$/), why: 'the tool name ping is already in use' },
    { what: 'scan', why: 'unknown network policy moon' },
  ]);
});

test('a loaded tool is logged, and so is a skipped one [S0.97]', async () => {
  const events: unknown[] = [];
  const one = bench({
    builtins: false,
    directories: [folderOf({ 'wc.tool.yaml': wc, 'x.tool.yaml': '{' })],
    onEvent: (event, fields) => void events.push([event, fields]),
  });
  await one.tools();
  expect(events).toEqual([
    ['tool_discovery.tool_skipped', { what: 'x.tool.yaml', why: expect.any(String) }],
    ['tool_discovery.tool_loaded', { name: 'wc', command: 'wc', ready: true }],
  ]);
});

test('the information about a tool lists what it runs, allows and limits [S0.103]', async () => {
  expect((await bench().tool('ping')).details).toEqual({
    name: 'ping',
    command: 'ping',
    version: '1.0.0',
    program_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    performance: { concurrency: 5, default_timeout: 30 },
    allowed_operations: { flags_count: 7, flags: ['-c', '-i', '-W', '-s', '-t', '-4', '-6'], templates: [] },
    safety_limits: { max_arg_length: 2048, max_output: 65_536, memory_bytes: 536_870_912, open_files: 256 },
    security_features: expect.arrayContaining([
      'no shell: the program is started with an argument array',
      'every flag and every value is on an allow-list',
    ]),
  });
});

test('tools have the timeouts and slots they are known for, and defaults otherwise [S0.64] [S0.66] [S0.102]', async () => {
  const one = bench({ directories: [folderOf({ 'wc.tool.yaml': wc })] });
  const limits = Object.fromEntries(
    [...(await one.tools()).values()].map(({ name, limits: { timeoutMs, maxTimeoutMs, concurrency } }) => [
      name,
      [timeoutMs, maxTimeoutMs, concurrency],
    ]),
  );
  expect(limits).toMatchObject({
    nmap: [600_000, 3_600_000, 1],
    ping: [30_000, 60_000, 5],
    wc: [300_000, 3_600_000, 2],
  });
});

test('a number out of range is clamped and reported with name, given, used and range [S0.28]', async () => {
  const events: unknown[] = [];
  const one = bench({
    tools: { nmap: { timeoutSec: 5, concurrency: 50 }, ping: { concurrency: 3 } },
    onEvent: (event, fields) => void (event === 'config.clamped' && events.push(fields)),
  });
  expect((await one.tool('nmap')).limits).toMatchObject({ timeoutMs: 60_000, concurrency: 5 });
  expect((await one.tool('ping')).limits).toMatchObject({ concurrency: 3 });
  expect(events).toEqual([
    { param: 'nmap.timeout_sec', original: 5, new: 60, range: [60, 3600] },
    { param: 'nmap.concurrency', original: 50, new: 5, range: [1, 5] },
  ]);
});

test('a changed rule holds for the next call: nothing learned under the old one is left [S0.30] [S0.104]', async () => {
  let forgotten = 0;
  const one = bench({
    definitions: [
      {
        ...defineCommand('words', { command: 'wc', flags: {}, target: { kind: 'none' } }),
        clear: () => void (forgotten += 1),
      },
    ],
  });
  const ask = () => one.ask('nmap', { target: '127.0.0.1', extra_args: '-A', dry_run: true });
  let changes = 0;
  one.source.onChange?.(() => void (changes += 1));
  expect(await ask()).toMatchObject({ kind: 'failed', error: { code: 'policy_denied' } });
  one.source.reconfigure({ allowIntrusive: true });
  expect(await ask()).toMatchObject({ kind: 'done' });
  one.source.reconfigure({ allowIntrusive: false, policies: { default: policyOf({ allow: ['public'] }) } });
  expect(await ask()).toMatchObject({ kind: 'failed' });
  expect(await one.ask('ping', { target: '127.0.0.1', dry_run: true })).toMatchObject({ kind: 'failed' });
  expect([changes, forgotten]).toEqual([2, 2]);
});

test('a definition in code is held to the same rules as a file', () => {
  expect(() =>
    defineCommand('bad', { command: 'wc', flags: { a: { flag: '-a', type: 'string' } }, target: { kind: 'none' } }),
  ).toThrow('invalid manifest of bad');
});

test('what a tool may do to the world is said by its manifest', async () => {
  const one = bench({
    directories: [
      folderOf({ 'touch.tool.yaml': `${wc}effects: { writes: true, idempotent: false, labels: [files] }\n` }),
    ],
  });
  expect((await one.tool('touch')).effects).toEqual({
    reads: true,
    writes: true,
    destroys: false,
    idempotent: false,
    openWorld: false,
    labels: ['files'],
  });
  expect((await one.tool('ping')).effects).toMatchObject({ writes: false, openWorld: true });
});
