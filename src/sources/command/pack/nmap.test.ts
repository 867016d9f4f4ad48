import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandBench, printed, type Bench } from '../../../../test/support/commands.js';
import { nmapOutput } from './nmap-output.js';
import { parseScriptDatabase, scriptCheck } from './nmap-scripts.js';

const events: [string, unknown][] = [];
let bench: Bench;
let daring: Bench;
let server: Server;
let port = 0;
beforeAll(async () => {
  bench = commandBench({ onEvent: (event, fields) => void events.push([event, fields]) });
  daring = commandBench({ allowIntrusive: true });
  server = createServer((socket) => void socket.on('error', () => {}).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  await Promise.all([bench.close(), daring.close()]);
});

const words = async (args: object): Promise<string> => {
  const outcome = await bench.ask('nmap', { target: '127.0.0.1', dry_run: true, ...args });
  return outcome.kind === 'done' ? String(printed(outcome).metadata['command']) : JSON.stringify(outcome);
};
const ending = ' -oX - --noninteractive --no-stylesheet --max-rate 1000 -n -- 127.0.0.1';

test('an open port of loopback is found and returned as data [S0.74]', async () => {
  const output = printed(await bench.ask('nmap', { target: '127.0.0.1', ports: String(port) }));
  expect(output.metadata['parsed']).toMatchObject({
    hosts_up: 1,
    hosts_total: 1,
    hosts: [{ address: '127.0.0.1', state: 'up' }],
    ports_found: [{ host: '127.0.0.1', port, protocol: 'tcp', state: 'open' }],
  });
  expect(output.metadata['summary']).toBe('1 hosts up, 1 open ports');
});

test('a safe script runs, and its words are the installed name only', async () => {
  const output = printed(
    await bench.ask('nmap', { target: '127.0.0.1', ports: String(port), extra_args: '--script banner' }),
  );
  expect(output.returncode).toBe(0);
  expect(output.metadata['command']).toContain(' --script banner ');
});

test('the default scripts mean the safe ones among them', async () => {
  const output = printed(await bench.ask('nmap', { target: '127.0.0.1', ports: String(port), default_scripts: true }));
  expect(output).toMatchObject({ returncode: 0, metadata: { parsed: { hosts_up: 1 } } });
  expect(bench.started.at(-1)?.args).toContain(
    'default and safe and not (brute or dos or exploit or external or fuzzer or intrusive or malware or vuln)',
  );
});

test('pace, parallelism and ports are filled in only where absent, and that is reported [S0.69] [S0.45]', async () => {
  const bare = printed(await bench.ask('nmap', { target: '127.0.0.1', dry_run: true }));
  expect(bare.metadata['optimizations_applied']).toEqual([
    '-sT',
    '--unprivileged',
    '--top-ports 1000',
    '-T4',
    '--max-parallelism 10',
  ]);
  const full = printed(
    await bench.ask('nmap', {
      target: '127.0.0.1',
      dry_run: true,
      timing: 2,
      max_parallelism: 3,
      ports: '80',
      connect_scan: true,
      unprivileged: true,
    }),
  );
  expect(full.metadata['optimizations_applied']).toBeUndefined();
  expect(full.metadata['command']).toBe(`nmap -sT --unprivileged -p 80 -T2 --max-parallelism 3${ending}`);
  expect(await words({ fast: true })).not.toContain('--top-ports');
});

test.each([
  ['quick', '-sT --unprivileged --top-ports 100 -T4 --max-parallelism 10'],
  ['standard', '-sT --unprivileged -sV --top-ports 1000 -T4 --max-parallelism 10'],
  [
    'thorough',
    "-sT --unprivileged -sV -p 1-65535 -T4 --max-parallelism 10 --script 'default and safe and not (brute or dos or exploit or external or fuzzer or intrusive or malware or vuln)'",
  ],
  ['discovery', '-sn --unprivileged -T4 --max-parallelism 10'],
])('the template %s becomes its flags [S0.73]', async (template, flags) => {
  expect(await words({ template })).toBe(`nmap ${flags}${ending}`);
});

test('what the caller gives wins over the template', async () => {
  expect(await words({ template: 'quick', ports: '22', timing: 1 })).toBe(
    `nmap -sT --unprivileged -p 22 -T1 --max-parallelism 10${ending}`,
  );
});

test('an IPv6 target is announced', async () => {
  const outcome = await bench.ask('nmap', { target: '::1', dry_run: true, ports: '80' });
  expect(printed(outcome).metadata['command']).toMatch(/ -n -6 -- ::1$/);
});

test.each([
  ['-A', 'aggressive'],
  ['-sS', 'syn_scan'],
  ['-sU', 'udp_scan'],
  ['-O', 'os_detection'],
  ['--script http-brute', 'scripts'],
  ['--script dns-brute', 'scripts'],
])('%s is refused by the setting that forbids it, and passes where it is on [S0.51]', async (extra, field) => {
  const refused = await bench.ask('nmap', { target: '127.0.0.1', extra_args: extra, dry_run: true });
  expect(refused).toMatchObject({
    kind: 'failed',
    error: { code: 'policy_denied', data: { stage: 'permission', field } },
  });
  expect(refused.kind === 'failed' && refused.error.message).toContain('MCP_SECURITY_ALLOW_INTRUSIVE');
  expect(await daring.ask('nmap', { target: '127.0.0.1', extra_args: extra, dry_run: true })).toMatchObject({
    kind: 'done',
  });
});

test('a blocked script is reported by name [S0.51]', async () => {
  await bench.ask('nmap', { target: '127.0.0.1', scripts: ['http-slowloris'] });
  expect(events).toContainEqual(['nmap.intrusive_script_blocked', { script: 'http-slowloris' }]);
});

test.each([
  'nothing-like-it',
  'default',
  'all',
  'safe',
  'vuln',
  '/etc/passwd',
  './e.nse',
  'http-title.nse',
  '@list',
  'http-*',
])('the script %j is refused whatever is allowed [S0.51]', async (script) => {
  for (const one of [bench, daring]) {
    expect(await one.ask('nmap', { target: '127.0.0.1', scripts: [script] })).toMatchObject({
      kind: 'failed',
      error: { code: 'invalid_arguments' },
    });
  }
});

test('a script is safe by all its categories, not by its name', () => {
  const { known, safe } = parseScriptDatabase(
    [
      'Entry { filename = "a.nse", categories = { "default", "safe", } }',
      'Entry { filename = "b.nse", categories = { "safe", "brute", } }',
      'Entry { filename = "c.nse", categories = { "discovery", } }',
      'Entry { filename = "../d.nse", categories = { "safe", } }',
    ].join('\n'),
  );
  expect([[...known], [...safe]]).toEqual([['a', 'b', 'c'], ['a']]);
});

test('without a script database no script is known', async () => {
  const { check } = scriptCheck(() => {}, ['/nonexistent/script.db']);
  expect(await check(['banner'], { intrusive: true })).toMatchObject({ stage: 'semantics' });
});

test('XML that is not from nmap, or is hostile, yields no data', () => {
  for (const stdout of ['', '<a/>', '<nmaprun>', '<!DOCTYPE nmaprun [<!ENTITY a "b">]><nmaprun>&a;</nmaprun>']) {
    expect(nmapOutput.read({ stdout, stderr: '', returncode: 0, args: {} })).toEqual({});
  }
});

test('scans that need raw sockets run where the gateway is root and are refused where it is not [S0.51]', async () => {
  const outcome = await daring.ask('nmap', { target: '127.0.0.1', syn_scan: true, ports: String(port) });
  if (process.getuid?.() === 0)
    expect(printed(outcome).metadata['parsed']).toMatchObject({ ports_found: [{ port, state: 'open' }] });
  else expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'permission_denied' } });
});
