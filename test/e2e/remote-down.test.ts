import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { aPlace, serving } from '../support/toolgate.js';

/** A remote MCP server as a separate process: one tool, over JSON responses. */
const program = `
import { createServer } from 'node:http';
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'well' }] },
};
createServer((req, res) => {
  let text = '';
  req.on('data', (chunk) => (text += chunk)).on('end', () => {
    const body = text === '' ? {} : JSON.parse(text);
    if (req.method !== 'POST' || body.id === undefined) return res.writeHead(req.method === 'GET' ? 405 : 202).end();
    const result = results[body.method];
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }));
  });
}).listen(Number(process.argv[1] ?? 0), '127.0.0.1', function () {
  console.log(this.address().port);
});`;

async function remote(port = 0): Promise<{ readonly port: number; readonly kill: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const [line] = await new Promise<string[]>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (text) => resolve([text]));
  });
  return { port: Number(line), kill };
}

test('a remote server that is down fails as unreachable on every door, opens the breaker and shows in the health [S3.24] [S3.25]', async () => {
  const far = await remote();
  const place = aPlace({
    'toolgate.yaml': [
      'commands: { builtins: false }',
      'circuit_breaker: { failure_threshold: 3, recovery_timeout: 30, jitter: 0 }',
      `sources:\n  far: { kind: mcp, url: 'http://127.0.0.1:${far.port}/mcp' }`,
      'rate_limit: { requests: 1000 }',
      '',
    ].join('\n'),
  });
  const gate = await serving(place);
  const call = () => gate.send('/tools/far__echo/execute', { body: {} });
  expect((await call()).status).toBe(200);
  await far.kill();

  const first = await call();
  expect([first.status, first.json.error_type]).toEqual([502, 'network_error']);
  expect(first.text).not.toContain('change the arguments');

  const overMcp = await gate.send('/mcp', {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'far__echo',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
        },
      },
    },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'far__echo',
    },
  });
  expect(overMcp.text).toContain('"isError":true');
  expect(overMcp.text).toContain('"retryable":true');
  expect(overMcp.text).not.toContain('-32603');

  await call();
  const refused = await call();
  expect([refused.status, refused.json.error_type]).toEqual([503, 'circuit_breaker_open']);
  const health = (await gate.send('/health')).json;
  expect(health.checks.tool_far__echo.status).toBe('degraded');
  const listed = await gate.send('/tools');
  expect(listed.text).toContain('"open"');

  // The check runs on its own schedule of 30 s.
  await expect
    .poll(async () => (await gate.send('/health')).json.checks.sources, { timeout: 90_000, interval: 500 })
    .toMatchObject({ status: 'unhealthy', detail: expect.stringContaining('far: ') });

  await remote(far.port);
  expect((await gate.send('/tools/far__echo/breaker/reset', { method: 'POST' })).status).toBe(200);
  await expect.poll(async () => (await call()).status, { timeout: 90_000, interval: 500 }).toBe(200);
}, 240_000);
