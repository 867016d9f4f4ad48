import { expect, test } from 'vitest';
import {
  aFunction,
  anEndpoint,
  aServer,
  aSource,
  called,
  hangUp,
  json,
  toolOf,
} from '../../../test/support/functions.js';
import { aCall, deferred, guarded, handClock } from '../../../test/support/make.js';
import { deadline } from '../../guards/deadline.js';
import { originBreakers } from './breakers.js';
import { sleep } from './sender.js';

const busy = (headers: Readonly<Record<string, string>> = {}, status = 503) => json({ wait: true }, status, headers);

test.each([
  ['a broken connection', hangUp],
  ['502', json({}, 502)],
  ['503', json({}, 503)],
  ['504', json({}, 504)],
  ['429 with Retry-After', busy({ 'retry-after': '2' }, 429)],
])('%s is tried again where the function may be repeated [S2.6] [S2.11]', async (_, trouble) => {
  const server = await aServer(trouble, json('fine'));
  const { source, waits } = aSource({ tools: [aFunction({ url: server.url, idempotent: true })] });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({ kind: 'done', data: { output: 'fine' } });
  expect([server.requests.length, waits.length]).toEqual([2, 1]);
});

test.each([
  ['a broken connection', hangUp],
  ['503', json({}, 503)],
  ['429 with Retry-After', busy({ 'retry-after': '0' }, 429)],
])('%s is not retried where the function is not declared repeatable [S2.11]', async (_, trouble) => {
  const server = await aServer(trouble);
  const { source, waits } = aSource({ tools: [aFunction({ url: server.url })] });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({ kind: 'failed' });
  expect([server.requests.length, waits]).toEqual([1, []]);
});

test.each([400, 401, 404, 408, 409, 422, 429, 500, 501])('%i is never tried again [S2.11] [S2.12]', async (status) => {
  const server = await aServer(json({}, status));
  const { source } = aSource({ tools: [aFunction({ url: server.url, idempotent: true })] });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({
    kind: 'failed',
    error: { code: expect.stringMatching(/^upstream_(error|busy)$/) },
    data: { success: false, output: null },
  });
  expect(server.requests).toHaveLength(1);
});

test('an Idempotency-Key lets any function be repeated: the same key for each attempt, another for the next call [S2.11]', async () => {
  const server = await aServer(json({}, 503), json(1), json(2));
  const { source } = aSource({ tools: [aFunction({ url: server.url, idempotencyKey: true })] });
  const tool = await toolOf(source, 'f');
  await called(tool, {}, { id: 'call-1' });
  await called(tool, {}, { id: 'call-2' });
  expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['call-1', 'call-1', 'call-2']);
});

test('a PUT may be repeated and a PATCH may not [S2.11]', async () => {
  for (const [method, requests] of [
    ['PUT', 3],
    ['DELETE', 3],
    ['GET', 3],
    ['PATCH', 1],
    ['POST', 1],
  ] as const) {
    const server = await aServer(json({}, 503));
    const { source } = aSource({ tools: [anEndpoint({ baseUrl: server.url, method })] });
    await called(await toolOf(source, 'e'));
    expect([method, server.requests.length]).toEqual([method, requests]);
  }
});

test('waits grow from half a second to five, each a random share of that, and the attempts are counted [S2.6] [S2.11]', async () => {
  const server = await aServer(json({}, 503));
  for (const [share, expected] of [
    [1, [500, 1000, 2000, 4000, 5000, 5000]],
    [0.5, [250, 500, 1000, 2000, 2500, 2500]],
    [0, [0, 0, 0, 0, 0, 0]],
  ] as const) {
    const breakers = originBreakers();
    breakers.use(new Map([[`http://127.0.0.1:${server.port}`, { failures: 100, cooldownMs: 1000 }]]));
    const { source, waits } = aSource({
      timing: { random: () => share },
      breakers,
      limits: { timeoutMs: 600_000, attempts: 7, maxResponseBytes: 1024 },
      tools: [aFunction({ url: server.url, idempotent: true })],
    });
    expect(await called(await toolOf(source, 'f'))).toMatchObject({ error: { code: 'upstream_busy' } });
    expect(waits).toEqual(expected);
  }
});

test('Retry-After is honoured, in seconds and as a date, and a wait beyond the deadline is not begun [S2.11]', async () => {
  const date = new Date(Date.now() + 7_000).toUTCString();
  for (const [asked, least, most] of [
    ['3', 3000, 3000],
    [date, 4_000, 7_000],
  ] as const) {
    const server = await aServer(busy({ 'retry-after': asked }), json(1));
    const { source, waits } = aSource({ tools: [aFunction({ url: server.url, idempotent: true })] });
    expect(await called(await toolOf(source, 'f'))).toMatchObject({ kind: 'done' });
    expect(waits[0]).toBeGreaterThanOrEqual(least);
    expect(waits[0]).toBeLessThanOrEqual(most);
  }
  const server = await aServer(busy({ 'retry-after': '60' }));
  const { source, waits } = aSource({ tools: [aFunction({ url: server.url, idempotent: true })] });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({
    error: { code: 'upstream_busy', retryAfterMs: 60_000 },
  });
  expect(waits).toEqual([]);
});

test('the deadline covers all attempts and waits [S2.7] [S2.11]', async () => {
  const clock = handClock();
  const server = await aServer(json({}, 503));
  const { source } = aSource({
    timing: { clock, sleep: (ms) => Promise.resolve(clock.advance(ms + 6_000)) },
    limits: { timeoutMs: 10_000, attempts: 10, maxResponseBytes: 1024 },
    tools: [aFunction({ url: server.url, idempotent: true })],
  });
  await called(await toolOf(source, 'f'));
  expect(server.requests).toHaveLength(3); // 0 s, 6.5 s, 13.5 s; a fourth would be past 15 s
  server.forget();
  await called(await toolOf(source, 'f'), {}, { timeoutMs: 400 });
  expect(server.requests).toHaveLength(1);
});

test('a service that does not answer in time is reported in the words of the manual [S2.7] [S2.21]', async () => {
  const server = await aServer(() => {});
  const { source } = aSource({ tools: [aFunction({ url: server.url, timeoutMs: 30 })] });
  const words = 'Request timed out. The service may be temporarily unavailable.';
  const tool = await toolOf(source, 'f');
  expect(await called(tool)).toMatchObject({
    error: { code: 'timeout', message: words },
    data: { success: false, output: null, error: words },
  });
  const slow = aSource({ tools: [aFunction({ url: server.url })] });
  const behindDeadline = guarded([deadline()], (await toolOf(slow.source, 'f')).run);
  expect(await behindDeadline(aCall({ timeoutMs: 30 }))).toMatchObject({ error: { code: 'timeout', message: words } });
});

test('an HTTP error carries its status and the first 200 characters, cleaned, on one line [S2.12] [S2.21]', async () => {
  const server = await aServer((_request, response) =>
    response.writeHead(418).end(`\u001b[31mno\u001b[0m\u202e\u200b\r\n tea ${'x'.repeat(500)}`),
  );
  const { source } = aSource({ tools: [aFunction({ url: server.url })] });
  const outcome = await called(await toolOf(source, 'f'));
  expect(outcome).toMatchObject({ error: { code: 'upstream_error', data: { status: 418 } } });
  const message = outcome.kind === 'failed' ? outcome.error.message : '';
  expect(message).toBe(`HTTP error 418: no tea ${'x'.repeat(193)}`);
  expect(message.length - 'HTTP error 418: '.length).toBe(200);
});

test('an answer over the limit is an error and never buffered whole [S2.5]', async () => {
  let sent = 0;
  const server = await aServer((_request, response) => {
    const more = (): void => {
      if (response.destroyed) return;
      sent += 65_536;
      response.write(Buffer.alloc(65_536, 0x20), () => setImmediate(more));
    };
    more();
  });
  const { source } = aSource({ tools: [aFunction({ url: server.url, maxResponseBytes: 262_144 })] });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({ error: { code: 'output_limit' } });
  expect(sent).toBeLessThan(64 * 1_048_576);
});

test('the limit of an answer is the tool’s own [S2.5]', async () => {
  const server = await aServer(json('x'.repeat(100_000)));
  const { source } = aSource({
    tools: [
      aFunction({ url: server.url, name: 'small', maxResponseBytes: 50_000 }),
      aFunction({ url: server.url, name: 'large', maxResponseBytes: 200_000 }),
    ],
  });
  expect(await called(await toolOf(source, 'small'))).toMatchObject({
    error: { code: 'output_limit' },
    data: { success: false, output: null },
  });
  expect(await called(await toolOf(source, 'large'))).toMatchObject({ kind: 'done' });
});

test('failures in a row open the breaker of the origin for all its tools: refused at once, nothing sent [S2.8]', async () => {
  const server = await aServer(json({}, 500));
  const changes: string[] = [];
  const breakers = originBreakers({
    clock: handClock(),
    onBreaker: (origin, from, to) => changes.push(`${origin} ${from} ${to}`),
  });
  const { source } = aSource({
    breakers,
    tools: [aFunction({ url: `${server.url}a`, name: 'a' }), aFunction({ url: `${server.url}b`, name: 'b' })],
  });
  for (let time = 0; time < 5; time += 1)
    expect(await called(await toolOf(source, 'a'))).toMatchObject({ error: { code: 'upstream_error' } });
  expect(changes).toEqual([`http://127.0.0.1:${server.port} closed open`]);
  server.forget();
  for (const name of ['a', 'b'])
    expect(await called(await toolOf(source, name))).toMatchObject({
      error: { code: 'circuit_open', retryAfterMs: expect.any(Number) },
    });
  expect(server.requests).toHaveLength(0);
  expect(source.health?.()).toMatchObject({ status: 'degraded', detail: expect.stringContaining('calls are paused') });
});

test('after the rest exactly one probe goes through, however many callers wait; its success closes the breaker [S2.9] [S2.10]', async () => {
  const clock = handClock();
  const probe = deferred<() => void>();
  const server = await aServer(json({}, 500), (_request, response) => probe.resolve(() => response.end('1')), json(2));
  const breakers = originBreakers({ clock });
  breakers.use(new Map([[`http://127.0.0.1:${server.port}`, { failures: 1, cooldownMs: 1000 }]]));
  const { source } = aSource({ breakers, tools: [aFunction({ url: server.url })] });
  const tool = await toolOf(source, 'f');
  await called(tool);
  clock.advance(1200);
  const calls = Array.from({ length: 20 }, () => called(tool));
  const release = await probe.promise;
  const refused = await Promise.all(calls.slice(1));
  expect(refused.every((each) => each.kind === 'failed' && each.error.code === 'circuit_open')).toBe(true);
  expect(server.requests).toHaveLength(2);
  release();
  expect(await calls[0]).toMatchObject({ kind: 'done' });
  expect(await called(tool)).toMatchObject({ kind: 'done', data: { output: 2 } });
});

test('a success between failures starts the count again, and a 4xx never counts [S2.10] [S2.12]', async () => {
  const answers = [500, 500, 200, 500, 500, 404, 500, 500, 429, 200].map((status) => json({}, status));
  const server = await aServer(...answers);
  const breakers = originBreakers();
  breakers.use(new Map([[`http://127.0.0.1:${server.port}`, { failures: 3, cooldownMs: 1000 }]]));
  const { source } = aSource({ breakers, tools: [aFunction({ url: server.url })] });
  const tool = await toolOf(source, 'f');
  for (let time = 0; time < answers.length; time += 1) await called(tool);
  expect(server.requests).toHaveLength(answers.length);
  expect(breakers.get(`http://127.0.0.1:${server.port}`).status().state).toBe('closed');
});

test('a caller who hangs up or sets a short deadline is no evidence about the origin; the default deadline is', async () => {
  const server = await aServer(() => {});
  const breakers = originBreakers();
  breakers.use(new Map([[`http://127.0.0.1:${server.port}`, { failures: 1, cooldownMs: 1000 }]]));
  const { source } = aSource({ breakers, tools: [aFunction({ url: server.url })] });
  const tool = await toolOf(source, 'f');
  expect(await called(tool, {}, { signal: AbortSignal.timeout(20) })).toMatchObject({ error: { code: 'cancelled' } });
  expect(breakers.get(`http://127.0.0.1:${server.port}`).status().state).toBe('closed');
  await guarded([deadline()], tool.run)(aCall({ timeoutMs: 20 }));
  expect(breakers.get(`http://127.0.0.1:${server.port}`).status().state).toBe('closed');
  const { source: quick } = aSource({ breakers, tools: [aFunction({ url: server.url, timeoutMs: 20 })] });
  await guarded([deadline()], (await toolOf(quick, 'f')).run)(aCall());
  expect(breakers.get(`http://127.0.0.1:${server.port}`).status().state).toBe('open');
});

test('a wait ends when the caller goes', async () => {
  const gone = new AbortController();
  const waiting = sleep(600_000, gone.signal);
  gone.abort();
  await waiting;
  await sleep(600_000, gone.signal);
});
