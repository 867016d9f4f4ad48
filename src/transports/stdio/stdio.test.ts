import { expect, test } from 'vitest';
import { done } from '../../core/outcome.js';
import { aTool, deferred, untilAborted } from '../../../test/support/make.js';
import { piped, sourceOf } from '../../../test/support/mcp.js';
import { checked } from '../../../test/support/wire-schemas.js';
import { legacyVersions } from '../../wire/versions.js';

test.each(legacyVersions)('a client of %s initializes, lists and calls over a pipe', async (version) => {
  const { initialize, call } = await piped([sourceOf([aTool()])]);
  const opened = await initialize(version);
  checked(version, opened, 'initialize');
  expect(opened.result.protocolVersion).toBe(version);
  const listed = await call('tools/list');
  checked(version, listed, 'tools/list');
  expect(listed.result.tools).toHaveLength(1);
  const answer = await call('tools/call', { name: 'echo', arguments: { text: 'hello' } });
  checked(version, answer, 'tools/call');
  expect(answer.result.content[0].text).toBe('hello');
});

test('a modern client discovers, lists and calls over the same pipe', async () => {
  const { modern } = await piped([sourceOf([aTool()])]);
  expect((await modern('server/discover')).result.supportedVersions).toEqual(['2026-07-28']);
  expect((await modern('tools/list')).result).toMatchObject({
    resultType: 'complete',
    cacheScope: 'private',
    tools: [{ name: 'echo' }],
  });
  expect((await modern('tools/call', { name: 'echo', arguments: { text: 'hi' } })).result.content[0].text).toBe('hi');
});

test('a client is greeted while tools are still being found; what needs them waits', async () => {
  const found = deferred<void>();
  const { initialize, call, modern, messages } = await piped([sourceOf([aTool()])], { mcp: { ready: found.promise } });
  expect((await initialize()).result.protocolVersion).toBe('2025-11-25');
  expect((await modern('server/discover')).result.supportedVersions).toEqual(['2026-07-28']);
  const lists = [call('tools/list'), modern('tools/list')];
  expect((await call('ping')).result).toEqual({});
  expect(messages.filter((message) => message.result?.tools)).toEqual([]);
  found.resolve();
  for (const listed of await Promise.all(lists)) expect(listed.result.tools).toHaveLength(1);
});

test('requests on one pipe run side by side [S0.114]', async () => {
  const first = deferred<void>();
  const tool = aTool({
    limits: { concurrency: 2 },
    run: async (call) => {
      if (call.args['text'] === 'slow') await first.promise;
      return done(String(call.args['text']));
    },
  });
  const { initialize, call, messages } = await piped([sourceOf([tool])]);
  await initialize();
  const slow = call('tools/call', { name: 'echo', arguments: { text: 'slow' } });
  await call('tools/call', { name: 'echo', arguments: { text: 'quick' } });
  expect(messages.map((message) => message.result?.content?.[0]?.text).filter(Boolean)).toEqual(['quick']);
  first.resolve();
  expect((await slow).result.content[0].text).toBe('slow');
});

test.each(['legacy', 'modern'])('a %s client cancels a call; it ends and is not answered', async (era) => {
  const started = deferred<void>();
  const ended = deferred<void>();
  const tool = aTool({
    run: async (call) => {
      started.resolve();
      const outcome = await untilAborted(call);
      ended.resolve();
      return outcome;
    },
  });
  const { initialize, call, modern, write, messages } = await piped([sourceOf([tool])]);
  if (era === 'legacy') await initialize();
  void (era === 'legacy' ? call('tools/call', { name: 'echo' }) : modern('tools/call', { name: 'echo' }));
  await started.promise;
  write({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: era === 'legacy' ? 2 : 1, reason: 'enough' },
  });
  await ended.promise;
  await (era === 'legacy' ? call('ping') : modern('server/discover'));
  expect(messages.some((message) => message.id === (era === 'legacy' ? 2 : 1))).toBe(false);
});

test('the end of input lets running calls finish, answers them, and then ends', async () => {
  const gate = deferred<void>();
  const tool = aTool({ run: async () => gate.promise.then(() => done('late')) });
  const { initialize, call, input, end } = await piped([sourceOf([tool])]);
  await initialize();
  const answer = call('tools/call', { name: 'echo' });
  input.end();
  gate.resolve();
  expect((await answer).result.content[0].text).toBe('late');
  await end;
});

test.each([
  ['no JSON', '{nope', -32700],
  ['a number', '7', -32600],
  ['a batch of nothing', '[]', -32600],
  ['too deep', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, -32600],
  ['a request before initialize', '{"jsonrpc":"2.0","id":5,"method":"tools/list"}', -32600],
])('%s is answered with an error and the pipe goes on', async (_name, line, code) => {
  const { write, seen, initialize } = await piped([sourceOf([aTool()])]);
  write(line);
  expect((await seen((message) => message.error !== undefined)).error.code).toBe(code);
  expect((await initialize()).result.protocolVersion).toBe('2025-11-25');
});

test('a batch is answered in order by the versions that have batches, and refused by the others', async () => {
  const batch =
    '[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"b","method":"tools/list"}]';
  const old = await piped([sourceOf([aTool()])]);
  await old.initialize('2025-03-26');
  old.write(batch);
  expect((await old.seen(Array.isArray)).map((answer: { id: string }) => answer.id)).toEqual(['a', 'b']);
  const young = await piped([sourceOf([aTool()])]);
  await young.initialize('2025-06-18');
  young.write(batch);
  expect((await young.seen((message) => message.error !== undefined)).error.code).toBe(-32600);
});

test('a client that does not read is not read from, and loses no answer when it does', async () => {
  const tool = aTool({
    limits: { ratePerMinute: 0, concurrency: 64, queue: 4_000, maxOutputBytes: 1_000_000 },
    run: async () => done('x'.repeat(100_000)),
  });
  const { input, output, write, initialize, messages } = await piped([sourceOf([tool])]);
  await initialize();
  output.pause();
  for (let id = 1; id <= 400; id += 1) write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo' } });
  await expect.poll(() => input.isPaused()).toBe(true);
  expect(output.writableLength).toBeLessThan(64_000_000);
  output.resume();
  await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(401);
});
