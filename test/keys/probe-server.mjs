// An MCP server over pipes whose tool looks at what its process can see and do.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const attempt = (run) => {
  try {
    return run();
  } catch (error) {
    return `refused: ${error.code ?? error.message}`;
  }
};
const reaches = (port) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve('reached')).on('error', () => resolve('refused'));
    socket.unref();
  });
let calls = 0;
const probes = {
  read: (path) => attempt(() => readFileSync(path, 'utf8')),
  write: (path) => attempt(() => (writeFileSync(path, 'x'), 'written')),
  limits: (name) =>
    readFileSync('/proc/self/limits', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(name)) ?? '',
  tmp: () => statfsSync('/tmp').blocks * statfsSync('/tmp').bsize,
  net: reaches,
  env: (name) => process.env[name] ?? 'unset',
  cwd: () => process.cwd(),
  pid: () => `${process.pid}-${process.hrtime.bigint() - process.hrtime.bigint() > 0 ? 0 : started}`,
  count: () => (calls += 1),
  args: () => process.argv.slice(2).join(' '),
  long: (bytes) => 'x'.repeat(bytes),
  children: (count) =>
    attempt(() =>
      Array.from(
        { length: count },
        () => spawn('/bin/true', { stdio: 'ignore' }).on('error', () => {}).pid !== undefined,
      ).every(Boolean)
        ? 'started'
        : 'refused',
    ),
  hang: () => new Promise(() => {}),
  program: () => attempt(() => execFileSync('/bin/true') && 'ran'),
};
const started = Date.now() + Math.random();
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const methods = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'probe', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [{ name: 'probe', description: 'Looks', inputSchema: { type: 'object' } }],
  }),
  'tools/call': async ({ arguments: { what, value } }) => ({
    content: [{ type: 'text', text: String(await probes[what](value)) }],
  }),
};
const wait = Number(process.env.PROBE_WAIT_MS ?? 0);
if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const found = methods[method];
  if (found === undefined) return send({ id, error: { code: -32601, message: 'no such method' } });
  send({ id, result: await found(params ?? {}) });
});
