import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clients, scopesOf, type AssistantKind, type Scope } from '../../assistants/clients.js';
import { readServers } from '../connect/edit.js';
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
  const places = { home, project: home, platform: process.platform, env };
  const placeOf = (client: string, scope?: Scope) => {
    const known = clients[client];
    const place = known?.scopes[scope ?? scopesOf(known)[0] ?? 'user']?.(places);
    if (place === undefined) throw new Error(`no place for ${client}`);
    return place;
  };
  const fileOf = (client: string, scope?: Scope): string => placeOf(client, scope).file;
  return { home, connect, fileOf, placeOf };
}

/** A file as people write it, with comments, and with another server. */
const written: Readonly<Record<string, string>> = {
  json: '{\n  // mine\n  "theme": "dark", /* kept */\n  "other": [1, 2,],\n}\n',
  toml: '# mine\nmodel = "o9" # kept\n\n[mcp_servers.other]\ncommand = "x" # theirs\n',
  yaml: '# mine\nmodel: o9 # kept\n',
};

const scoped = Object.entries(clients).flatMap(([id, client]) => scopesOf(client).map((scope) => [id, scope] as const));

test('at least fifteen assistants are known, with user and project scopes', () => {
  expect(Object.keys(clients).length).toBeGreaterThanOrEqual(15);
  expect(scopesOf(clients['claude-code'] as AssistantKind)).toEqual(['project', 'user', 'local']);
  expect(scopesOf(clients['vscode'] as AssistantKind)).toEqual(['project', 'user']);
});

test.each(scoped)(
  '%s (%s) is shown the change first, gets it on demand with comments kept, and is as before afterwards [S2.24]',
  async (id, scope) => {
    const { connect, placeOf } = aHome();
    const { file, member } = placeOf(id, scope);
    const client = clients[id] as AssistantKind;
    const old = written[client.format] ?? '';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, old);
    expect(await connect(id, '--scope', scope)).toMatchObject({
      code: 0,
      err: 'Nothing was changed; add --write to write it.\n',
    });
    expect(readFileSync(file, 'utf8')).toBe(old);
    const wrote = await connect(id, '--scope', scope, '--write');
    expect(wrote).toMatchObject({ code: 0, err: expect.stringContaining(`kept as ${file}.before-toolgate`) });
    const now = readFileSync(file, 'utf8');
    for (const line of old.split('\n').filter((each) => /mine|kept|theirs|other/.test(each)))
      expect(now).toContain(line.trim());
    const read = await readServers({ client, file, member });
    if ('problem' in read) throw new Error(read.problem);
    const { command, args } = client.entry.read(read.entries['toolgate'] ?? {});
    expect([command, ...(args as string[])].slice(2)).toEqual(['serve', '--stdio']);
    expect((await connect(id, '--scope', scope, '--write')).err).toContain('Already connected');
    expect((await connect(id, '--scope', scope, '--undo')).out).toContain('restored to the original file');
    expect(readFileSync(file, 'utf8')).toBe(old);
    expect(existsSync(`${file}.before-toolgate`)).toBe(false);
  },
);

test.each(Object.keys(clients))('%s without a file gets one without a backup, and loses it again', async (id) => {
  const { connect, fileOf } = aHome();
  const wrote = await connect(id, '--write');
  expect(wrote).toMatchObject({ code: 0, err: expect.stringContaining('There was no file before') });
  expect(existsSync(`${fileOf(id)}.before-toolgate`)).toBe(false);
  expect((await connect(id, '--undo')).out).toContain('restored');
  expect(existsSync(fileOf(id))).toBe(false);
});

test('a file that others changed meanwhile keeps their changes', async () => {
  const { connect, fileOf } = aHome();
  const file = fileOf('cursor');
  await connect('cursor', '--write');
  const now = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ mcpServers: { ...now.mcpServers, later: { command: 'y' } } }));
  expect((await connect('cursor', '--undo')).out).toContain('entry removed');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: { later: { command: 'y' } } });
});

test.each([
  ['cursor', '{ "mcpServers": [] }'],
  ['cursor', '{ "mcpServers": {'],
  ['cursor', '[]'],
  ['codex', 'mcp_servers = 1\n'],
  ['codex', '= = ='],
  ['goose', 'extensions: [\n'],
  ['continue', 'mcpServers: {}\n'],
])('a file of %s that holds %j is left alone and the entry is shown', async (id, text) => {
  const { connect, fileOf } = aHome();
  mkdirSync(dirname(fileOf(id)), { recursive: true });
  writeFileSync(fileOf(id), text);
  const { code, out, err } = await connect(id, '--write');
  expect([code, out.includes('--stdio')]).toEqual([1, true]);
  expect(err).toContain('yourself');
  expect(readFileSync(fileOf(id), 'utf8')).toBe(text);
});

test('a byte order mark and the line ends of a file stay', async () => {
  const { connect, fileOf } = aHome();
  const file = fileOf('cursor');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '\uFEFF{\r\n\t"a": 1\r\n}\r\n');
  await connect('cursor', '--write');
  const now = readFileSync(file, 'utf8');
  expect(now.startsWith('\uFEFF{\r\n\t"a": 1,\r\n\t"mcpServers"')).toBe(true);
  expect(now.replaceAll('\r\n', '')).not.toContain('\n');
});

test('several assistants are named at once; --all takes those that are installed', async () => {
  const { connect, fileOf, home } = aHome();
  expect((await connect('cursor', 'kiro', '--write')).code).toBe(0);
  expect([fileOf('cursor'), fileOf('kiro')].every((file) => existsSync(file))).toBe(true);
  mkdirSync(join(home, '.codex'));
  const listed = await connect();
  expect(listed.out).toMatch(/^codex +Codex +installed$/m);
  expect(listed.out).toMatch(/^zed +Zed +-$/m);
  expect((await connect('--all', '--write')).code).toBe(0);
  expect(readFileSync(fileOf('codex'), 'utf8')).toContain('[mcp_servers.toolgate]');
  expect(existsSync(fileOf('zed'))).toBe(false);
  expect((await connect('--all', '--undo')).code).toBe(0);
  expect(existsSync(fileOf('codex'))).toBe(false);
});

test('the configuration that is found from here is named by its absolute path, and a missing one is refused', async () => {
  const { connect, home } = aHome();
  const own = join(home, '.config', 'toolgate', 'toolgate.yaml');
  mkdirSync(dirname(own), { recursive: true });
  writeFileSync(own, 'commands: { builtins: false }\n');
  const { out } = await connect('--print');
  expect(JSON.parse(out).mcpServers.toolgate.args.slice(1)).toEqual(['serve', '--stdio', '--config', own]);
  expect(await connect('--print', '--config', 'nope.yaml')).toMatchObject({
    code: 2,
    err: expect.stringContaining('nope.yaml does not exist'),
  });
});

test.each([
  [['--write', '--undo', 'cursor'], 'either --write or --undo'],
  [['--scope', 'local', 'cursor'], 'no scope local; use user or project'],
  [['curser'], 'did you mean cursor?'],
  [['--all', 'cursor'], 'not both'],
  [['cursor', '--url', 'http://far.example/mcp'], 'unencrypted'],
])('%j is wrong use', async (argv, message) => {
  expect(await aHome().connect(...argv)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
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
