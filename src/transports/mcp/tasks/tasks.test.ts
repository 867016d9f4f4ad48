import { expect, test } from 'vitest';
import { done, refuse } from '../../../core/outcome.js';
import type { Ask } from '../../../core/outcome.js';
import { aTool, deferred, untilAborted } from '../../../../test/support/make.js';
import { aDoor, sourceOf } from '../../../../test/support/mcp.js';
import { memoryTaskStore } from './task-store.js';
import { taskRunner } from './task-runner.js';

const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const mcp = { taskGraceMs: 1 };
const form = (message: string): Ask => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } },
});
const accept = { action: 'accept', content: {} };

test('a long call becomes a task that is asked for until it ends, from any connection of its principal', async () => {
  const gate = deferred<void>();
  const tool = aTool({ tasks: 'optional', run: async () => gate.promise.then(() => done('late')) });
  const { modern, endpoint } = await aDoor([sourceOf([tool])], { mcp });
  const { result: task } = (await modern('tools/call', { name: 'echo' }, { capabilities })).json;
  expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000 });
  const get = async (as = 'ada') => (await modern('tasks/get', { taskId: task.taskId }, { capabilities, as })).json;
  expect((await get()).result).toMatchObject({ resultType: 'complete', status: 'working' });
  expect((await get('bob')).error.code).toBe(-32602);
  expect(endpoint.stats().tasks).toBe(1);
  gate.resolve();
  await expect.poll(async () => (await get()).result.status).toBe('completed');
  expect((await get()).result.result.content[0].text).toBe('late');
});

test('a call that ends in time is simply answered; a client that does not know tasks waits', async () => {
  const gate = deferred<void>();
  const tool = aTool({
    tasks: 'optional',
    run: async (call) => (call.args['text'] === 'slow' ? gate.promise.then(() => done('waited')) : done('quick')),
  });
  const { modern } = await aDoor([sourceOf([tool])], { mcp: { taskGraceMs: 5_000 } });
  expect((await modern('tools/call', { name: 'echo' }, { capabilities })).json.result).toMatchObject({
    resultType: 'complete',
    content: [{ text: 'quick' }],
  });
  const waiting = modern('tools/call', { name: 'echo', arguments: { text: 'slow' } });
  gate.resolve();
  expect((await waiting).json.result.content[0].text).toBe('waited');
});

test('a tool that must run as a task is refused to a client that does not know them', async () => {
  const { modern, session } = await aDoor([sourceOf([aTool({ tasks: 'required' })])], { mcp });
  const { status, json } = await modern('tools/call', { name: 'echo' });
  expect([status, json.error.code]).toEqual([400, -32021]);
  expect((await modern('tasks/get', { taskId: 'x' })).json.error.code).toBe(-32021);
  expect((await (await session('2025-11-25')).call('tools/call', { name: 'echo' })).json.error.code).toBe(-32601);
  expect(
    (await (await session('2025-06-18')).call('tools/call', { name: 'echo', arguments: { text: 'x' } })).json.result
      .content[0].text,
  ).toBe('x');
});

test('hanging up after the task was made does not end it; cancelling does, and it stays cancelled', async () => {
  const started = deferred<void>();
  const ended = deferred<void>();
  const tool = aTool({
    tasks: 'optional',
    run: async (call) => {
      started.resolve();
      await untilAborted(call);
      ended.resolve();
      return done('too late');
    },
  });
  const { modern, endpoint } = await aDoor([sourceOf([tool])], { mcp });
  const { taskId } = (await modern('tools/call', { name: 'echo' }, { capabilities })).json.result;
  await started.promise;
  expect((await modern('tasks/cancel', { taskId }, { capabilities, as: 'bob' })).json.error.code).toBe(-32602);
  expect(endpoint.stats().tasks).toBe(1);
  expect((await modern('tasks/cancel', { taskId }, { capabilities })).json.result).toMatchObject({
    resultType: 'complete',
  });
  await ended.promise;
  await expect.poll(() => endpoint.stats().tasks).toBe(0);
  expect((await modern('tasks/get', { taskId }, { capabilities })).json.result).toMatchObject({ status: 'cancelled' });
  expect((await modern('tasks/cancel', { taskId }, { capabilities })).json.result).toMatchObject({
    resultType: 'complete',
  });
});

test('a task asks, takes answers one by one, and never uses a key twice', async () => {
  const begin = deferred<void>();
  const tool = aTool({
    tasks: 'optional',
    run: async (call) => {
      await begin.promise;
      const { answers, state } = call.confirmation ?? {};
      if (!answers)
        return {
          kind: 'confirm',
          question: {
            asks: { a: form('A?'), b: form('B?') },
            state: 'one',
            otherwise: { code: 'confirmation_required', message: '' },
          },
        };
      if (state === 'one')
        return {
          kind: 'confirm',
          question: {
            asks: { a: form('Again?') },
            state: 'two',
            otherwise: { code: 'confirmation_required', message: '' },
          },
        };
      return done(`answered ${Object.keys(answers).join()} in ${String(state)}`);
    },
  });
  const { modern } = await aDoor([sourceOf([tool])], { mcp });
  const { taskId } = (await modern('tools/call', { name: 'echo' }, { capabilities })).json.result;
  begin.resolve();
  const get = async () => (await modern('tasks/get', { taskId }, { capabilities })).json.result;
  const asked = async () => Object.keys((await get()).inputRequests ?? {});
  const update = (inputResponses: object) =>
    modern('tasks/update', { taskId, inputResponses: inputResponses as never }, { capabilities });
  await expect.poll(asked).toEqual(['a', 'b']);
  await update({ a: accept, stranger: accept });
  expect(await asked()).toEqual(['b']);
  await update({ b: accept });
  await expect.poll(asked).toEqual(['a-2']);
  await update({ 'a-2': accept });
  await expect.poll(async () => (await get()).status).toBe('completed');
  expect((await get()).result.content[0].text).toBe('answered a in two');
});

test('a tool that failed is a completed task with an error; a fault is a failed one', async () => {
  const gate = deferred<void>();
  const run = (fault: boolean) => async () => {
    await gate.promise;
    if (fault) throw new Error('secret');
    return refuse('execution_failed', 'exit code 1');
  };
  const { modern } = await aDoor(
    [
      sourceOf([
        aTool({ tasks: 'optional', run: run(false) }),
        aTool({ name: 'faulty', tasks: 'optional', run: run(true) }),
      ]),
    ],
    { mcp },
  );
  const ids = await Promise.all(
    ['echo', 'faulty'].map(async (name) => (await modern('tools/call', { name }, { capabilities })).json.result.taskId),
  );
  gate.resolve();
  const end = async (taskId: string) => (await modern('tasks/get', { taskId }, { capabilities })).json.result;
  await expect
    .poll(async () => (await Promise.all(ids.map(end))).map((task) => task.status))
    .toEqual(['completed', 'failed']);
  const [failed, faulty] = await Promise.all(ids.map(end));
  expect(failed.result.isError).toBe(true);
  expect(faulty.error.code).toBe(-32603);
  expect(JSON.stringify(faulty)).not.toContain('secret');
});

test('a client of 2025-11-25 asks for a task itself and waits for its result', async () => {
  const gate = deferred<void>();
  const tool = aTool({ tasks: 'optional', run: async () => gate.promise.then(() => done('late')) });
  const { session } = await aDoor([sourceOf([tool, aTool({ name: 'plain' })])], { mcp });
  const { call } = await session('2025-11-25');
  const { task } = (await call('tools/call', { name: 'echo', task: { ttl: 60_000 } })).json.result;
  expect(task).toMatchObject({ status: 'working', ttl: 60_000 });
  expect((await call('tasks/list')).json.result.tasks).toMatchObject([{ taskId: task.taskId }]);
  const waiting = call('tasks/result', { taskId: task.taskId });
  gate.resolve();
  const { result } = (await waiting).json;
  expect(result.content[0].text).toBe('late');
  expect(result._meta['io.modelcontextprotocol/related-task']).toEqual({ taskId: task.taskId });
  expect((await call('tasks/get', { taskId: task.taskId })).json.result.status).toBe('completed');
  expect((await call('tasks/cancel', { taskId: task.taskId })).json.error.code).toBe(-32602);
  expect((await call('tools/call', { name: 'plain', task: {} })).json.error.code).toBe(-32601);
  expect((await (await session('2025-11-25', {}, 'bob')).call('tasks/list')).json.result.tasks).toEqual([]);
});

test('a task left behind by a gateway that died is reported failed; a finished one keeps its result', async () => {
  const store = memoryTaskStore();
  const before = taskRunner(store);
  const ended = await before.adopt(
    { owner: 'ada', tool: 'echo' },
    Promise.resolve({ outcome: done('kept'), correlationId: 'c', durationMs: 1 }),
    async () => ({ outcome: done(''), correlationId: '', durationMs: 0 }),
    new AbortController(),
  );
  const running = await before.adopt(
    { owner: 'ada', tool: 'echo' },
    new Promise(() => {}),
    async () => ({ outcome: done(''), correlationId: '', durationMs: 0 }),
    new AbortController(),
  );
  await expect.poll(async () => (await before.get(ended?.id ?? '', 'ada'))?.status).toBe('completed');
  const after = taskRunner(store);
  expect(await after.get(ended?.id ?? '', 'ada')).toMatchObject({ status: 'completed' });
  expect(await after.answer(ended?.id ?? '', 'ada')).toMatchObject({ outcome: { content: [{ text: 'kept' }] } });
  expect(await after.answer(ended?.id ?? '', 'bob')).toBeUndefined();
  expect(await after.get(running?.id ?? '', 'ada')).toMatchObject({ status: 'failed' });
});

test('tasks expire, and one principal cannot have too many', async () => {
  let now = 0;
  const store = memoryTaskStore(() => now);
  const table = taskRunner(
    store,
    { ttlMs: 100, maxTtlMs: 1_000, perOwner: 2, bytesPerOwner: 1_000, running: 10 },
    () => now,
  );
  const adopt = (owner: string, ttlMs?: number) =>
    table.adopt(
      { owner, tool: 't', ...(ttlMs !== undefined && { ttlMs }) },
      Promise.resolve({ outcome: done('x'), correlationId: '', durationMs: 0 }),
      async () => ({ outcome: done(''), correlationId: '', durationMs: 0 }),
      new AbortController(),
    );
  const [short, long] = [await adopt('a'), await adopt('a', 999_999)];
  expect(long?.ttlMs).toBe(1_000);
  expect(await adopt('a')).toBeUndefined();
  expect(await adopt('b')).toBeDefined();
  await expect.poll(() => table.running).toBe(0);
  now = 100;
  expect(await table.get(short?.id ?? '', 'a')).toBeUndefined();
  expect(await table.get(long?.id ?? '', 'a')).toBeDefined();
  expect(await adopt('a')).toBeDefined();
});
