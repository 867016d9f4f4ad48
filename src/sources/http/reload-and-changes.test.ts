import { expect, onTestFinished, test, vi } from 'vitest';
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
import { aGateway } from '../../../test/support/gate.js';
import { ada, never } from '../../../test/support/make.js';
import { originBreakers } from './breakers.js';

test('a source that is built anew while its server rests keeps the functions it had discovered [S2.22]', async () => {
  const server = await aServer(json({ functions: [{ name: 'weather', description: 'd', parameters: [] }] }), hangUp);
  const breakers = originBreakers();
  const discover = { url: server.url, category: 'found', headers: {} };
  const names = async (extra: string): Promise<readonly string[]> =>
    (
      await aSource({ discover, breakers, tools: [aFunction({ url: server.url, name: extra })] }).source.list(never)
    ).map(({ name }) => name);
  expect(await names('one')).toEqual(['one', 'weather']);
  expect(await names('two')).toEqual(['two', 'weather']);
  expect((await aSource({ discover, breakers: originBreakers() }).source.list(never)).length).toBe(0);
});

test('a tool shows the breaker of its origin, which all its tools share [S2.31]', async () => {
  const server = await aServer(hangUp);
  const { source } = aSource({ tools: ['a', 'b'].map((name) => aFunction({ url: server.url, name })) });
  const [a, b] = [await toolOf(source, 'a'), await toolOf(source, 'b')];
  for (let turn = 0; turn < 5; turn += 1) await called(a);
  expect(b.origin?.status()).toMatchObject({ state: 'open', threshold: 5 });
  expect(b.origin?.url).toBe(new URL(server.url).origin);
  b.origin?.reset();
  expect(a.origin?.status()).toMatchObject({ state: 'closed' });
});

test('a subscribed resource is compared at an interval by calls of its subscriber, and its changes are pushed [S2.35]', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let version = 1;
  const server = await aServer((_request, response) => response.end(JSON.stringify({ version })));
  const { source } = aSource({
    id: 'api',
    pollMs: 1_000,
    tools: [anEndpoint({ baseUrl: server.url, name: 'state', resource: true })],
  });
  const { gate, records } = await aGateway([source]);
  let changes = 0;
  const { outcome, stop } = await gate.subscribe({
    uri: 'toolgate://api/state',
    principal: ada,
    session: 'one',
    via: 'http',
    signal: never,
    changed: () => (changes += 1),
  });
  expect(outcome.kind).toBe('done');
  const ended = () => records.filter(({ event, tool }) => event === 'end' && tool === 'state');
  const polled = async (times: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(1_000);
    await expect.poll(() => ended().length).toBe(times);
    await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  };
  expect(ended()).toHaveLength(1);
  await polled(2);
  expect(changes).toBe(0);
  version = 2;
  await polled(3);
  await expect.poll(() => changes).toBe(1);
  expect(new Set(ended().map(({ principal, decision }) => `${principal} ${decision}`))).toEqual(
    new Set(['ada allowed']),
  );
  expect(server.requests).toHaveLength(3);
  stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(server.requests).toHaveLength(3);
});
