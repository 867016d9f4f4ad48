import { expect, test } from 'vitest';
import type { Call } from '../../../core/call.js';
import type { Content } from '../../../core/content.js';
import { done, refuse } from '../../../core/outcome.js';
import type { Outcome } from '../../../core/outcome.js';
import { aTool, deferred, untilAborted } from '../../../../test/support/make.js';
import { aDoor, envelope, modernVersion, sourceOf } from '../../../../test/support/mcp.js';

const noisy = aTool({
  run: async ({ back }: Call) => {
    for (const progress of [1, 1, 2]) back?.progress?.({ progress, total: 2, message: 'step' });
    back?.log?.('debug', 'quiet');
    back?.log?.('warning', { note: 'loud' }, 'me');
    return done('said');
  },
});
const kinds = (messages: readonly { method?: string }[]): (string | undefined)[] =>
  messages.map((message) => message.method);

test('progress and log reach a modern client that asked for them, in a stream that ends with the answer', async () => {
  const { modern } = await aDoor([sourceOf([noisy])]);
  const { headers, messages, json } = await modern(
    'tools/call',
    { name: 'echo' },
    { meta: { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' } },
  );
  expect(headers['content-type']).toBe('text/event-stream');
  expect(headers['x-accel-buffering']).toBe('no');
  expect(kinds(messages)).toEqual([
    'notifications/progress',
    'notifications/progress',
    'notifications/message',
    undefined,
  ]);
  expect(messages[0].params).toEqual({ progressToken: 'p', progress: 1, total: 2, message: 'step' });
  expect(messages[2].params).toEqual({ level: 'warning', data: { note: 'loud' }, logger: 'me' });
  expect(json.result.content[0].text).toBe('said');
});

test('progress texts of a tool are cleaned like its result', async () => {
  const tool = aTool({
    run: async ({ back }: Call) => {
      back?.progress?.({ progress: 1, message: 'a\u001b[31mred\u202e' });
      back?.log?.('error', { note: ['b\u0007\u{e0041}'] }, 'c\u001b[2J');
      return done('x');
    },
  });
  const { modern } = await aDoor([sourceOf([tool])]);
  const { text, messages } = await modern(
    'tools/call',
    { name: 'echo' },
    { meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' } },
  );
  expect(text).not.toMatch(/\\u001b|\\u0007|\u202e|\u{e0041}/u);
  expect([messages[0].params.message, messages[1].params]).toEqual([
    'ared',
    { level: 'error', data: { note: ['b'] }, logger: 'c' },
  ]);
});

test('without asking a modern client gets the bare answer; a client that takes no stream gets it as JSON', async () => {
  const { modern } = await aDoor([sourceOf([noisy])]);
  expect((await modern('tools/call', { name: 'echo' })).headers['content-type']).toBe('application/json');
  const { headers, json } = await modern(
    'tools/call',
    { name: 'echo' },
    { meta: { progressToken: 1 }, headers: { accept: 'application/json' } },
  );
  expect(headers['content-type']).toBe('application/json');
  expect(json.result.content[0].text).toBe('said');
});

test('a legacy client chooses its log level for the session', async () => {
  const { session } = await aDoor([sourceOf([noisy])]);
  const { call } = await session('2025-06-18');
  expect(kinds((await call('tools/call', { name: 'echo' })).messages)).toEqual(['notifications/message', undefined]);
  await call('logging/setLevel', { level: 'debug' });
  expect(kinds((await call('tools/call', { name: 'echo' })).messages)).toHaveLength(3);
  await call('logging/setLevel', { level: 'emergency' });
  expect(kinds((await call('tools/call', { name: 'echo', _meta: { progressToken: 5 } })).messages)).toEqual([
    'notifications/progress',
    'notifications/progress',
    undefined,
  ]);
  expect((await call('logging/setLevel', { level: 'loud' })).json.error.code).toBe(-32602);
});

test('a modern client cancels by hanging up', async () => {
  const started = deferred<void>();
  const ended = deferred<Outcome>();
  const tool = aTool({
    run: async (call) => {
      started.resolve();
      const outcome = await untilAborted(call);
      ended.resolve(outcome);
      return outcome;
    },
  });
  const { modern, records } = await aDoor([sourceOf([tool])]);
  const stop = new AbortController();
  const answer = modern('tools/call', { name: 'echo' }, { signal: stop.signal });
  await started.promise;
  stop.abort();
  expect(await ended.promise).toMatchObject({ kind: 'failed' });
  await answer;
  await expect.poll(() => records.at(-1)?.code).toBe('cancelled');
});

test('a legacy client cancels by a notification; hanging up is not cancelling', async () => {
  const started = deferred<void>();
  const finish = deferred<void>();
  const fates: string[] = [];
  const tool = aTool({
    limits: { concurrency: 4 },
    run: async (call) => {
      started.resolve();
      const outcome = await Promise.race([untilAborted(call), finish.promise.then(() => done('finished'))]);
      fates.push(outcome.kind);
      return outcome;
    },
  });
  const { session, raw } = await aDoor([sourceOf([tool])]);
  const { headers, send } = await session();
  const stop = new AbortController();
  const left = raw(
    'POST',
    headers,
    JSON.stringify({ jsonrpc: '2.0', id: 'left', method: 'tools/call', params: { name: 'echo' } }),
    stop.signal,
  );
  await started.promise;
  stop.abort();
  await left;
  const told = raw(
    'POST',
    headers,
    JSON.stringify({ jsonrpc: '2.0', id: 'told', method: 'tools/call', params: { name: 'echo' } }),
  );
  await expect
    .poll(
      async () => (
        await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'told' } }),
        fates.length
      ),
    )
    .toBe(1);
  expect((await told).messages).toEqual([]);
  finish.resolve();
  await expect.poll(() => fates).toEqual(['failed', 'done']);
});

test('a second request under an id that is being answered is refused', async () => {
  const gate = deferred<void>();
  const tool = aTool({ run: async () => gate.promise.then(() => done('x')) });
  const { session } = await aDoor([sourceOf([tool])]);
  const { send } = await session();
  const first = send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } });
  await expect
    .poll(async () => (await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).json.error?.code)
    .toBe(-32600);
  gate.resolve();
  expect((await first).json.result.content[0].text).toBe('x');
});

const all: readonly Content[] = [
  { type: 'text', text: 'words', _meta: { a: 1 } },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'x://y', text: 't' } },
  { type: 'resource_link', uri: 'x://z', name: 'z', title: 'The Z', description: 'last letter' },
];

test('all content arrives in every revision, in the words it has [S1.10]', async () => {
  const { modern, session } = await aDoor([sourceOf([aTool({ run: async () => done(all, { n: 1 }) })])]);
  const types = (result: { content: Content[] }) => result.content.map((part) => part.type);
  const young = (await modern('tools/call', { name: 'echo' })).json.result;
  expect(types(young)).toEqual(['text', 'image', 'audio', 'resource', 'resource_link']);
  expect(young.structuredContent).toEqual({ n: 1 });
  const march = (await (await session('2025-03-26')).call('tools/call', { name: 'echo' })).json.result;
  expect(types(march)).toEqual(['text', 'image', 'audio', 'resource', 'text']);
  expect(march.content[4].text).toContain('The Z: x://z');
  const old = (await (await session('2024-11-05')).call('tools/call', { name: 'echo' })).json.result;
  expect(types(old)).toEqual(['text', 'image', 'resource', 'resource', 'text']);
  expect(old.content[2].resource).toMatchObject({ mimeType: 'audio/wav', blob: 'AAAA' });
  expect(old).not.toHaveProperty('structuredContent');
  expect(old.content[0]).not.toHaveProperty('_meta');
});

test('data without words is also said in words; data that is no object stays out of revisions that want one [S0.83]', async () => {
  const { modern, session } = await aDoor([sourceOf([aTool({ run: async () => done([], [1, 2]) })])]);
  const young = (await modern('tools/call', { name: 'echo' })).json.result;
  expect(young.structuredContent).toEqual([1, 2]);
  expect(JSON.parse(young.content[0].text)).toEqual([1, 2]);
  const old = (await (await session('2025-11-25')).call('tools/call', { name: 'echo' })).json.result;
  expect(old).not.toHaveProperty('structuredContent');
  expect(JSON.parse(old.content[0].text)).toEqual([1, 2]);
});

test('a refusal is readable, has a hint, and carries facts for programs', async () => {
  const tool = aTool({ run: async () => refuse('busy', 'All slots are taken', { retryAfterMs: 5_000 }) });
  const { modern } = await aDoor([sourceOf([tool])]);
  const { result } = (await modern('tools/call', { name: 'echo' })).json;
  expect(result.isError).toBe(true);
  expect(result.content[0].text).toMatch(/^All slots are taken\n.+/);
  expect(result._meta['toolgate/error']).toMatchObject({ code: 'busy', retryable: true, retryAfterMs: 5_000 });
});

test('what a client puts into _meta reaches the source, except what this hop consumes', async () => {
  let seen: Call | undefined;
  const tool = aTool({
    run: async (call) => {
      seen = call;
      return done('x');
    },
  });
  const { modern } = await aDoor([sourceOf([tool])]);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await modern(
    'tools/call',
    { name: 'echo' },
    { meta: { 'acme/x': 1, traceparent, progressToken: 3, 'toolgate/ticket': 'tk_1' }, capabilities: { roots: {} } },
  );
  expect(seen?.meta).toEqual({ 'acme/x': 1 });
  expect(seen?.trace).toEqual({ traceparent });
  expect(seen?.back?.capabilities).toEqual({ roots: {} });
});

test('prompts, resources, templates and completion are served in both eras', async () => {
  const source = sourceOf([], {
    prompts: async () => [
      {
        name: 'p',
        source: 'test',
        arguments: [{ name: 'a' }],
        get: async (call) =>
          done([], { messages: [{ role: 'user', content: { type: 'text', text: `got ${String(call.args['a'])}` } }] }),
        complete: async (_name, value) => ({ values: Array.from({ length: 150 }, (_, at) => `${value}${at}`) }),
      },
    ],
    resources: async () => [
      {
        uri: 'x://a',
        name: 'a',
        source: 'test',
        read: async () => done([], { contents: [{ uri: 'x://a', text: 'A' }] }),
      },
    ],
    templates: async () => [
      {
        uriTemplate: 'x://t/{id}',
        name: 't',
        source: 'test',
        matches: (uri) => uri.startsWith('x://t/'),
        read: async (call) => done([], { contents: [{ uri: String(call.args['uri']), text: 'T' }] }),
      },
    ],
  });
  const { modern, session } = await aDoor([source]);
  const { call } = await session();
  for (const ask of [modern, call]) {
    expect((await ask('prompts/list')).json.result.prompts).toMatchObject([{ name: 'p' }]);
    expect((await ask('prompts/get', { name: 'p', arguments: { a: 'b' } })).json.result.messages[0].content.text).toBe(
      'got b',
    );
    expect((await ask('resources/list')).json.result.resources).toMatchObject([{ uri: 'x://a' }]);
    expect((await ask('resources/templates/list')).json.result.resourceTemplates).toMatchObject([
      { uriTemplate: 'x://t/{id}' },
    ]);
    expect((await ask('resources/read', { uri: 'x://a' })).json.result.contents[0].text).toBe('A');
    expect((await ask('resources/read', { uri: 'x://t/1' })).json.result.contents[0].uri).toBe('x://t/1');
    const { completion } = (
      await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'v' } })
    ).json.result;
    expect([completion.values.length, completion.hasMore]).toEqual([100, true]);
  }
  expect((await modern('resources/read', { uri: 'x://none' })).json.error).toMatchObject({
    code: -32602,
    data: { uri: 'x://none' },
  });
  expect((await call('resources/read', { uri: 'x://none' })).json.error).toMatchObject({
    code: -32002,
    data: { uri: 'x://none' },
  });
  expect((await modern('resources/read', { uri: 'x://a' })).json.result).toMatchObject({ cacheScope: 'private' });
});

test('a header that mirrors an argument must agree with it', async () => {
  const { schemaContract } = await import('../../../core/contract.js');
  const tool = aTool({
    input: schemaContract({ type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }),
  });
  const { modern } = await aDoor([sourceOf([tool])]);
  const ask = (headers: Record<string, string>) =>
    modern('tools/call', { name: 'echo', arguments: { region: 'eu' } }, { headers });
  expect((await ask({ 'mcp-param-region': 'eu' })).status).toBe(200);
  expect((await ask({ 'mcp-param-region': '=?base64?ZXU=?=' })).status).toBe(200);
  for (const headers of [{}, { 'mcp-param-region': 'us' }, { 'mcp-param-region': '=?base64?%?=' }] as Record<
    string,
    string
  >[]) {
    const { status, json } = await ask(headers);
    expect([status, json.error.code]).toEqual([400, -32020]);
  }
});

test('the same tool answers over stdio and HTTP with the same fields [S0.1]', async () => {
  const { piped } = await import('../../../../test/support/mcp.js');
  const source = sourceOf([aTool({ run: async () => done(all, { n: 1 }) })]);
  const { modern, session } = await aDoor([source]);
  const pipe = await piped([source]);
  // Ids and durations differ from call to call.
  const alike = ({ _meta, ...result }: { _meta: Record<string, unknown> }) => ({
    ...result,
    _meta: {
      ..._meta,
      'toolgate/call': { correlation_id: expect.any(String), execution_time: expect.any(Number) },
    },
  });
  expect((await pipe.modern('tools/call', { name: 'echo' })).result).toEqual(
    alike((await modern('tools/call', { name: 'echo' })).json.result),
  );
  await pipe.initialize();
  expect((await pipe.call('tools/call', { name: 'echo' })).result).toEqual(
    alike((await (await session()).call('tools/call', { name: 'echo' })).json.result),
  );
});

test('a body is refused for its form before anything is looked up [S1.25]', async () => {
  const { raw } = await aDoor([sourceOf([aTool()])]);
  const good = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } });
  const headers = { ...good, 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/list' };
  const status = async (over: Record<string, string>, text: string | Buffer = body, method = 'POST') =>
    (await raw(method, { ...headers, ...over }, text)).status;
  expect(await status({})).toBe(200);
  expect(await status({ 'content-type': 'application/json; charset=utf-8' })).toBe(200);
  expect(await status({ 'content-type': 'text/plain' })).toBe(415);
  expect(await status({ 'content-type': 'application/jsonp' })).toBe(415);
  expect(await status({ accept: 'text/html' })).toBe(406);
  expect(await status({}, body, 'PUT')).toBe(405);
  expect(await status({}, '', 'GET')).toBe(405);
  expect(await status({}, '{')).toBe(400);
  expect(await status({}, `[${body}]`)).toBe(400);
  expect(await status({}, Buffer.from([0xff, 0xfe]))).toBe(400);
  expect(await status({}, `{"a":${'['.repeat(200)}`)).toBe(400);
  expect(await status({}, 'x'.repeat(1_000_001))).toBe(413);
});
