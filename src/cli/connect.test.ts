import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clients } from './connect/clients.js';
import { run } from './connect.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function aHome() {
  const home = mkdtempSync(join(tmpdir(), 'toolgate-connect-'));
  folders.push(home);
  const env = { HOME: home };
  const connect = async (...argv: string[]) => {
    let out = '';
    let err = '';
    const code = await run([...argv, '--project', home], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      env,
      isTTY: false,
      showsProgress: false,
      signal: new AbortController().signal,
    });
    return { code, out, err };
  };
  const fileOf = (client: string): string =>
    clients[client]?.file({ home, project: home, platform: process.platform, env }) ?? '';
  return { home, connect, fileOf };
}

test.each(Object.keys(clients))(
  '%s is shown the change first, gets it on demand, and is as before afterwards [S2.24]',
  async (client) => {
    const { connect, fileOf } = aHome();
    const file = fileOf(client);
    const old = '{"theme":"dark",\n "mcpServers": {"other": {"command": "x"}}}';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, old);
    expect(await connect(client)).toMatchObject({ code: 0, err: 'Nothing was changed; add --write to write it.\n' });
    expect(readFileSync(file, 'utf8')).toBe(old);
    expect((await connect(client, '--write')).code).toBe(0);
    const now = JSON.parse(readFileSync(file, 'utf8'));
    expect(now.theme).toBe('dark');
    expect(now.mcpServers.other).toEqual({ command: 'x' });
    const { toolgate } = now[clients[client]?.member ?? ''];
    expect(toolgate.args.slice(1)).toEqual(['serve', '--stdio']);
    expect((await connect(client, '--undo')).out).toContain('restored to the original file');
    expect(readFileSync(file, 'utf8')).toBe(old);
    expect(existsSync(`${file}.before-toolgate`)).toBe(false);
  },
);

test('a file that was not there is gone again; one that others changed meanwhile keeps their changes', async () => {
  const { connect, fileOf } = aHome();
  const file = fileOf('cursor');
  await connect('cursor', '--write');
  await connect('cursor', '--undo');
  expect(existsSync(file)).toBe(false);
  await connect('cursor', '--write');
  const now = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ mcpServers: { ...now.mcpServers, later: { command: 'y' } } }));
  expect((await connect('cursor', '--undo')).out).toContain('entry removed');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: { later: { command: 'y' } } });
});

test('a file with comments is left alone and the entry is shown', async () => {
  const { connect, fileOf } = aHome();
  const file = fileOf('vscode');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{ // mine\n}');
  const { code, out, err } = await connect('vscode', '--write');
  expect([code, JSON.parse(out).toolgate.type]).toEqual([1, 'stdio']);
  expect(err).toContain('yourself');
  expect(readFileSync(file, 'utf8')).toBe('{ // mine\n}');
});

test('a link is followed, not replaced', async () => {
  const { connect, fileOf, home } = aHome();
  const file = fileOf('claude-code');
  const real = join(home, 'real.json');
  writeFileSync(real, '{}');
  symlinkSync(real, file);
  await connect('claude-code', '--write');
  expect(JSON.parse(readFileSync(real, 'utf8')).mcpServers.toolgate).toBeDefined();
});

test('over HTTP the token is named, never written', async () => {
  const { connect, fileOf } = aHome();
  await connect('claude-code', '--http', '--write');
  const { toolgate } = JSON.parse(readFileSync(fileOf('claude-code'), 'utf8')).mcpServers;
  expect(toolgate).toEqual({
    type: 'http',
    url: 'http://127.0.0.1:8080/mcp',
    headers: { Authorization: 'Bearer ${TOOLGATE_TOKEN}' },
  });
  expect((await connect('claude-desktop', '--http')).code).toBe(2);
});

test.each([['x&calc'], ['$(id)'], ['a b'], [''], ['../x'], ['a'.repeat(65)]])(
  'the name %j is refused [CVE-2025-64340]',
  async (name) => {
    const { connect } = aHome();
    expect(await connect('cursor', '--write', '--name', name)).toMatchObject({ code: 2 });
  },
);

test.each([['javascript:alert(1)'], ['http://x y'], ['file:///etc/passwd']])(
  'the address %j is refused [CVE-2025-6514]',
  async (url) => {
    const { connect } = aHome();
    expect((await connect('cursor', '--url', url)).code).toBe(2);
  },
);

test('--print shows an entry for any assistant', async () => {
  const { connect } = aHome();
  const { out } = await connect('--print', '--name', 'gate');
  expect(JSON.parse(out).mcpServers.gate.args.slice(1)).toEqual(['serve', '--stdio']);
});
