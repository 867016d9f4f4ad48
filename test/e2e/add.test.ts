import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/processes.js';
import { aPlace, cli, serving, toolgate } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

const userConfig = execFileSync('npm', ['config', 'get', 'userconfig'], { encoding: 'utf8' }).trim();
const env = { npm_config_userconfig: userConfig };

const shop = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example/v1' }],
  paths: { '/orders': { get: { operationId: 'listOrders', summary: 'List orders', responses: {} } } },
};

test('a command is scanned, started and listed, and only then written to the file of the user', async () => {
  const place = aPlace();
  const added = await toolgate(place, [
    'add',
    '--name',
    'fix',
    '--env',
    'API_TOKEN=hunter2-Kq9wZ',
    process.execPath,
    serverFile,
  ]);
  expect(added).toMatchObject({ code: 0 });
  const phases = [...added.err.matchAll(/^ {2}(\w+) +[\d.]+ s/gm)].map(([, phase]) => phase);
  expect(phases).toEqual(['scan', 'start', 'list']);
  const file = join(place, '.config/toolgate/toolgate.yaml');
  expect(added.out).toContain(`added      fix`);
  expect(added.out).toContain(file);
  expect(readFileSync(file, 'utf8')).toContain('${secret:API_TOKEN}');
  expect(added.out + added.err + readFileSync(file, 'utf8')).not.toContain('hunter2');
  expect(await toolgate(place, ['call', 'fix__echo', 'text=hi'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('hi'),
  });
  expect(await toolgate(place, ['add', '--name', 'fix', process.execPath, serverFile])).toMatchObject({
    code: 1,
    err: expect.stringContaining('already exists'),
  });
}, 90_000);

test('a server that does not start is not written, and neither are its secrets', async () => {
  const place = aPlace();
  const added = await toolgate(place, [
    'add',
    '--env',
    'API_TOKEN=hunter2-Kq9wZ',
    process.execPath,
    serverFile,
    '--',
    '--fail',
    'start',
  ]);
  expect(added).toMatchObject({ code: 1, err: expect.stringContaining('cannot start: no disk') });
  expect(existsSync(join(place, '.config/toolgate/toolgate.yaml'))).toBe(false);
  expect((await toolgate(place, ['secret', 'list', '--json'])).out).toBe('{"secrets":[]}\n');
}, 60_000);

test('the operations of a document are read and listed, each with a line of progress', async () => {
  const place = aPlace();
  const document = join(place, 'shop/openapi.json');
  mkdirSync(join(place, 'shop'));
  writeFileSync(document, JSON.stringify(shop));
  const added = await toolgate(place, ['add', document]);
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining('shop__listOrders') });
  expect([...added.err.matchAll(/^ {2}(\w+) +[\d.]+ s(.*)$/gm)].map(([, phase, rest]) => [phase, rest])).toEqual([
    ['read', '  openapi.json'],
    ['list', '  1 tool'],
  ]);
  const broken = join(place, 'broken.json');
  writeFileSync(broken, '{"openapi": "3.0.0"');
  expect(await toolgate(place, ['add', broken])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^ {2}read +[\d.]+ s {2}broken.json {2}failed\ntoolgate add: broken was not added: /),
  });
}, 60_000);

test.each([
  ['http://127.0.0.1:8123/mcp', 'local-8123'],
  ['http://localhost:8123/mcp', 'local-8123'],
  ['http://[::1]/mcp', 'local-http'],
  ['https://192.0.2.7:8443/mcp', 'host-192-0-2-7-8443'],
  ['https://mcp.notion.example/mcp', 'notion'],
  ['https://api.shop.example/v1/openapi.json', 'shop'],
])('%s is named %s', async (url, name) => {
  const added = await toolgate(aPlace(), ['add', url, '--no-test', '--json']);
  expect(JSON.parse(added.out)).toMatchObject({ id: name });
});

test('a script or program that is not there is named with its path before anything is scanned or started', async () => {
  const place = aPlace();
  for (const argv of [['node', './gone.mjs'], ['python3', './gone.mjs'], ['./gone.mjs']])
    expect(await toolgate(place, ['add', ...argv])).toEqual({
      code: 1,
      out: '',
      err: `toolgate add: gone was not added: ${join(place, 'gone.mjs')}: no such file\n`,
    });
  expect(await toolgate(place, ['sources', 'add', 'x', '--command', 'node', '--', './gone.mjs'])).toMatchObject({
    code: 1,
  });
});

test('name@version of a registry is pinned to this version, and one that the registry lacks is refused', async () => {
  const place = aPlace();
  const argv = ['add', '@modelcontextprotocol/server-memory@2025.11.25', '--no-test', '--json'];
  expect(JSON.parse((await toolgate(place, argv, env)).out)).toMatchObject({
    id: 'memory',
    entry: { runtime: 'npx', package: '@modelcontextprotocol/server-memory@2025.11.25' },
  });
  expect(await toolgate(place, ['add', 'npm:@modelcontextprotocol/server-memory@2.x', '--no-test'], env)).toMatchObject(
    {
      code: 1,
      err: expect.stringContaining('@modelcontextprotocol/server-memory: no version 2.x'),
    },
  );
}, 120_000);

test('a name of npm is resolved, pinned, installed by a job that outlives its starter, and listed', async () => {
  const place = aPlace();
  const argv = ['add', 'npm:@modelcontextprotocol/server-memory', '--name', 'memory'];
  const first = spawn(process.execPath, [cli, ...argv], {
    cwd: place,
    env: { ...process.env, HOME: place, TOOLGATE_HOME: join(place, 'home'), ...env },
    stdio: 'ignore',
  });
  const names = (): readonly string[] => {
    const folder = join(place, 'home/packages/npm');
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  // The folder is made by the job itself; the lock is older than the job.
  const isInstalling = (): boolean => names().some((name) => name.endsWith('.new'));
  await eventually(isInstalling, Boolean, 60_000);
  first.kill('SIGKILL');
  const installed = (): boolean => names().some((name) => /server-memory@[\d.]+$/.test(name));
  await eventually(installed, Boolean, 240_000);
  const added = await toolgate(place, argv, env);
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining('memory__') });
  expect(added.err).toMatch(/pin .*npm:@modelcontextprotocol\/server-memory@\d/);
  expect(added.err).not.toContain('install');
}, 420_000);

test('a call to a source that is being prepared waits for it, or is refused with the phase and a time to retry', async () => {
  const place = aPlace();
  const gone = join(place, 'go');
  writeFileSync(
    join(place, 'toolgate.yaml'),
    `sources:\n  slow: { kind: mcp, command: ${process.execPath}, args: [${serverFile}, --until, ${gone}], startup_budget: 0.1 }\n`,
  );
  const gate = await serving(place);
  const early = await gate.send('/tools/slow__echo/execute', { body: { text: 'x', timeout_sec: 0.5 } });
  expect(early.status).toBe(503);
  expect(early.text).toContain('source_starting');
  expect(early.text).toMatch(/is still starting: (start|list)/);
  const waiting = gate.send('/tools/slow__echo/execute', { body: { text: 'hello' } });
  writeFileSync(gone, '');
  expect(await waiting).toMatchObject({ status: 200, text: expect.stringContaining('hello') });
  expect((await gate.send('/tools/slow__nothing/execute', { body: {} })).status).toBe(404);
}, 60_000);

test.each([
  [['add'], 2, 'nothing to add'],
  [['add', '--name', 'a b', 'x'], 2, '--name must be'],
  [['add', '--env', '=x', 'y'], 2, 'is not NAME=VALUE'],
  [['add', '../nowhere/x'], 1, 'was not added'],
])('%j is refused', async (argv, code, message) => {
  expect(await toolgate(aPlace(), argv)).toMatchObject({ code, err: expect.stringContaining(message) });
});

test('init writes a configuration that is valid, once', async () => {
  const place = aPlace();
  expect(await toolgate(place, ['init'])).toMatchObject({
    code: 0,
    out: `${join(place, '.config/toolgate/toolgate.yaml')}\n`,
  });
  expect(await toolgate(place, ['check'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('.config/toolgate/toolgate.yaml'),
  });
  expect((await toolgate(place, ['init'])).code).toBe(1);
});
