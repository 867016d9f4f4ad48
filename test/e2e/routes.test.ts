import { expect, test } from 'vitest';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

/** What strangers may ask, and why; every other route of the running gateway must answer 401 to them. */
const open: Readonly<Record<string, string>> = {
  'get /livez': 'a load balancer asks',
  'get /readyz': 'a load balancer asks',
  'get /health': 'one word without a credential',
  'get /.well-known/oauth-protected-resource': 'tells clients where to get a token',
  'get /.well-known/oauth-protected-resource/mcp': 'tells clients where to get a token',
  'get /.well-known/oauth-protected-resource/mcp/p/ping': 'tells clients where to get a token',
  'get /console': 'a page without data',
  'get /console/{*rest}': 'files of that page',
  'post /console/session': 'takes a one-time code',
  'get /console/login': 'names of issuers',
  'post /console/login/ping': 'begins a login at an issuer',
  'get /console/callback': 'ends a login at an issuer',
};

test('every route of the running gateway asks for a credential, but for the ones listed here [CVE-2026-33032] [CVE-2026-42271]', async () => {
  const gate = await serving(aPlace());
  const { paths } = (await gate.send('/openapi.json')).json as { paths: Record<string, Record<string, unknown>> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method, path.replaceAll(/\{\w+\}/g, 'ping')] as const),
  );
  for (const method of ['get', 'post', 'delete']) routes.push([method, '/mcp']);
  expect(routes.length).toBeGreaterThan(12);
  for (const [method, path] of routes) {
    const { status } = await gate.send(path, { method: method.toUpperCase(), headers: { authorization: '' } });
    expect([method, path, status === 401]).toEqual([method, path, open[`${method} ${path}`] === undefined]);
  }
});

test('health is 200 with details for a caller with the token, and shows how much is well [S0.107]', async () => {
  const gate = await serving(aPlace());
  const { status, json } = await gate.send('/health');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    status: expect.any(String),
    summary: { total: expect.any(Number) },
    checks: { audit: { status: 'healthy', priority: 'critical' } },
    timestamp: expect.any(String),
    transport: 'http',
  });
});

test('metrics are Prometheus text, or JSON for who asks for it [S0.108]', async () => {
  const gate = await serving(aPlace());
  await gate.send('/tools/ping/execute', { body: { target: '8.8.8.8' } });
  const text = await gate.send('/metrics');
  expect(text.headers.get('content-type')).toContain('text/plain');
  expect(text.text).toContain('mcp_tool_execution_total');
  const json = await gate.send('/metrics', { headers: { accept: 'application/json' } });
  expect(JSON.stringify(json.json)).toContain('mcp_tool_execution_total');
});

test('events report health, metrics, calls and changes, until the listener leaves [S0.109]', async () => {
  const gate = await serving(aPlace());
  const leave = new AbortController();
  const stream = await fetch(`${gate.url}/events`, {
    headers: { authorization: `Bearer ${gate.token}` },
    signal: leave.signal,
  });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  let seen = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) seen += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => {});
  await gate.send('/tools/ping/execute', { body: { target: '8.8.8.8' } });
  await gate.send('/tools/ping/disable', { method: 'POST' });
  for (const type of ['health', 'metrics', 'call', 'registry'])
    await expect.poll(() => seen, { timeout: 15_000 }).toContain(`event: ${type}\n`);
  leave.abort();
  await reading;
  expect(await gate.stop()).toBe(0);
});

test('approvers get approval events only, other callers none', async () => {
  const cwd = aPlace({
    'toolgate.yaml': 'policy: { rules: [{ id: ask, action: confirm, confirm: operator }] }\n',
  });
  const keyOf = async (...argv: string[]) => (await toolgate(cwd, ['token', 'create', ...argv])).out.trim();
  const user = await keyOf('--name', 'agent');
  const approver = await keyOf('--name', 'boss', '--role', 'approver');
  const gate = await serving(cwd);
  expect((await gate.send('/events', { headers: { authorization: `Bearer ${user}` } })).status).toBe(403);
  const leave = new AbortController();
  const stream = await fetch(`${gate.url}/events`, {
    headers: { authorization: `Bearer ${approver}` },
    signal: leave.signal,
  });
  let seen = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) seen += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => {});
  await gate.send('/tools/ping/execute', {
    body: { target: '127.0.0.1' },
    headers: { authorization: `Bearer ${user}` },
  });
  await expect.poll(() => seen, { timeout: 30_000 }).toContain('event: approval\n');
  expect(seen).not.toMatch(/event: (?:call|health|metrics)/);
  leave.abort();
  await reading;
});

test('the deprecated pair of URLs is served only where the operator asks for it', async () => {
  const off = await serving(aPlace());
  expect((await off.send('/sse')).status).toBe(404);
  const on = await serving(aPlace({ 'toolgate.yaml': 'server: { legacy_sse: true }\n' }));
  const leave = new AbortController();
  const stream = await fetch(`${on.url}/sse`, {
    headers: { authorization: `Bearer ${on.token}`, accept: 'text/event-stream' },
    signal: leave.signal,
  });
  const first = await stream.body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toContain('event: endpoint');
  leave.abort();
});
