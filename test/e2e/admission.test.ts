import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPluginFolder, hidden, honest, poisoned, serverText, silenced, vulnerable } from '../support/plugins.js';
import { aRegistry } from '../support/mcp-registry.js';
import { eventually } from '../support/processes.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const config = (folder: string, place: string, more = ''): string => `commands: { builtins: true }
sources:
  notes: { kind: mcp, runtime: node, args: [${join(folder, 'server.mjs')}, ${join(place, 'started')}], startup_budget: 60, connect_timeout: 60${more} }
`;

/** A plugin with these registrations behind a configuration, and the file it would write if it ran. */
function aPlugin(registrations: string, more = '') {
  const place = aPlace();
  const plugin = aPluginFolder({ 'server.mjs': serverText(registrations) });
  const configure = (wanted: string): void =>
    writeFileSync(join(place, 'toolgate.yaml'), config(plugin.folder, place, wanted));
  configure(more);
  return { place, plugin, configure, hasRun: () => existsSync(join(place, 'started')) };
}

/** Cached results; the folder of the history of versions is left out. */
const filesIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const audited = (place: string): string =>
  readdirSync(join(place, 'home/audit'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('');

test('a server whose code has a serious flaw is quarantined and never started; approval starts it at once [S4.20]', async () => {
  const { place, hasRun } = aPlugin(vulnerable);
  const gate = await serving(place);
  expect(gate.banner).toMatch(
    /withheld +notes: is quarantined: high TG-TAINT-CMD in server\.mjs:\d+: .*; see toolgate pins diff notes, then toolgate pins approve notes scan/,
  );
  expect(hasRun()).toBe(false);
  expect(gate.log()).toContain('source.quarantined');
  const health = await gate.send('/health');
  expect(health.json.checks.admission).toMatchObject({
    status: 'degraded',
    detail: expect.stringContaining('notes: quarantine (high TG-TAINT-CMD in server.mjs'),
  });

  const diff = await toolgate(place, ['pins', 'diff', 'notes']);
  expect(diff.out).toMatch(/source scan: its code needs review: high TG-TAINT-CMD/);
  expect(await toolgate(place, ['pins', 'approve', 'notes', 'scan'])).toMatchObject({
    code: 0,
    out: 'approved   source scan\n',
  });
  await eventually(
    async () => (await gate.send('/tools')).text,
    (text) => text.includes('notes__ping'),
    30_000,
  );
  expect(hasRun()).toBe(true);
  await gate.stop();
  expect(audited(place)).toMatch(
    /"tool":"notes".*"decision":"refused".*"action":"admission","verdict":"quarantine".*TG-TAINT-CMD/,
  );
  expect(audited(place)).toMatch(/"tool":"notes".*"decision":"allowed".*"action":"admission","verdict":"allow"/);
}, 90_000);

test('orders to the model in a description keep a server from being started at all', async () => {
  const { place, hasRun } = aPlugin(poisoned);
  const listed = await toolgate(place, ['sources', 'list']);
  expect(listed.out).toMatch(
    /^notes +(?:unhealthy|held for approval|retrying in \d+ s) +0 tools +is (?:quarantined|denied): /m,
  );
  expect(listed.out).toMatch(/^ {2}finding +(?:high|critical) TG-POISON\S* in server\.mjs:\d+/m);
  expect(hasRun()).toBe(false);
}, 60_000);

test('a comment in the code that asks for silence is not heeded before a start [CVE-2026-30623 and its family]', async () => {
  const { place, plugin, hasRun } = aPlugin(silenced);
  expect((await toolgate(place, ['scan', plugin.folder])).code).toBe(0);
  expect((await toolgate(place, ['sources', 'list'])).out).toContain('is quarantined: high TG-TAINT-CMD');
  expect(hasRun()).toBe(false);
}, 60_000);

test('what is denied cannot be approved, and the policy of the source decides what is', async () => {
  const { place, configure, hasRun } = aPlugin(vulnerable, ', scan: { high: deny }');
  expect((await toolgate(place, ['sources', 'list'])).out).toContain('is denied: high TG-TAINT-CMD');
  await toolgate(place, ['pins', 'approve', 'notes', '--all']);
  expect((await toolgate(place, ['sources', 'list'])).out).toContain('is denied');
  configure(', scan: { high: allow, capabilities: { exec: quarantine } }');
  expect((await toolgate(place, ['sources', 'list'])).out).toContain('is quarantined: ping can run programs or code');
  expect(hasRun()).toBe(false);
  configure(', scan: { high: allow }');
  expect((await toolgate(place, ['sources', 'list'])).out).toMatch(
    /^ {2}admission +allow, 1 tool in its code, 1 finding$/m,
  );
  expect(hasRun()).toBe(true);
}, 90_000);

test('new code is read again, the same code is not, and an accepted finding stays accepted while others do not', async () => {
  const { place, plugin, hasRun } = aPlugin(honest);
  const listed = () =>
    toolgate(place, ['sources', 'list', '--json']).then(({ out }) =>
      JSON.parse(out).sources.find(({ source }: { source: string }) => source === 'notes'),
    );
  const first = await listed();
  expect(first).toMatchObject({
    status: 'healthy',
    tools: ['notes__greet'],
    admission: { decision: 'allow', tools: 1, findings: [], surface: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  const scans = join(place, 'home/scans');
  expect(readFileSync(join(scans, filesIn(scans)[0] ?? ''), 'utf8')).toContain('greet');
  const lock = JSON.parse(readFileSync(join(place, 'toolgate.lock.json'), 'utf8'));
  expect(Object.values(lock.surfaces)).toEqual([first.admission.surface]);
  expect(hasRun()).toBe(true);

  const readAt = () => filesIn(scans).map((name) => statSync(join(scans, name)).mtimeMs);
  const before = readAt();
  expect((await listed()).admission).toEqual(first.admission);
  expect(readAt()).toEqual(before);
  plugin.write('server.mjs', serverText(honest + vulnerable, '1.1.0'));
  expect((await listed()).detail).toContain('is quarantined: high TG-TAINT-CMD');
  expect(filesIn(scans)).toHaveLength(2);
  await toolgate(place, ['pins', 'approve', 'notes', 'scan']);
  plugin.write('server.mjs', `// moved down\n${serverText(honest + vulnerable, '1.2.0')}`);
  expect(await listed()).toMatchObject({ status: 'healthy', admission: { decision: 'allow' } });
  plugin.write('server.mjs', serverText(honest + vulnerable + poisoned, '1.3.0'));
  expect((await listed()).detail).toMatch(/is (?:quarantined|denied): (?:high|critical) TG-POISON/);
}, 120_000);

test('a server whose tools are loaded at run time waits for approval by default', async () => {
  const { place, plugin, hasRun } = aPlugin(honest + hidden);
  plugin.write('more.json', JSON.stringify([{ name: 'extra', description: 'Does more' }]));
  expect((await toolgate(place, ['sources', 'list'])).out).toMatch(/is quarantined: unknown before run time/);
  expect(hasRun()).toBe(false);
}, 120_000);

test('a tool of code that could not be followed is reported under pin and withheld under strict until approved', async () => {
  const { place, plugin, configure } = aPlugin(honest + hidden, ', scan: { unknown: allow }');
  plugin.write('more.json', JSON.stringify([{ name: 'extra', description: 'Does more' }]));
  const gate = await serving(place);
  await gate.logged('source.not_in_source');
  expect((await gate.send('/tools')).text).toContain('notes__extra');
  await gate.stop();
  expect((await toolgate(place, ['sources', 'list'])).out).toMatch(/^ {2}not in source +extra \((?:high|medium)\): /m);
  configure(', admission: strict');
  expect((await toolgate(place, ['sources', 'list'])).out).toMatch(/is quarantined: unknown before run time/);
  await toolgate(place, ['pins', 'approve', 'notes', 'scan']);
  const strict = await toolgate(place, ['sources', 'list']);
  expect(strict.out).toMatch(/withheld +tool extra: it is offered/);
  expect(strict.out).not.toMatch(/withheld +tool greet/);
  expect((await toolgate(place, ['pins', 'approve', 'notes', 'extra'])).out).toContain(
    'approved   not-in-source extra',
  );
  expect((await toolgate(place, ['tools'])).out).toMatch(/^notes__extra +ready/m);
}, 120_000);

test('a tool that complete code does not register is withheld under pin until approved', async () => {
  const { place, plugin, configure } = aPlugin(honest);
  const read = aPluginFolder({ 'server.mjs': serverText(honest, '1.0.0') });
  plugin.write('server.mjs', serverText(honest + vulnerable, '1.0.0'));
  configure(`, scan: { path: ${read.folder} }`);
  const held = await toolgate(place, ['sources', 'list']);
  expect(held.out).toMatch(/withheld +tool \w+: it is offered, but nothing in the source registers it/);
  const [, name = ''] = /withheld +tool (\w+):/.exec(held.out) ?? [];
  expect((await toolgate(place, ['tools'])).out).not.toContain(`notes__${name}`);
  expect((await toolgate(place, ['tools'])).out).toMatch(/^notes__greet +ready/m);
  expect((await toolgate(place, ['pins', 'approve', 'notes', name])).code).toBe(0);
  expect((await toolgate(place, ['tools'])).out).toContain(`notes__${name}`);
}, 120_000);

test('a program without source is unknown: started with a warning under pin, held under strict, not looked at under open', async () => {
  const place = aPlace();
  const plain = (more: string): string =>
    `commands: { builtins: false }\nsources:\n  plain: { kind: mcp, command: /bin/cat, connect_timeout: 1${more} }\n`;
  const unknownOf = async (more: string) => {
    writeFileSync(join(place, 'toolgate.yaml'), plain(more));
    return (await toolgate(place, ['sources', 'list'])).out;
  };
  expect(await unknownOf('')).toMatch(/admission +allow\n +unknown +the source code of cat is unknown; set scan\.path/);
  expect(await unknownOf(', admission: strict')).toContain('is quarantined: the source code of cat is unknown');
  expect(await unknownOf(', scan: { unknown: deny }')).toContain('is denied: the source code of cat is unknown');
  expect(await unknownOf(', admission: open')).toContain('its code was not scanned: admission is open');
}, 60_000);

test('code that cannot be read within its memory is unknown, which is said, and the others are served', async () => {
  const { place, plugin, hasRun } = aPlugin(honest, ', scan: { memory_mb: 64, unknown: quarantine }');
  plugin.write(
    'large.mjs',
    Array.from({ length: 200_000 }, (_, at) => `export const a${at} = { b: [${at}, ${at}] };`).join('\n'),
  );
  const gate = await serving(place);
  expect(gate.banner).toMatch(/withheld +notes: is quarantined: .*large\.mjs \(too-large\)/);
  expect(gate.banner).toMatch(/ready +\d+ tools of \d+ source/);
  expect(hasRun()).toBe(false);
}, 60_000);

test('the configured registry is asked about the name of a server: its entry is evidence, decides where configured, and is never needed', async () => {
  const registry = await aRegistry(['io.example/notes']);
  const { place, plugin } = aPlugin(honest);
  const listed = async (more: string, url = registry.url) => {
    writeFileSync(
      join(place, 'toolgate.yaml'),
      `${config(plugin.folder, place, more)}mcp_registry: { url: '${url}' }\n`,
    );
    return (await toolgate(place, ['sources', 'list'])).out;
  };
  expect(await listed(', registry_name: io.example/notes')).toMatch(
    /admission +allow, 1 tool in its code, registry: listed/,
  );
  expect(await listed(', registry_name: io.example/n0tes')).toMatch(
    /admission +allow, 1 tool in its code, registry: not listed/,
  );
  const held = await listed(', registry_name: io.example/n0tes, scan: { unlisted: quarantine }');
  expect(held).toContain('is quarantined: the registry does not list io.example/n0tes');
  expect(await listed(', registry_name: io.example/notes, scan: { unlisted: deny }', 'http://127.0.0.1:1')).toMatch(
    /^notes +ready(?:.*\n)* +admission +allow, 1 tool in its code, registry: unknown/m,
  );
  expect((await toolgate(place, ['sources', 'lookup', 'io.example/notes'])).out).toContain('unknown');
  const latest = (name: string) => `/v0.1/servers/${encodeURIComponent(name)}/versions/latest`;
  const search = (name: string) => `/v0.1/servers?search=${encodeURIComponent(name)}&version=latest&limit=100`;
  const [good, other] = ['io.example/notes', 'io.example/n0tes'];
  expect(registry.asked()).toEqual([latest(good), latest(other), search(other), latest(other), search(other)]);
}, 90_000);
