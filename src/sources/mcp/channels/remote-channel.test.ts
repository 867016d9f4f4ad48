import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { localEgress } from '../../../../test/support/gates.js';
import { done } from '../../../core/outcome.js';
import { aCall, ada, aTool, bob, never } from '../../../../test/support/make.js';
import { served, sourceOf } from '../../../../test/support/mcp.js';
import type { Loose } from '../../../../test/support/mcp.js';
import { aRemote, json, listener } from '../../../../test/support/upstream-http.js';
import { callTool, said } from '../../../../test/support/upstream.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Our own server, which speaks both eras on one address. */
async function ourOwn(over: Parameters<typeof served>[1] = {}) {
  const far = await served(
    [
      sourceOf([
        aTool(),
        aTool({
          name: 'steps',
          run: (call) => {
            for (const progress of [1, 2]) call.back?.progress?.({ progress });
            call.back?.log?.('info', 'a word');
            return Promise.resolve(done('stepped'));
          },
        }),
        aTool({ name: 'meta', run: (call) => Promise.resolve(done(JSON.stringify(call.meta ?? null))) }),
      ]),
    ],
    over,
  );
  closers.push(far.close);
  const credentials = () => ({ headers: () => Promise.resolve({ headers: { authorization: 'Bearer ada-token' } }) });
  return { far, credentials };
}

describe.each(['legacy', 'modern', 'auto'] as const)('a remote server asked as %s', (era) => {
  test.each(['json', 'stream'] as const)(
    'is listed and called when it answers by %s [S3.1] [S3.16] [S3.20]',
    async (legacyAnswers) => {
      const { far, credentials } = await ourOwn({ mcp: { legacyAnswers } });
      const source = aRemote(far.url, { source: { era }, remote: { credentials } });
      expect(said(await callTool(source, 'far__echo', { text: 'over there' }))).toBe('over there');
      expect(source.state().revision).toBe(era === 'legacy' ? '2025-11-25' : '2026-07-28');
      const heard: unknown[] = [];
      await callTool(
        source,
        'far__steps',
        {},
        { back: { progress: (progress) => heard.push(progress), log: (level, data) => heard.push([level, data]) } },
      );
      if (era !== 'legacy' || legacyAnswers === 'stream')
        expect(heard).toEqual([{ progress: 1 }, { progress: 2 }, ['info', 'a word']]);
      expect(said(await callTool(source, 'far__meta', {}, { meta: { 'example.com/c': 3 } }))).toBe(
        '{"example.com/c":3}',
      );
      const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
      const tool = (await source.list(never)).find(({ name }) => name === 'far__echo');
      const answers = await Promise.all(texts.map((text) => tool?.run(aCall({ args: { text }, timeoutMs: 10_000 }))));
      expect(answers.map((answer) => answer && said(answer))).toEqual(texts);
    },
  );
});

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'far', version: '1' },
};
const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
const result = (body: Loose): Loose =>
  body.method === 'initialize'
    ? greeting
    : body.method === 'tools/list'
      ? { tools }
      : body.method === 'tools/call'
        ? { content: [{ type: 'text', text: 'said' }] }
        : undefined;

/** A server of 2025 that hands out session ids and can be told to forget them. */
async function forgetful() {
  const sessions = new Set<string>();
  let next = 1;
  const far = await listener(({ req, res, body }) => {
    if (req.method === 'GET') return void res.writeHead(405).end();
    if (req.method === 'DELETE')
      return void res.writeHead(sessions.delete(String(req.headers['mcp-session-id'])) ? 200 : 404).end();
    if (body.method === 'server/discover')
      return json(res, { jsonrpc: '2.0', id: body.id, error: { code: -32601, message: 'no' } }, 400);
    if (body.method === 'initialize') {
      const id = `session-${next++}`;
      sessions.add(id);
      return json(res, { jsonrpc: '2.0', id: body.id, result: greeting }, 200, { 'mcp-session-id': id });
    }
    if (!sessions.has(String(req.headers['mcp-session-id'])))
      return json(res, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404);
    if (body.id === undefined) return void res.writeHead(202).end();
    return json(res, { jsonrpc: '2.0', id: body.id, result: result(body) });
  });
  return { far, sessions };
}

test('a session that the server forgot is opened anew, and the call is made once', async () => {
  const { far, sessions } = await forgetful();
  const source = aRemote(far.url);
  expect(said(await callTool(source, 'far__echo'))).toBe('said');
  const tool = (await source.list(never))[0];
  sessions.clear();
  const again = await tool?.run(aCall({ timeoutMs: 10_000 }));
  expect(again && said(again)).toBe('said');
  const calls = far.requests.filter(({ body }) => body?.method === 'tools/call');
  expect(calls.map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-1', 'session-1', 'session-2']);
  expect(calls[2]?.headers['mcp-protocol-version']).toBe('2025-06-18');
});

test('each caller has a session of their own, and closing ends them all', async () => {
  const { far, sessions } = await forgetful();
  const source = aRemote(far.url);
  await Promise.all([
    callTool(source, 'far__echo', {}, { principal: ada }),
    callTool(source, 'far__echo', {}, { principal: bob }),
  ]);
  expect(sessions.size).toBe(2);
  await source.close?.();
  expect(sessions.size).toBe(0);
});

test.each([
  ['an HTML page', (res: Loose) => res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>')],
  ['nothing', (res: Loose) => res.writeHead(204).end()],
  ['202', (res: Loose) => res.writeHead(202).end()],
  ['500', (res: Loose) => res.writeHead(500).end()],
  [
    'an error without id',
    (res: Loose, body: Loose) =>
      json(res, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what?' } }, body ? 400 : 400),
  ],
])('a server that answers the probe with %s is greeted in the older way', async (_, probe) => {
  const far = await listener(({ req, res, body }) => {
    if (req.method !== 'POST') return void res.writeHead(405).end();
    if (body.method === 'server/discover') return probe(res, body);
    if (body.id === undefined) return void res.writeHead(202).end();
    return json(res, { jsonrpc: '2.0', id: body.id, result: result(body) });
  });
  const source = aRemote(far.url);
  expect(said(await callTool(source, 'far__echo'))).toBe('said');
  expect(source.state().revision).toBe('2025-06-18');
  await callTool(source, 'far__echo', {}, { principal: bob });
  expect(far.requests.filter(({ body }) => body?.method === 'server/discover').length, 'the verdict is kept').toBe(1);
});

describe('a remote that misbehaves', () => {
  const misbehaving = (call: (res: Loose, body: Loose) => void) =>
    listener(({ req, res, body }) => {
      if (req.method !== 'POST') return void res.writeHead(405).end();
      if (body.id === undefined) return void res.writeHead(202).end();
      if (body.method === 'tools/call') return call(res, body);
      return json(res, { jsonrpc: '2.0', id: body.id, result: result(body) });
    });

  test.each([
    [
      'closes the stream in the middle',
      (res: Loose) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write('data: {"jsonrpc"');
        res.destroy();
      },
      /cut|broke|closed|reset|ended|other side|socket/i,
    ],
    [
      'ends the stream without an answer',
      (res: Loose) => res.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'),
      /closed the stream before it sent a response/,
    ],
    [
      'answers another request',
      (res: Loose) => json(res, { jsonrpc: '2.0', id: 99_999, result: { content: [] } }),
      /status 200/,
    ],
    ['redirects', (res: Loose) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /a redirect/],
    ['wants a token', (res: Loose) => res.writeHead(401).end(), /authorization/],
    [
      'sends what is no JSON',
      (res: Loose) => res.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      /invalid JSON-RPC/,
    ],
  ])('%s: the call ends with words for it', async (_, answer, words) => {
    const far = await misbehaving(answer);
    const outcome = await callTool(aRemote(far.url, { source: { era: 'legacy' } }), 'far__echo');
    expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringMatching(words) } });
  });

  test('drips bytes: the call ends by its own clock and delays no other', async () => {
    const far = await misbehaving((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const drip = setInterval(() => res.write(':'), 5);
      res.on('close', () => clearInterval(drip));
    });
    const source = aRemote(far.url, { source: { era: 'legacy' } });
    await source.list(never);
    const stop = new AbortController();
    const waiting = callTool(source, 'far__echo', {}, { signal: stop.signal });
    await source.list(never);
    stop.abort();
    expect(await waiting).toMatchObject({ error: { code: 'cancelled' } });
  });
});

test('a server of 2024 is spoken to over its one stream, found out by its 404 [S3.4]', async () => {
  let stream: Loose;
  const far = await listener(({ req, res, body }) => {
    if (req.method === 'GET') {
      stream = res.writeHead(200, { 'content-type': 'text/event-stream' });
      return void stream.write('event: endpoint\ndata: /messages?sessionId=1\n\n');
    }
    if (!req.url?.startsWith('/messages')) return void res.writeHead(404).end();
    res.writeHead(202).end();
    if (body.id !== undefined)
      stream.write(
        `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result: body.method === 'initialize' ? { ...greeting, protocolVersion: '2024-11-05' } : result(body) })}\n\n`,
      );
  });
  const source = aRemote(far.url);
  expect(said(await callTool(source, 'far__echo'))).toBe('said');
  expect(source.state().revision).toBe('2024-11-05');
  const direct = aRemote(far.url, { remote: { transport: 'sse' }, source: { era: 'legacy' } });
  expect(said(await callTool(direct, 'far__echo'))).toBe('said');
});

test('a server of 2024 that names a foreign address gets nothing sent there', async () => {
  const far = await listener(
    ({ res }) =>
      void res
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('event: endpoint\ndata: http://127.0.0.2:9/steal\n\n'),
  );
  await expect(aRemote(far.url, { remote: { transport: 'sse' } }).list(never)).rejects.toThrow(
    'named an endpoint on another origin',
  );
});

test('a tool may ask for arguments as headers, and gets them', async () => {
  const far = await listener(({ res, body }) => {
    const meta = { resultType: 'complete', _meta: {} };
    if (body.method === 'server/discover')
      return json(res, {
        jsonrpc: '2.0',
        id: body.id,
        result: {
          ...meta,
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'private',
        },
      });
    if (body.method === 'tools/list')
      return json(res, {
        jsonrpc: '2.0',
        id: body.id,
        result: {
          ...meta,
          tools: [
            {
              name: 'météo',
              inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
            },
          ],
        },
      });
    if (body.method === 'tools/call')
      return json(res, { jsonrpc: '2.0', id: body.id, result: { ...meta, content: [] } });
    return json(res, { jsonrpc: '2.0', id: body.id, error: { code: -32601, message: 'no' } }, 404);
  });
  const source = aRemote(far.url);
  const [tool] = await source.list(never);
  await tool?.run(aCall({ args: { region: 'us-west1' }, timeoutMs: 5_000 }));
  const call = far.requests.find(({ body }) => body?.method === 'tools/call');
  expect(call?.headers).toMatchObject({
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?bcOpdMOpbw==?=',
    'mcp-param-region': 'us-west1',
    'mcp-protocol-version': '2026-07-28',
  });
});

test('a server that closes its stream at once and asks to come back at once is polled with back-off', async () => {
  const times: number[] = [];
  const far = await listener(({ req, res, body }) => {
    if (req.method === 'GET') {
      times.push(performance.now());
      return void res.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\nid: 1\ndata:\n\n');
    }
    if (body?.id === undefined) return void res.writeHead(202).end();
    return json(res, { jsonrpc: '2.0', id: body.id, result: result(body) });
  });
  await aRemote(far.url, { source: { era: 'legacy' } }).list(never);
  await expect.poll(() => times.length, { timeout: 20_000 }).toBeGreaterThan(7);
  expect((times[7] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_400);
});

test('a server that asks without end is not answered without end', async () => {
  let answers = 0;
  const far = await listener(({ req, res, body }) => {
    if (req.method !== 'POST') return void res.writeHead(405).end();
    if (body.method === undefined) return void (answers += 1); // held for ever
    if (body.id === undefined) return void res.writeHead(202).end();
    if (body.method !== 'tools/call') return json(res, { jsonrpc: '2.0', id: body.id, result: result(body) });
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let id = 0; id < 500; id += 1)
      res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`);
    return void res.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result: result(body) })}\n\n`);
  });
  const wide = localEgress({ connectionsPerHost: 1_000 });
  onTestFinished(() => wide.close());
  const source = aRemote(far.url, { source: { era: 'legacy' }, remote: { egress: wide } });
  expect(said(await callTool(source, 'far__echo'))).toBe('said');
  await expect.poll(() => answers).toBe(64);
  expect(said(await callTool(source, 'far__echo'))).toBe('said');
  expect(answers).toBe(64);
});
