import { expect, test } from 'vitest';
import { done } from '../../../core/outcome.js';
import type { Tool } from '../../../core/tool.js';
import { ada, aTool, deferred, never } from '../../../../test/support/make.js';
import { aDoor, sourceOf } from '../../../../test/support/mcp.js';
import type { Loose } from '../../../../test/support/mcp.js';
import type { LegacySession } from './legacy-session.js';
import { sessionTable } from './session-table.js';

test('a session belongs to the principal that opened it; to others it does not exist [CVE-2026-25536]', async () => {
  const { session, raw } = await aDoor([sourceOf([aTool()])]);
  const { headers } = await session();
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect((await raw('POST', headers, list)).status).toBe(200);
  const asBob = { ...headers, authorization: 'Bearer bob-token' };
  const stolen = await raw('POST', asBob, list);
  const invented = await raw('POST', { ...headers, 'mcp-session-id': 'no-such' }, list);
  expect([stolen.status, stolen.text]).toEqual([404, invented.text]);
  expect((await raw('GET', { ...asBob, accept: 'text/event-stream' })).status).toBe(404);
  expect((await raw('DELETE', asBob)).status).toBe(404);
  expect((await raw('POST', headers, list)).status).toBe(200);
});

test('DELETE ends a session and what runs in it', async () => {
  const started = deferred<void>();
  const aborted = deferred<void>();
  const tool = aTool({
    run: async (call) => {
      started.resolve();
      await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()));
      aborted.resolve();
      return done('x');
    },
  });
  const { session, raw, endpoint } = await aDoor([sourceOf([tool])]);
  const { headers, call } = await session();
  const running = call('tools/call', { name: 'echo' });
  await started.promise;
  expect((await raw('DELETE', headers)).status).toBe(200);
  await aborted.promise;
  await running;
  const after = await raw('POST', headers, JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'ping' }));
  expect([after.status, after.json]).toMatchObject([404, { id: 9, error: { code: -32001 } }]);
  expect(endpoint.stats().sessions).toBe(0);
});

test('a request without a session, or with an unknown version, is refused with the reason', async () => {
  const { raw, session } = await aDoor([sourceOf([aTool()])]);
  const { headers } = await session();
  const { 'mcp-session-id': _, ...bare } = headers;
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect((await raw('POST', bare, ping)).status).toBe(400);
  const odd = await raw('POST', { ...headers, 'mcp-protocol-version': '1999-01-01' }, ping);
  expect([odd.status, odd.json.error.code]).toEqual([400, -32000]);
});

test('more sessions than there is room for are refused until one ends', async () => {
  const { session, raw } = await aDoor([sourceOf([])], { mcp: { sessions: { max: 2 } } });
  const first = await session();
  await session();
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  const { 'mcp-session-id': _, ...headers } = first.headers;
  const refused = await raw('POST', headers, initialize);
  expect([refused.status, refused.headers['retry-after'], refused.json.id]).toEqual([503, '60', 0]);
  await raw('DELETE', first.headers);
  expect((await raw('POST', headers, initialize)).status).toBe(200);
});

const quiet = (busy = 0): LegacySession => ({
  view: { principal: ada },
  features: undefined,
  capabilities: {},
  resumeWatches: () => {},
  activeRequests: busy,
  handleRequest: async () => undefined,
  handleNotification: () => {},
  handleResponse: () => {},
  close: () => {},
});

test('a session without requests or a stream ends after its time; a busy one does not', () => {
  let now = 0;
  const table = sessionTable({ idleMs: 100, max: 10, crowdedIdleMs: 10 }, () => now);
  const idle = table.open('a', () => quiet());
  const busy = table.open('a', () => quiet(1));
  now = 99;
  table.sweep();
  expect(table.size).toBe(2);
  now = 100;
  table.sweep();
  expect([table.find(idle?.id ?? '', 'a'), table.find(busy?.id ?? '', 'a')]).toEqual([undefined, busy]);
});

test('when it is crowded, sessions that have been idle for a while make room', () => {
  let now = 0;
  const table = sessionTable({ idleMs: 1_000, max: 2, crowdedIdleMs: 50 }, () => now);
  table.open('a', () => quiet());
  table.open('a', () => quiet(1));
  expect(table.open('a', () => quiet())).toBeUndefined();
  now = 50;
  expect(table.open('a', () => quiet())).toBeDefined();
  expect(table.size).toBe(2);
});

test('a caller that opens all the sessions keeps no other out: the one unused for longest makes room, a busy one never', () => {
  let now = 0;
  const table = sessionTable({ idleMs: 1_000, max: 4, crowdedIdleMs: 500 }, () => now);
  const [busy, old, fresh] = [1, 0, 0].map((work) => {
    now += 1;
    return table.open('greedy', () => quiet(work));
  });
  const lent = table.open('greedy', () => quiet());
  expect(table.open('b', () => quiet())).toBeDefined();
  expect([busy, old, fresh, lent].map((each) => table.find(each?.id ?? '', 'greedy') !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect(table.open('greedy', () => quiet())).toBeUndefined();
  for (const other of ['c', 'd']) expect(table.open(other, () => quiet())).toBeDefined();
  expect(table.open('e', () => quiet())).toBeUndefined();
  expect(table.find(busy?.id ?? '', 'greedy')).toBeDefined();
});

test('list changes reach every open stream, and a client that was away when it comes back [Stale lists]', async () => {
  let tools: readonly Tool[] = [aTool()];
  const { session, raw, registry } = await aDoor([{ id: 'test', list: async () => tools }]);
  const [here, away] = [await session(), await session('2025-03-26')];
  const told = deferred<Loose>();
  const opened = raw('GET', { ...here.headers, accept: 'text/event-stream' }, undefined, undefined, (message, stop) => {
    told.resolve(message);
    stop();
  });
  await here.call('ping');
  tools = [...tools, aTool({ name: 'new' })];
  await registry.refresh(never);
  expect((await told.promise).method).toBe('notifications/tools/list_changed');
  await opened;
  const later = await raw(
    'GET',
    { ...away.headers, accept: 'text/event-stream' },
    undefined,
    undefined,
    (_message, stop) => stop(),
  );
  expect(later.messages.map((message) => message.method)).toEqual(['notifications/tools/list_changed']);
});

test('a watched resource is reported, until it is not watched any more', async () => {
  const watchers = new Set<() => void>();
  const source = sourceOf([], {
    resources: async () => [
      {
        uri: 'x://w',
        name: 'w',
        source: 'test',
        read: async () => done([]),
        subscribe: async (_call, changed) => {
          watchers.add(changed);
          return () => watchers.delete(changed);
        },
      },
    ],
  });
  const { session, raw } = await aDoor([source]);
  const { call, headers } = await session();
  expect((await call('resources/subscribe', { uri: 'x://w' })).json.result).toEqual({});
  expect((await call('resources/subscribe', { uri: 'x://none' })).json.error.code).toBe(-32002);
  for (const changed of watchers) changed();
  const { messages } = await raw(
    'GET',
    { ...headers, accept: 'text/event-stream' },
    undefined,
    undefined,
    (_message, stop) => stop(),
  );
  expect(messages).toMatchObject([{ method: 'notifications/resources/updated', params: { uri: 'x://w' } }]);
  await call('resources/unsubscribe', { uri: 'x://w' });
  expect(watchers.size).toBe(0);
});

test('a client may leave a stream and come back for the answer', async () => {
  const left = deferred<void>();
  const tool = aTool({
    run: async ({ back }) => {
      back?.detach?.();
      await left.promise;
      return done('kept for you');
    },
  });
  const { session, raw } = await aDoor([sourceOf([tool])]);
  const { headers } = await session('2025-11-25');
  const first = await raw(
    'POST',
    headers,
    JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'echo' } }),
  );
  const eventId = /id: (\S+)/.exec(first.text)?.[1] ?? '';
  expect(first.text).toMatch(/retry: \d+/);
  left.resolve();
  const again = await raw('GET', { ...headers, accept: 'text/event-stream', 'last-event-id': eventId });
  expect(again.messages).toMatchObject([{ id: 'x', result: { content: [{ text: 'kept for you' }] } }]);
  const twice = await raw('GET', { ...headers, accept: 'text/event-stream', 'last-event-id': eventId });
  expect(twice.messages).toEqual(again.messages);
});

test('what a client missed while its connection was broken comes in order', async () => {
  const next = deferred<void>();
  const tool = aTool({
    run: async ({ back }) => {
      back?.progress?.({ progress: 1 });
      await next.promise;
      back?.progress?.({ progress: 2 });
      back?.progress?.({ progress: 3 });
      return done('end');
    },
  });
  const { session, raw } = await aDoor([sourceOf([tool])]);
  const { headers } = await session('2025-11-25');
  const broken = raw(
    'POST',
    headers,
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', _meta: { progressToken: 1 } },
    }),
    undefined,
    (_message, leave) => leave(),
  );
  const eventId = /id: (\S+_1)/.exec((await broken).text)?.[1] ?? '';
  next.resolve();
  const { messages } = await raw('GET', { ...headers, accept: 'text/event-stream', 'last-event-id': eventId });
  expect(messages.map((message) => message.params?.progress ?? message.result.content[0].text)).toEqual([2, 3, 'end']);
});

test('a batch is answered as one array by the versions that have batches, and refused by the others', async () => {
  const { session, raw } = await aDoor([sourceOf([aTool()])]);
  const batch = [
    { jsonrpc: '2.0', id: 'a', method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/x' },
    { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } },
    7,
  ];
  for (const version of ['2025-03-26', '2024-11-05']) {
    const { headers } = await session(version);
    const { json } = await raw('POST', headers, JSON.stringify(batch));
    expect(json).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', result: { content: [{ text: 'hi' }] } },
      { error: { code: -32600 } },
    ]);
    expect((await raw('POST', headers, JSON.stringify([{ jsonrpc: '2.0', method: 'notifications/x' }]))).status).toBe(
      202,
    );
    expect(
      (await raw('POST', headers, JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }])))
        .status,
    ).toBe(400);
  }
  for (const version of ['2025-06-18', '2025-11-25']) {
    const { headers } = await session(version);
    expect((await raw('POST', headers, JSON.stringify(batch))).status).toBe(400);
  }
});

test('a client of 2024-11-05 has no completion, as its version has none', async () => {
  const { session } = await aDoor([sourceOf([])]);
  const { call, opened } = await session('2024-11-05');
  expect(opened.result.capabilities).not.toHaveProperty('completions');
  expect((await call('completion/complete', {})).json.error.code).toBe(-32601);
});

test('list changes do not keep a session alive whose client is gone', async () => {
  let tools: readonly Tool[] = [aTool()];
  const { session, registry, endpoint, raw } = await aDoor([{ id: 'test', list: async () => tools }], {
    mcp: { sessions: { max: 1, crowdedIdleMs: 50 } },
  });
  const { headers } = await session();
  const until = performance.now() + 60;
  while (performance.now() < until) {
    tools = [...tools, aTool({ name: `more_${tools.length}` })];
    await registry.refresh(never);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { 'mcp-session-id': _, ...fresh } = headers;
  const opened = await raw(
    'POST',
    fresh,
    JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    }),
  );
  expect([opened.status, endpoint.stats().sessions]).toEqual([200, 1]);
});

test('capabilities too large to keep are refused', async () => {
  const { raw, endpoint } = await aDoor([sourceOf([])]);
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { experimental: { x: 'y'.repeat(20_000) } },
    clientInfo: { name: 't', version: '1' },
  };
  const { json } = await raw(
    'POST',
    { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  );
  expect([json.error.code, endpoint.stats().sessions]).toEqual([-32602, 0]);
});
