import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { done } from '../../src/core/outcome.js';
import type { ToolSource } from '../../src/core/source.js';
import { attackedGate, type Received } from '../support/attacked-gate.js';
import { aTool, deferred } from '../support/make.js';

// Tasks belong to one caller in one profile, in both eras of the protocol. Each attempt names a task of another owner.

/** A gate with a slow tool whose result is secret, a hidden tool, and three profiles. */
async function aSlowGate() {
  const slow = deferred<void>();
  const aborted: string[] = [];
  const tool = (name: string) =>
    aTool({
      name,
      source: 'lab',
      tasks: 'optional',
      limits: { ratePerMinute: 1e6, concurrency: 1_000 },
      run: async (call) => {
        call.signal.addEventListener('abort', () => aborted.push(call.principal.id));
        await slow.promise;
        return done('SECRET-RESULT');
      },
    });
  const source: ToolSource = { id: 'lab', list: async () => [tool('nap'), tool('hidden')] };
  const made = await attackedGate(
    {
      access: { profiles: { one: { tools: ['*'] }, two: { tools: ['*'] } } },
      policy: {
        rules: [
          { id: 'not-for-bob', action: 'deny', tools: ['hidden'], principals: ['token:bob'] },
          { id: 'rest', action: 'allow' },
        ],
      },
    },
    [source],
  );
  return { ...made, slow, aborted };
}

/** Ids that name no task of the caller, made from one of another owner. */
const mutations = (id: string): readonly string[] => [
  id,
  id.toUpperCase(),
  ` ${id}`,
  `${id} `,
  `${id}\n`,
  `${id}\u0000`,
  `${id}/`,
  `./${id}`,
  `../${id}`,
  `token:ada\n${id}`,
  `token:ada\none\n${id}`,
  `token:ada\u0000${id}`,
  `${id}?owner=token:ada`,
  encodeURIComponent(id).replaceAll('-', '%2D'),
  id.replaceAll('-', ''),
  id.replaceAll('-', '_'),
  id.slice(0, -1),
  `${id}0`,
  id.replace(/^./, (first) => (first === '0' ? '1' : '0')),
  [...id].toReversed().join(''),
  `{${id}}`,
  `urn:uuid:${id}`,
  '',
  '*',
  '%',
  '__proto__',
  'constructor',
  'toString',
  '0',
  'null',
];
/** Ids that are no strings. */
const oddIds = (id: string): readonly JsonObject[] => [
  { taskId: [id] },
  { taskId: { id } },
  { taskId: null },
  { taskId: 0 },
  { taskId: true },
  { id },
  { task: { taskId: id } },
  {},
];

const attempts: string[] = [];
const isRefused = ({ json, text }: Received): boolean =>
  json?.result === undefined && !text.includes('SECRET-RESULT') && !text.includes('nap');

test('no caller and no profile reaches the task of another one, by any spelling, in the 2026 era', async () => {
  const { modern, slow, aborted } = await aSlowGate();
  const { taskId } = (await modern('ada', 'tools/call', { name: 'nap', arguments: {} }, '/mcp/p/one')).json.result;
  const passed: string[] = [];
  const tryAll = async (): Promise<void> => {
    for (const [caller, path] of [
      ['bob', '/mcp'],
      ['bob', '/mcp/p/one'],
      ['ada', '/mcp'],
      ['ada', '/mcp/p/two'],
    ] as const)
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/result'])
        for (const params of [...mutations(taskId).map((one) => ({ taskId: one })), ...oddIds(taskId)]) {
          attempts.push(method);
          const answer = await modern(caller, method, { ...params, inputResponses: {} }, path);
          if (!isRefused(answer)) passed.push(`${caller} ${path} ${method} ${JSON.stringify(params)} ${answer.text}`);
        }
  };
  await tryAll();
  expect(aborted).toEqual([]);
  slow.resolve();
  const mine = () => modern('ada', 'tasks/get', { taskId }, '/mcp/p/one');
  await expect.poll(async () => (await mine()).text).toContain('SECRET-RESULT');
  await tryAll();
  expect(passed).toEqual([]);
  expect((await mine()).json.result.status).toBe('completed');
}, 60_000);

test('the same holds for sessions of the 2025 era, whose tasks the 2026 era does not open for others either', async () => {
  const { session, modern, slow, aborted } = await aSlowGate();
  const mine = await session('ada', '/mcp/p/one');
  const { taskId } = (await mine.call('tools/call', { name: 'nap', arguments: {}, task: {} })).json.result.task;
  const passed: string[] = [];
  for (const [caller, path] of [
    ['bob', '/mcp'],
    ['bob', '/mcp/p/one'],
    ['ada', '/mcp'],
    ['ada', '/mcp/p/two'],
  ] as const) {
    const other = await session(caller, path);
    expect((await other.call('tasks/list', {})).json.result.tasks).toEqual([]);
    for (const cursor of [taskId, 'token:ada', '0']) {
      const listed = await other.call('tasks/list', { cursor });
      if (listed.text.includes(`"taskId":"${taskId}"`)) passed.push(`list ${cursor}`);
    }
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result'])
      for (const params of [...mutations(taskId).map((one) => ({ taskId: one })), ...oddIds(taskId)]) {
        attempts.push(method);
        const answer = await other.call(method, params);
        if (!isRefused(answer)) passed.push(`${caller} ${path} ${method} ${JSON.stringify(params)} ${answer.text}`);
      }
    const across = await modern(caller, 'tasks/get', { taskId }, path);
    if (!isRefused(across)) passed.push(`${caller} ${path} across eras`);
    // The session of another caller is no way to its tasks.
    const stolen = await mine.call('tasks/result', { taskId }, 'bob');
    if (!isRefused(stolen)) passed.push('stolen session');
  }
  expect(passed).toEqual([]);
  expect(aborted).toEqual([]);
  slow.resolve();
  expect((await mine.call('tasks/result', { taskId })).text).toContain('SECRET-RESULT');
  expect(attempts.length).toBeGreaterThan(300);
}, 60_000);

test('a tool that is hidden from a caller starts no task in any era, and reads as unknown', async () => {
  const { session, modern, slow } = await aSlowGate();
  const other = await session('bob');
  const answers = [
    await modern('bob', 'tools/call', { name: 'hidden', arguments: {} }),
    await other.call('tools/call', { name: 'hidden', arguments: {}, task: {} }),
    await other.call('tools/call', { name: 'hidden', arguments: {}, task: { ttl: 1 } }),
    await other.call('tools/call', { name: 'hidden', arguments: {}, task: true }),
    await other.call('tools/call', { name: 'hidden', arguments: {} }),
  ];
  for (const { text } of answers) {
    expect(text).not.toContain('taskId');
    expect(text).not.toContain('SECRET');
  }
  expect((await other.call('tasks/list', {})).json.result.tasks).toEqual([]);
  slow.resolve();
});

test('the budget of tasks is per owner: one that is used up takes nothing from others', async () => {
  const { session, slow } = await aSlowGate();
  const [greedy, other] = [await session('bob'), await session('ada')];
  const start = (from: typeof greedy) => from.call('tools/call', { name: 'nap', arguments: {}, task: { ttl: 1e15 } });
  for (let count = 0; count < 256; count += 1) expect((await start(greedy)).text).toContain('taskId');
  // One more is answered when it ends, as any other call; it is no task.
  const waiting = start(greedy);
  const { task } = (await start(other)).json.result;
  expect(task.ttl).toBeLessThanOrEqual(86_400_000);
  slow.resolve();
  expect((await waiting).text).not.toContain('"taskId"');
  expect((await other.call('tasks/result', { taskId: task.taskId })).text).toContain('SECRET-RESULT');
}, 60_000);
