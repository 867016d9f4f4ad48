import { describe, expect, test } from 'vitest';
import { deadlinePassed } from '../../core/call.js';
import { behaviourOf } from '../../core/errors.js';
import type { Tool } from '../../core/tool.js';
import { breakers } from '../../guards/breaker.js';
import { aCall, ada, guarded, never } from '../../../test/support/make.js';
import { localEgress } from '../../../test/support/gates.js';
import type { Loose } from '../../../test/support/mcp.js';
import { eventually } from '../../../test/support/processes.js';
import { aRemote, json, listener } from '../../../test/support/upstream-http.js';
import { aPlugin, callTool, said } from '../../../test/support/upstream.js';
import type { McpSource } from './source.js';

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'far', version: '1' },
};
const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
const good = { content: [{ type: 'text', text: 'said' }] };
const reply = (res: Loose, body: Loose, result: Loose): void => json(res, { jsonrpc: '2.0', id: body.id, result });

/** A server that initializes and lists; `call` answers its tool calls and pings, `get` its event stream. */
const aServer = (
  call: (res: Loose, body: Loose) => void,
  get: (req: Loose, res: Loose) => void = (_, res) => res.writeHead(405).end(),
) =>
  listener(({ req, res, body }) => {
    if (req.method === 'GET') return get(req, res);
    if (req.method !== 'POST' || body.id === undefined) return void res.writeHead(202).end();
    if (body.method === 'initialize') return reply(res, body, greeting);
    if (body.method === 'tools/list') return reply(res, body, { tools });
    return call(res, body);
  });

/** One tool of a source, listed once: a later listing would need an answer of the server. */
async function toolOf(source: McpSource, name?: string): Promise<Tool> {
  const tool = (await source.list(never)).find((each) => name === undefined || each.name === name);
  if (tool === undefined) throw new Error('the source has no such tool');
  return tool;
}

const legacy = { era: 'legacy' } as const;

describe('no answer of a remote server is not an answer: it trips the breaker, may be retried, and shows in the health', () => {
  test.each([
    ['drops the connection', (res: Loose) => res.destroy()],
    ['answers with status 500', (res: Loose) => res.writeHead(500).end()],
    ['answers with status 404', (res: Loose) => res.writeHead(404).end()],
    ['answers with status 429', (res: Loose) => res.writeHead(429).end()],
    ['answers with a redirect', (res: Loose) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['answers with an HTML page', (res: Loose) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi')],
    ['answers another request', (res: Loose) => json(res, { jsonrpc: '2.0', id: 99_999, result: good })],
    ['answers with a result that is no object', (res: Loose, body: Loose) => reply(res, body, 5)],
    [
      'ends its stream without a response',
      (res: Loose) => res.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
    ],
  ])('%s', async (_, misbehave) => {
    const far = await aServer(misbehave);
    const source = aRemote(far.url, { source: legacy });
    const tool = await toolOf(source);
    const all = breakers({ settings: () => ({ failures: 3, cooldownMs: 60_000 }) });
    const call = guarded([all.guard], tool.run, tool);
    for (let time = 0; time < 3; time += 1) {
      const outcome = await call(aCall({ timeoutMs: 10_000 }));
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'network_error' } });
      expect(outcome.kind === 'failed' && behaviourOf(outcome.error)).toMatchObject({ retryable: true, mcp: 'result' });
    }
    expect(
      far.requests.filter(({ body }) => body?.method === 'tools/call'),
      'it may have run: no retry',
    ).toHaveLength(3);
    expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
    expect(source.health?.()).toMatchObject({ status: 'unhealthy' });
  });
});

test.each([
  [
    'its own JSON-RPC error',
    (res: Loose, body: Loose) => json(res, { jsonrpc: '2.0', id: body.id, error: { code: -32603, message: 'no' } }),
    'upstream_refused',
  ],
  ['status 422', (res: Loose) => res.writeHead(422).end(), 'upstream_error'],
  ['status 401', (res: Loose) => res.writeHead(401).end(), 'permission_denied'],
  ['status 403', (res: Loose) => res.writeHead(403).end(), 'permission_denied'],
])('a server that answers with %s works: no breaker, healthy', async (_, answer, code) => {
  const far = await aServer(answer);
  const source = aRemote(far.url, { source: legacy });
  const tool = await toolOf(source);
  const all = breakers({ settings: () => ({ failures: 1, cooldownMs: 60_000 }) });
  const call = guarded([all.guard], tool.run, tool);
  for (let time = 0; time < 4; time += 1)
    expect(await call(aCall({ timeoutMs: 10_000 }))).toMatchObject({ error: { code } });
  expect(source.health?.()).toMatchObject({ status: 'healthy' });
});

test('a server that needs a login is no failing server: the call is refused, and the breaker stays closed', async () => {
  const far = await listener(({ res }) => void res.writeHead(401).end());
  const source = aRemote(far.url, { source: legacy });
  await expect(source.list(never)).rejects.toThrow('requires authorization');
  await expect(source.list(never)).rejects.toThrow('requires authorization');
});

test('a request that never left is sent again with back-off, and one that may have run is not', async () => {
  const far = await aServer((res, body) => reply(res, body, good));
  const way = localEgress();
  let failing = 0;
  const egress: Pick<typeof way, 'open' | 'request'> = {
    request: way.request,
    open: (request) =>
      String(request.body).includes('tools/call') && failing-- > 0
        ? Promise.resolve({ kind: 'failed', reason: 'network', message: 'connection refused', unsent: true })
        : way.open(request),
  };
  const source = aRemote(far.url, { source: legacy, remote: { egress } });
  const tool = await toolOf(source);
  failing = 3;
  expect(said(await tool.run(aCall({ timeoutMs: 10_000 })))).toBe('said');
  failing = 4;
  expect(await tool.run(aCall({ timeoutMs: 10_000 }))).toMatchObject({ error: { code: 'network_error' } });
  failing = 3;
  const late = new AbortController();
  late.abort(deadlinePassed);
  expect(await tool.run(aCall({ signal: late.signal }))).toMatchObject({ error: { code: 'timeout' } });
  await way.close();
});

test('a stream that is cut by a reset is resumed like one that was closed', async () => {
  let asked: Loose;
  const far = await aServer(
    (res, body) => {
      asked = body;
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('retry: 10\nid: one\ndata:\n\n', () => res.socket.resetAndDestroy());
    },
    (req, res) => {
      if (req.headers['last-event-id'] !== 'one') return void res.writeHead(405).end();
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      return void res.end(`id: two\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: good })}\n\n`);
    },
  );
  const source = aRemote(far.url, { source: legacy });
  expect(said(await callTool(source, 'far__echo'))).toBe('said');
});

describe('a server that hangs is replaced', () => {
  /** Lets a number of calls pass their deadline. */
  const timeOut = async (source: ReturnType<typeof aPlugin>, name: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      const late = new AbortController();
      const waiting = callTool(source, name, {}, { signal: late.signal });
      setTimeout(() => late.abort(deadlinePassed), 50);
      expect(await waiting).toMatchObject({ error: { code: 'timeout' } });
    }
  };

  test('one that is stopped by a signal is pinged after three timeouts and started anew', async () => {
    const source = aPlugin({ source: { pool: { pingMs: 200 } } });
    const pid = Number(said(await callTool(source, 'fix__pid')));
    const getPid = await toolOf(source, 'fix__pid');
    process.kill(pid, 'SIGSTOP');
    for (let time = 0; time < 3; time += 1) {
      const late = new AbortController();
      const waiting = getPid.run(aCall({ signal: late.signal }));
      setTimeout(() => late.abort(deadlinePassed), 20);
      expect(await waiting).toMatchObject({ error: { code: 'timeout' } });
    }
    const next = await eventually(
      () => getPid.run(aCall({ timeoutMs: 5_000, signal: AbortSignal.timeout(5_000) })),
      (outcome) => outcome.kind === 'done',
    );
    expect(said(next)).not.toBe(String(pid));
    expect(source.health?.()).toMatchObject({ status: 'healthy' });
  });

  test('one whose callers give up before any deadline is pinged and started anew', async () => {
    const source = aPlugin({ source: { pool: { pingMs: 200 } } });
    const pid = Number(said(await callTool(source, 'fix__pid')));
    const getPid = await toolOf(source, 'fix__pid');
    process.kill(pid, 'SIGSTOP');
    const next = await eventually(
      () => getPid.run(aCall({ timeoutMs: 60_000, signal: AbortSignal.timeout(500) })),
      (outcome) => outcome.kind === 'done',
    );
    expect(said(next)).not.toBe(String(pid));
  });

  test('and its open breaker is probed as soon as the new one is there, not after the cooldown', async () => {
    const source = aPlugin({ source: { pool: { pingMs: 200 } } });
    const pid = Number(said(await callTool(source, 'fix__pid')));
    const tool = await toolOf(source, 'fix__pid');
    const all = breakers({ settings: () => ({ failures: 3, cooldownMs: 3_600_000 }) });
    const call = guarded([all.guard], tool.run, tool);
    process.kill(pid, 'SIGSTOP');
    for (let time = 0; time < 3; time += 1) {
      const late = new AbortController();
      const waiting = call(aCall({ signal: late.signal }));
      setTimeout(() => late.abort(deadlinePassed), 20);
      expect(await waiting).toMatchObject({ error: { code: 'timeout' } });
    }
    expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
    const next = await eventually(
      () => call(aCall()),
      (outcome) => outcome.kind === 'done',
    );
    expect(said(next)).not.toBe(String(pid));
  });

  test('one that answers the ping stays', async () => {
    const source = aPlugin({ source: { pool: { pingMs: 30_000 } } });
    const pid = said(await callTool(source, 'fix__pid'));
    await timeOut(source, 'fix__hang', 4);
    expect(said(await callTool(source, 'fix__pid'))).toBe(pid);
  });

  test('one that closes its stdout fails its calls at once and is started anew', async () => {
    const source = aPlugin({ args: ['--fail', 'mute'] });
    const pid = said(await callTool(source, 'fix__pid'));
    expect(await callTool(source, 'fix__hang', {}, { timeoutMs: 600_000 })).toMatchObject({
      error: { code: 'crashed', message: expect.stringContaining('closed its output') },
    });
    const next = await eventually(
      () => callTool(source, 'fix__pid'),
      (outcome) => outcome.kind === 'done',
    );
    expect(said(next)).not.toBe(pid);
    await eventually(
      () => isAlive(Number(pid)),
      (alive) => !alive,
    );
  });
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a remote that is back is used again before the cooldown of the breaker is over', async () => {
  let isDown = false;
  const far = await listener(({ req, res, body }) => {
    if (isDown) return void res.destroy();
    if (req.method !== 'POST') return void res.writeHead(405).end();
    if (body.id === undefined) return void res.writeHead(202).end();
    if (body.method === 'initialize') return reply(res, body, greeting);
    return reply(res, body, body.method === 'tools/list' ? { tools } : good);
  });
  const source = aRemote(far.url, { source: legacy });
  const tool = await toolOf(source);
  const all = breakers({ settings: () => ({ failures: 3, cooldownMs: 3_600_000 }) });
  const call = guarded([all.guard], tool.run, tool);
  isDown = true;
  for (let time = 0; time < 3; time += 1)
    expect(await call(aCall({ timeoutMs: 10_000 }))).toMatchObject({ error: { code: 'network_error' } });
  expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
  isDown = false;
  const next = await eventually(
    () => call(aCall()),
    (outcome) => outcome.kind === 'done',
  );
  expect(said(next)).toBe('said');
});

test('the failures of one caller on a remote delay no other caller', async () => {
  const far = await aServer((res, body) =>
    body.params.arguments?.fail === true ? res.destroy() : reply(res, body, good),
  );
  const source = aRemote(far.url, { source: legacy });
  const tool = await toolOf(source);
  const eve = { ...ada, id: 'eve' };
  for (let time = 0; time < 6; time += 1)
    await tool.run(aCall({ args: { fail: true }, principal: eve, timeoutMs: 10_000 }));
  expect(said(await tool.run(aCall({ timeoutMs: 10_000 })))).toBe('said');
  expect(source.health?.()).toMatchObject({ status: 'healthy' });
});
