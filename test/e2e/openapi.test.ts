import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseData } from '../../src/sources/openapi/document/parse.js';
import { parseOverlay } from '../../src/sources/openapi/tools/overrides.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const example = join(root, 'examples/openapi');
const key = 'example-key-17';

/** The example's own server on a free port. */
async function petshop(): Promise<string> {
  const child = spawn(process.execPath, [join(example, 'server.mjs')], {
    env: { PORT: '0', PETSHOP_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return /http:\S+[0-9]/.exec(String(line))?.[0] ?? '';
}

async function served(more = '') {
  const server = await petshop();
  const cwd = aPlace({
    'toolgate.yaml': `${readFileSync(join(example, 'toolgate.yaml'), 'utf8').replaceAll('http://127.0.0.1:9100', server)}${more}`,
    'overlay.yaml': readFileSync(join(example, 'overlay.yaml'), 'utf8'),
  });
  return { cwd, gate: await serving(cwd, [], { PETSHOP_KEY: key }) };
}

test('the example runs as its page describes, with its overrides applied and its key in no list or log [S1.1] [S1.2] [S1.27]', async () => {
  const { gate } = await served();
  const commands = [...readFileSync(join(example, 'README.md'), 'utf8').matchAll(/^curl .*$/gm)].map(([line]) =>
    line.replaceAll('http://127.0.0.1:8080', gate.url),
  );
  const run = (command = ''): unknown =>
    JSON.parse(
      execFileSync('/bin/sh', ['-c', command], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], TOKEN: gate.token },
      }),
    );
  expect(run(commands[0])).toMatchObject({ error: null, structured_content: { items: [{ id: 1, name: 'Rex' }] } });
  expect(run(commands[1])).toMatchObject({ structured_content: { id: 3, name: 'Bello', kind: 'dog' } });
  expect(run(commands[2])).toMatchObject({ error_type: 'execution_error', error: expect.stringContaining('HTTP 404') });
  const names = ((await gate.send('/tools')).json as { tools: { name: string }[] }).tools
    .map(({ name }) => name)
    .filter((name) => name.startsWith('petshop'));
  expect(names).toEqual(['petshop__addPet', 'petshop__find_pets', 'petshop__getPet']);
  expect(
    (await gate.send('/tools/petshop__addPet/execute', { body: { body: { name: 'Tom', kind: 'cat' } } })).status,
  ).toBe(400);
  expect((await gate.send('/tools/petshop__deletePet/execute', { body: { petId: 1 } })).status).toBe(404);
  const everything = [
    gate.log(),
    (await gate.send('/config')).text,
    (await gate.send('/tools')).text,
    (await gate.send('/tools/petshop__getPet')).text,
  ].join('');
  expect(everything).not.toContain(key);
});

test('the MCP endpoint has the path it is given and takes tools by name, never as methods; the level of the log is a setting [S1.3] [S1.4] [S1.6]', async () => {
  const { gate } = await served('server: { mcp_path: /gate }\nlog: { level: warn }\n');
  const send = async (path: string, method: string, params: object) =>
    gate.send(path, {
      body: {
        jsonrpc: '2.0',
        id: 'a-1',
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...('name' in params && { 'mcp-name': String(params.name) }),
      },
    });
  const called = await send('/gate', 'tools/call', { name: 'petshop__getPet', arguments: { petId: 1 } });
  expect(called.json).toMatchObject({
    id: 'a-1',
    result: { structuredContent: { name: 'Rex' }, content: [{ type: 'text' }] },
  });
  expect((await send('/mcp', 'tools/list', {})).status).toBe(404);
  expect((await send('/gate', 'petshop__getPet', { petId: 1 })).json).toMatchObject({ error: { code: -32601 } });
  expect(gate.log()).not.toContain('"level":"info"');
});

test('a tool that answers at once and one that answers later look alike, over REST and from the command line [S1.8] [S1.26]', async () => {
  const { cwd, gate } = await served('    max_list_bytes: 0\n');
  // One never leaves the gateway, the other waits for a service.
  const atOnce = await gate.send('/tools/petshop__search/execute', { body: { query: 'pet' } });
  const later = await gate.send('/tools/petshop__call/execute', {
    body: { name: 'petshop__getPet', arguments: { petId: 2 } },
  });
  expect(atOnce.json).toMatchObject({ error: null, structured_content: { total: 3 } });
  expect(later.json).toMatchObject({ error: null, structured_content: { name: 'Tom' } });
  expect(Object.keys(later.json as object).toSorted()).toEqual(
    expect.arrayContaining(Object.keys(atOnce.json as object)),
  );
  const { code, out } = await toolgate(cwd, ['call', 'petshop__getPet', 'petId=2'], { PETSHOP_KEY: key });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Tom') });
});

test('check reports what is wrong with a document, and the rest of it is served', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    servers: [{ url: 'https://api.example' }],
    paths: {
      '/a': {
        get: {
          operationId: 'a',
          parameters: [{ name: 'q', in: 'query', schema: { type: 'string', pattern: '(a+)+$' } }],
        },
      },
      '/b': { get: { parameters: [{ $ref: 'http://169.254.169.254/#/x' }] } },
    },
  };
  const cwd = aPlace({
    'toolgate.yaml': 'sources:\n  good: { kind: openapi, document: api.json }\n',
    'api.json': JSON.stringify(document),
  });
  const { code, out } = await toolgate(cwd, ['check']);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/GET \/b is not offered: external_ref_blocked[\s\S]*slow_pattern/),
  });
  expect((await toolgate(cwd, ['tools'])).out).toMatch(/good__a[\s\S]*GET \/b +withheld +good: external_ref_blocked/);
  const bad = aPlace({
    'toolgate.yaml': 'sources:\n  bad: { kind: openapi, document: api.json }\n',
    'api.json': '{"openapi":',
  });
  expect(await toolgate(bad, ['check'])).toMatchObject({ code: 1, out: expect.stringContaining('openapi-document') });
});

test.each([
  ['credentials without a base_url', 'auth: { key: { token: "${KEY}" } }', 'needs base_url'],
  ['a wildcard among the hosts', 'allowed_hosts: ["*"]', 'lets a function call any host'],
  ['an unknown policy', 'network: nowhere', 'unknown network policy nowhere'],
  ['a user name in the address', 'base_url: "https://a@evil.example/"', 'without a user name'],
  ['a key that there is not', 'hosts: [a]', 'hosts'],
])('%s is refused before anything starts', async (_name, entry, problem) => {
  const cwd = aPlace({ 'toolgate.yaml': `sources:\n  pets: { kind: openapi, document: api.json, ${entry} }\n` });
  expect(await toolgate(cwd, ['check'], { KEY: 'x' })).toMatchObject({
    code: 1,
    err: expect.stringContaining(problem),
  });
});

test('every overlay that the guide shows is one [S1.27]', () => {
  const guide = readFileSync(join(root, 'docs/guides/openapi.md'), 'utf8');
  const overlays = [...guide.matchAll(/```yaml\n(operations:[\s\S]*?)```/g)].map(([, text = '']) => text);
  expect(overlays.length).toBeGreaterThan(1);
  for (const text of overlays) {
    const data = parseData(Buffer.from(text));
    expect(data.ok && parseOverlay(data.value)).toMatchObject({ ok: true });
  }
});

test('what a document writes cannot steer the terminal that shows what was left out', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths: { '/a\u001b[2J\u202e': { get: { operationId: 'a', responses: {} } } },
  };
  const place = aPlace({
    'api.json': JSON.stringify(document),
    'toolgate.yaml':
      'sources: { api: { kind: openapi, document: api.json, network: loopback, exclude: { methods: [get] } } }\n',
  });
  const shown = [(await toolgate(place, ['tools'])).out, (await serving(place)).banner];
  for (const text of shown) {
    expect(text).toContain('\\u001b[2J\\u202e');
    expect(text).not.toMatch(/[\u001b\u202e]/);
  }
}, 60_000);
