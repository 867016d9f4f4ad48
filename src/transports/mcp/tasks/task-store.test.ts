import { expect, test } from 'vitest';
import { done } from '../../../core/outcome.js';
import { deferred } from '../../../../test/support/make.js';
import { memoryStore } from '../../../state/memory-store.js';
import type { Store } from '../../../state/store.js';
import { taskLimits, taskRunner } from './task-runner.js';
import { stateTaskStore } from './state-task-store.js';
import { memoryTaskStore, type TaskStore } from './task-store.js';

const never = async () => ({ outcome: done(''), correlationId: '', durationMs: 0 });

/** Runs tasks of one owner that end with a text, and waits for their end. */
async function finished(store: TaskStore, owner: string, texts: readonly string[], limits = taskLimits) {
  const runner = taskRunner(store, limits);
  const records = [];
  // All of them end in the same turn of the event loop.
  const end = deferred<void>();
  for (const text of texts) {
    const answer = end.promise.then(() => ({ outcome: done(text), correlationId: 'c', durationMs: 1 }));
    records.push(await runner.adopt({ owner, tool: 'echo' }, answer, never, new AbortController()));
  }
  end.resolve();
  await expect.poll(() => runner.running).toBe(0);
  return { runner, ids: records.map((record) => record?.id ?? '') };
}

test('a list reads the records of its owner only, and no results', async () => {
  const inner = memoryStore();
  let bytesRead = 0;
  const counting: Store = {
    ...inner,
    get(space, key) {
      const value = inner.get(space, key);
      bytesRead += value?.length ?? 0;
      return value;
    },
    list(space, options) {
      const entries = inner.list(space, options);
      for (const { value } of entries) bytesRead += value.length;
      return entries;
    },
  };
  const store = stateTaskStore(() => Promise.resolve(counting));
  const { runner } = await finished(store, 'bob', Array<string>(20).fill('x'.repeat(100_000)));
  bytesRead = 0;
  expect(await runner.list('carol')).toEqual([]);
  expect(bytesRead).toBe(0);
  expect(await runner.list('bob')).toHaveLength(20);
  expect(bytesRead).toBeLessThan(20 * 1_000);
});

test.each([
  ['memory', memoryTaskStore()],
  ['state', stateTaskStore(() => Promise.resolve(stateOfTest))],
])('%s: an owner whose name begins like another one sees nothing of it', async (_, store) => {
  const { ids } = await finished(store, 'bob\0x', ['secret']);
  const runner = taskRunner(store);
  for (const owner of ['bob', 'bob\0', 'bo', 'bob\0x\0']) {
    expect(await runner.list(owner)).toEqual([]);
    expect(await runner.get(ids[0] ?? '', owner)).toBeUndefined();
    expect(await runner.answer(ids[0] ?? '', owner)).toBeUndefined();
  }
  expect(await runner.answer(ids[0] ?? '', 'bob\0x')).toMatchObject({ outcome: { content: [{ text: 'secret' }] } });
});
const stateOfTest = memoryStore();

test.each([
  ['memory', () => memoryTaskStore()],
  [
    'state',
    () => {
      const state = memoryStore();
      return stateTaskStore(() => Promise.resolve(state));
    },
  ],
])('%s: results beyond the byte budget of an owner are not stored, and the task names the limit', async (_, create) => {
  const store = create();
  const limits = { ...taskLimits, bytesPerOwner: 5_000 };
  const texts = ['a'.repeat(2_000), 'b'.repeat(2_000), 'c'.repeat(2_000)];
  const { runner, ids } = await finished(store, 'bob', texts, limits);
  const answers = await Promise.all(ids.map((id) => runner.answer(id, 'bob')));
  expect(answers.map((answer) => answer?.outcome.kind)).toEqual(['done', 'done', 'failed']);
  expect(answers[2]).toMatchObject({
    outcome: { error: { code: 'output_limit', message: expect.stringContaining('5000 bytes') } },
  });
  const other = await finished(store, 'carol', ['c'.repeat(2_000)], limits);
  expect(await other.runner.answer(other.ids[0] ?? '', 'carol')).toMatchObject({ outcome: { kind: 'done' } });
});

test('results that end together cannot all use the same free bytes', async () => {
  const state = memoryStore();
  const store = stateTaskStore(() => Promise.resolve(state));
  const { runner, ids } = await finished(store, 'bob', Array<string>(10).fill('x'.repeat(1_000)), {
    ...taskLimits,
    bytesPerOwner: 3_500,
  });
  const kinds = await Promise.all(ids.map(async (id) => (await runner.answer(id, 'bob'))?.outcome.kind));
  expect(kinds.filter((kind) => kind === 'done')).toHaveLength(3);
});
