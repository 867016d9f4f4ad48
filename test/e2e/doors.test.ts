import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { aPlace, cli, serving } from '../support/toolgate.js';
import { checked } from '../support/wire-schemas.js';

type Wire = ReturnType<typeof JSON.parse>;

/** A legacy MCP client of a few lines, over the pipe of a real process. */
async function overStdio(cwd: string): Promise<(method: string, params: unknown) => Promise<Wire>> {
  const child = spawn(process.execPath, [cli, 'serve', '--stdio', '--alone'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TOOLGATE_HOME: join(cwd, 'home') },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const waiting = new Map<number, (message: Wire) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: number };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let id = 0;
  const ask = (method: string, params: unknown): Promise<Wire> =>
    new Promise((resolve) => {
      waiting.set(++id, (message) => {
        checked('2025-11-25', message, method);
        resolve(message);
      });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return ask;
}

/** A modern MCP client of a few lines, over HTTP. */
const overHttp =
  (gate: Awaited<ReturnType<typeof serving>>) =>
  async (method: string, params: Record<string, unknown>): Promise<Wire> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { json } = await gate.send('/mcp', {
      body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
      },
    });
    checked('2026-07-28', json, method);
    return json;
  };

const echo =
  'name: say\ncommand: echo\ndescription: Prints a word\ntarget: { kind: none }\nflags: { upper: { flag: "-n", type: boolean } }\nalways: ["hello"]\nlimits: { rate_per_minute: 1000 }\n';
const refusing = { name: 'ping', arguments: { target: '8.8.8.8' } };

test('one tool answers over stdio, over HTTP and over REST with the same fields [S0.1] [S0.83] [GHSA-943q-mwmv-hhvh]', async () => {
  const cwd = aPlace({ 'say.tool.yaml': echo, 'toolgate.yaml': 'commands: { directories: [.] }\n' });
  const gate = await serving(cwd);
  const stdio = await overStdio(cwd);
  const http = overHttp(gate);
  const call = { name: 'say', arguments: {} };
  const [a, b, rest] = [
    await stdio('tools/call', call),
    await http('tools/call', call),
    (await gate.send('/tools/say/execute', { body: {} })).json,
  ];
  // Ids and durations differ from call to call.
  const facts = { correlation_id: expect.any(String), execution_time: expect.any(Number) };
  expect(a.result.structuredContent).toEqual({ ...b.result.structuredContent, ...facts });
  expect(JSON.parse(a.result.content[0].text)).toEqual(a.result.structuredContent);
  expect(rest).toMatchObject({
    stdout: a.result.structuredContent.stdout,
    returncode: 0,
    metadata: a.result.structuredContent.metadata,
  });
  const tool = (list: Wire) => list.result.tools.find((each: { name: string }) => each.name === 'say');
  expect(tool(await stdio('tools/list', {})).inputSchema).toEqual(tool(await http('tools/list', {})).inputSchema);
});

test('a refusal reads the same at every door: a readable result with isError for MCP, an envelope for REST [S0.83] [S1.15]', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const [a, b] = [await (await overStdio(cwd))('tools/call', refusing), await overHttp(gate)('tools/call', refusing)];
  for (const { result } of [a, b]) {
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('RFC1918 or .lab.internal');
  }
  expect((await gate.send('/tools/ping/execute', { body: refusing.arguments })).json.error).toContain(
    'RFC1918 or .lab.internal',
  );
});

test('one error is logged, answered, counted and reported to the breaker [S0.85] [S0.91]', async () => {
  const cwd = aPlace({
    'hang.tool.yaml':
      'name: hang\ncommand: sleep\ndescription: Sleeps for long\ntarget: { kind: none }\nflags: {}\nalways: ["7340"]\nlimits: { rate_per_minute: 1000, timeout_sec: 1 }\n',
    'toolgate.yaml': 'commands: { directories: [.] }\ncircuit_breaker: { failure_threshold: 1 }\n',
  });
  const gate = await serving(cwd);
  const timedOut = await gate.send('/tools/hang/execute', { body: { correlation_id: 'one-error' } });
  expect([timedOut.status, timedOut.json.returncode, timedOut.json.timed_out, timedOut.json.error_type]).toEqual([
    504,
    124,
    true,
    'timeout',
  ]);
  await gate.logged('circuit_breaker.state_changed');
  expect(gate.log()).toMatch(/"correlation_id":"one-error".*"event":"tool.error"/);
  const refused = await gate.send('/tools/hang/execute', { body: {} });
  expect([refused.status, refused.json.error_type]).toEqual([503, 'circuit_breaker_open']);
  const metrics = (await gate.send('/metrics')).text;
  expect(metrics).toMatch(
    /mcp_tool_errors_total\{[^}]*tool="hang"[^}]*error_type="timeout"[^}]*\} 1|mcp_tool_errors_total\{[^}]*error_type="timeout"[^}]*tool="hang"[^}]*\} 1/,
  );
  expect(metrics).toMatch(/mcp_tool_active\{tool="hang"\} 0/);
  expect((await gate.send('/health')).json.checks.tool_hang.status).toBe('degraded');
});

test('a tool is filtered, given its breaker and its metrics, and switched off where the operator configures it [S0.101] [S0.98]', async () => {
  const cwd = aPlace({
    'say.tool.yaml': echo,
    'toolgate.yaml':
      'commands: { directories: [.] }\ntool: { exclude: [nmap], overrides: { say: { enabled: false } } }\n',
  });
  const gate = await serving(cwd);
  const { tools } = (await gate.send('/tools')).json as {
    tools: { name: string; enabled: boolean; circuit_breaker: string }[];
  };
  expect(tools.map(({ name }) => name)).not.toContain('nmap');
  expect(tools.find(({ name }) => name === 'say')).toMatchObject({ enabled: false, circuit_breaker: 'closed' });
  expect((await gate.send('/tools/say/execute', { body: {} })).status).toBe(404);
  await gate.send('/tools/say/enable', { method: 'POST' });
  expect((await gate.send('/tools/say/execute', { body: {} })).status).toBe(200);
});

test('memory at rest is bounded, and so is what a tool adds to it [S0.123]', async () => {
  const rss = (pid: number | undefined): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const plain = await serving(aPlace());
  const manifests = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`t${i}.tool.yaml`, echo.replace('name: say', `name: t${i}`)]),
  );
  const full = await serving(aPlace({ ...manifests, 'toolgate.yaml': 'commands: { directories: [.] }\n' }));
  const [rest, loaded] = [rss(plain.child.pid), rss(full.child.pid)];
  // The figures of the bench are what we publish; these bounds catch a leak of another order.
  expect(rest).toBeLessThan(160_000);
  expect((loaded - rest) / 300).toBeLessThan(256);
});

test('doors are modules behind one interface: both have a name, a start and a stop [S0.115]', async () => {
  const { stdioTransport } = await import('../../src/transports/stdio/stdio.js');
  const { httpDoor } = await import('../../src/transports/http/edge/server.js');
  const { aGateway, identity } = await import('../support/gate.js');
  const { ada } = await import('../support/make.js');
  const { gate } = await aGateway([]);
  const doors = [
    stdioTransport(gate, { identity, principal: ada }),
    httpDoor({
      host: '127.0.0.1',
      port: 0,
      routes: [],
      authenticator: { authenticate: () => ({ principal: ada }) },
      allowedHosts: [],
      allowedOrigins: [],
      corsOrigins: [],
      maxBodyBytes: 1,
      peerRatePerSecond: 0,
      maxConnections: 1,
      onFault: () => {},
    }),
  ];
  for (const door of doors)
    expect(door).toMatchObject({ name: expect.any(String), start: expect.any(Function), stop: expect.any(Function) });
});
