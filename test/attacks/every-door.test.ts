import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { envelope, modernVersion } from '../support/mcp.js';
import { aPlace, cli, serving, toolgate } from '../support/toolgate.js';
import { hostileArguments } from './hostile-arguments.js';

const settings = 'rate_limit: { requests: 100000 }\n';

/** `tools/call` of ping around arguments that may not be JSON. */
const rpc = (args: Buffer, meta?: object): Buffer =>
  Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":"the call","method":"tools/call","params":{"name":"ping",'),
    Buffer.from(meta === undefined ? '' : `"_meta":${JSON.stringify(meta)},`),
    Buffer.from('"arguments":'),
    args,
    Buffer.from('}}'),
  ]);

/** The fault or the error code in a response of any door. */
const refusalIn = (text: string): string =>
  /"fault":"(\w+)"/.exec(text)?.[1] ?? /"code": ?"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 300);

const auditOf = (cwd: string): string[] =>
  (existsSync(join(cwd, 'home/audit'))
    ? readdirSync(join(cwd, 'home/audit'), { recursive: true, encoding: 'utf8' })
    : []
  )
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(cwd, 'home/audit', file), 'utf8').split('\n'))
    .filter((line) => line.includes('"event"'));

interface Sent {
  readonly status: number;
  readonly text: string;
}
const post = (
  to: { readonly port: string } | { readonly socketPath: string },
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const req = request({ ...to, host: 'localhost', path, method: 'POST', headers }, (res) => {
      const chunks: Buffer[] = [];
      res
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => resolve({ status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    req.on('error', reject);
    req.end(body);
  });

/** Refusal and number of audit records, by name of the arguments. */
type Refusals = Record<string, readonly [refusal: string, records: number]>;
const expected: Refusals = Object.fromEntries(hostileArguments.map(({ name, refusal }) => [name, [refusal, 1]]));

async function refusalsOf(cwd: string, send: (bytes: Buffer) => Promise<string>): Promise<Refusals> {
  const found: Record<string, readonly [string, number]> = {};
  const first = auditOf(cwd).length;
  for (const { name, bytes } of hostileArguments) {
    const before = auditOf(cwd).length;
    const refusal = refusalIn(await send(bytes));
    // A record of the edge may be written just after the answer; a missing one stays 0.
    const end = Date.now() + 10_000;
    while (auditOf(cwd).length === before && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    found[name] = [refusal, auditOf(cwd).length - before];
  }
  expect(auditOf(cwd).length - first).toBe(hostileArguments.length);
  return found;
}

test('REST and MCP of both generations refuse hostile arguments alike, each with one audit record', async () => {
  const cwd = aPlace({ 'toolgate.yaml': settings });
  const gate = await serving(cwd);
  const { port } = new URL(gate.url);
  const common = {
    authorization: `Bearer ${gate.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const rest = await refusalsOf(
    cwd,
    async (bytes) => (await post({ port }, '/tools/ping/execute', common, bytes)).text,
  );
  expect(rest).toEqual(expected);

  const modernHeaders = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': 'ping' };
  const modern = await refusalsOf(
    cwd,
    async (bytes) => (await post({ port }, '/mcp', { ...common, ...modernHeaders }, rpc(bytes, envelope()))).text,
  );
  expect(modern).toEqual(expected);

  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const opened = await gate.send('/mcp', {
    body: { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello },
    headers: { accept: common.accept },
  });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const legacy = await refusalsOf(
    cwd,
    async (bytes) => (await post({ port }, '/mcp', { ...common, ...session }, rpc(bytes))).text,
  );
  expect(legacy).toEqual(expected);

  expect((await gate.send('/livez')).status).toBe(200);
  expect(gate.log()).not.toContain('server.fault');
  expect((await toolgate(cwd, ['audit', 'verify'])).code).toBe(0);
});

test('stdio refuses hostile arguments like the other doors, under the id of the call where it can be read', async () => {
  const cwd = aPlace({ 'toolgate.yaml': settings });
  const child = spawn(process.execPath, [cli, 'serve', '--stdio', '--alone'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLGATE_HOME: join(cwd, 'home') },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = new Promise((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let rest = '';
  const answers: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) (waiting.shift() ?? ((late) => answers.push(late)))(line);
  });
  const found = await refusalsOf(
    cwd,
    (bytes) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.stdin.write(Buffer.concat([rpc(bytes, envelope()), Buffer.from('\n')]));
      }),
  );
  expect(found).toEqual(expected);
  expect(answers).toEqual([]);
});

test('the operator socket answers hostile bodies as it answers none', async () => {
  const cwd = aPlace({ 'toolgate.yaml': `${settings}policy: { confirmation: { effects: [destroys] } }\n` });
  const gate = await serving(cwd);
  const folder = join(cwd, 'home/gates');
  const socketPath = join(folder, readdirSync(folder).find((name) => name.endsWith('.rest')) ?? '');
  const headers = { host: 'localhost', authorization: `Bearer ${gate.token}`, 'content-type': 'application/json' };
  const send = (body: Buffer): Promise<Sent> => post({ socketPath }, '/approvals/tk_none/approve', headers, body);
  const plain = await send(Buffer.alloc(0));
  expect(plain.status).toBe(404);
  for (const { name, bytes } of hostileArguments) expect([name, await send(bytes)]).toEqual([name, plain]);
  const refused = await post({ socketPath }, '/approvals/tk_none/approve', { host: 'localhost' }, Buffer.from('{'));
  expect(refused.status).toBe(401);
  expect(gate.log()).not.toContain('server.fault');
});

const byCommandLine = hostileArguments.filter(({ name }) =>
  [
    'lists 20,000 levels deep',
    'a key twice',
    'a byte that is not UTF-8',
    'a lone surrogate',
    'text after the object',
  ].includes(name),
);
test.each(byCommandLine)('toolgate call refuses $name with the words of the other doors', async ({ bytes }) => {
  const cwd = aPlace({ 'toolgate.yaml': settings });
  writeFileSync(join(cwd, 'args.json'), bytes);
  const { code, err } = await toolgate(cwd, ['call', 'ping', '--args', '@args.json']);
  expect([code, err]).toEqual([2, expect.stringContaining('--args cannot be read: ')]);
  expect(err).toContain('(invalid_arguments)');
});

test.each([
  ['/tools/ping/execute', {}],
  ['/mcp', { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': 'ping' }],
])('a body over the limit is 413 at %s', async (path, headers) => {
  const gate = await serving(aPlace({ 'toolgate.yaml': 'server: { max_body_bytes: 2048 }\n' }));
  const body = { target: 'x'.repeat(4_096) };
  expect((await gate.send(path, { body, headers })).status).toBe(413);
  expect((await gate.send('/livez')).status).toBe(200);
});
