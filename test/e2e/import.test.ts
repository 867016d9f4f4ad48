import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { aPlace, toolgate } from '../support/toolgate.js';

const fixture = fileURLToPath(new URL('../fixtures/twelve-servers.json', import.meta.url));
const places: { uv: string } = await import(fileURLToPath(new URL('../clients/places.mjs', import.meta.url)));
const hasUv = existsSync(places.uv);
if (!hasUv) console.log('skipped in part: uv is not installed; node test/clients/install.mjs brings it');

/** Settings of the package managers of this machine, as users have them in their home. */
const managers = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:uv_.*|ssl_cert_(?:file|dir)|npm_config_.*|https?_proxy|no_proxy)$/i.test(name),
  ),
) as Record<string, string>;
const userConfig = execFileSync('npm', ['config', 'get', 'userconfig'], { encoding: 'utf8' }).trim();
const env = { UV: places.uv, npm_config_userconfig: userConfig, ...managers };

test('twelve ordinary entries become sources with versions, secrets move to the store, and the file is put back by undo', async () => {
  const place = aPlace();
  const file = join(place, '.cursor', 'mcp.json');
  mkdirSync(join(place, '.cursor'));
  const original = readFileSync(fixture, 'utf8');
  writeFileSync(file, original);
  const shown = await toolgate(place, ['import', '--json'], env);
  expect(readFileSync(file, 'utf8')).toBe(original);
  expect(existsSync(join(place, '.config/toolgate/toolgate.yaml'))).toBe(false);
  const { servers, secrets } = JSON.parse(shown.out);
  expect(servers).toHaveLength(12);
  const wrong = servers.filter(({ state }: { state: string }) => state !== 'new');
  expect(wrong.map(({ name }: { name: string }) => name)).toEqual(hasUv ? [] : ['time', 'git']);
  const entry = Object.fromEntries(servers.map((one: { id: string; entry: object }) => [one.id, one.entry]));
  expect(entry).toMatchObject({
    filesystem: {
      runtime: 'npx',
      package: expect.stringMatching(/^@modelcontextprotocol\/server-filesystem@\d/),
      args: ['/srv/notes'],
    },
    everything: { package: expect.stringMatching(/server-everything@\d/) },
    playwright: { package: expect.stringMatching(/^@playwright\/mcp@\d/), args: ['--headless'] },
    github: { runtime: 'docker', env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${secret:GITHUB_PERSONAL_ACCESS_TOKEN}' } },
    grafana: {
      args: ['-e', 'GRAFANA_API_KEY', 'mcp/grafana', '-t', 'stdio'],
      env: { GRAFANA_API_KEY: '${secret:GRAFANA_API_KEY}' },
    },
    docs: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer ${secret:DOCS_AUTHORIZATION}' } },
    bridge: { url: 'https://events.example.com/sse', transport: 'sse' },
    'weird-name': { runtime: 'node', enabled: false },
  });
  expect(secrets).toEqual(
    expect.arrayContaining(['GITHUB_PERSONAL_ACCESS_TOKEN', 'GRAFANA_API_KEY', 'DOCS_AUTHORIZATION']),
  );

  const wrote = await toolgate(place, ['import', 'cursor', '--write'], env);
  expect(wrote.out + wrote.err).not.toMatch(/ghp_|glsa_|sk-proj/);
  const config = readFileSync(join(place, '.config/toolgate/toolgate.yaml'), 'utf8');
  expect(config).not.toMatch(/ghp_|glsa_|sk-proj/);
  expect(await toolgate(place, ['check'], env)).toMatchObject({ code: 0 });
  const now = readFileSync(file, 'utf8');
  expect(now).toContain('"globalShortcut": "Ctrl+Space"');
  expect(now).toContain('// Entries as the documents');
  expect(now).toContain(join(place, '.config/toolgate/toolgate.yaml'));
  expect(now).not.toContain('server-filesystem');
  expect((await toolgate(place, ['import', '--undo'], env)).out).toContain('restored to the original file');
  expect(readFileSync(file, 'utf8')).toBe(original);
}, 180_000);

test('what is not set is asked for, and the entry stays where it is', async () => {
  const place = aPlace({
    'own.json': JSON.stringify({
      servers: { a: { command: process.execPath, args: ['x.mjs'], env: { KEY: '${input:my-key}' } } },
    }),
  });
  const first = await toolgate(place, ['import', 'own.json', '--write']);
  expect(first).toMatchObject({ code: 1, out: expect.stringContaining('toolgate secret set my-key') });
  expect(readFileSync(join(place, 'own.json'), 'utf8')).toContain('x.mjs');
  await toolgate(place, ['secret', 'set', 'my-key'], {}, 'value-of-my-key');
  expect(await toolgate(place, ['import', 'own.json', '--write', '--sources-only'])).toMatchObject({ code: 0 });
  expect(readFileSync(join(place, '.config/toolgate/toolgate.yaml'), 'utf8')).toContain('${secret:my-key}');
}, 60_000);

test.each([
  [['import', 'nothing.json'], 'neither an assistant nor a file'],
  [['import', 'cursr'], 'did you mean cursor?'],
  [['import', '--write', '--undo'], 'either --write or --undo'],
])('%j is wrong use', async (argv, message) => {
  expect(await toolgate(aPlace(), argv)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});
