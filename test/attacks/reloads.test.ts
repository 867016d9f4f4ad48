import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { sourceKinds } from '../../src/sources/index.js';
import { done } from '../../src/core/outcome.js';
import type { ToolSource } from '../../src/core/source.js';
import { attackedConfig, attackedGate, tokens, type Caller } from '../support/attacked-gate.js';
import { aTool, deferred } from '../support/make.js';

// A reload that takes a right away holds at once, for whatever was opened before it.

const auth = (...names: readonly Caller[]) => ({
  tokens: names.map((name) => ({ name, token: tokens[name], roles: [name === 'eve' ? 'approver' : 'user'] })),
});
const rules = (...list: readonly object[]) => ({ policy: { rules: [...list, { id: 'rest', action: 'allow' }] } });
const noNap = { id: 'no-nap', action: 'deny', tools: ['nap', 'quick'] };

async function aGate(config: object = {}) {
  const slow = deferred<void>();
  const ran: string[] = [];
  const tool = (name: string, wait: boolean) =>
    aTool({
      name,
      source: 'lab',
      tasks: 'optional',
      limits: { ratePerMinute: 1e6, concurrency: 100 },
      run: async () => {
        if (wait) await slow.promise;
        ran.push(name);
        return done(`RESULT-OF-${name}`);
      },
    });
  const source: ToolSource = { id: 'lab', list: async () => [tool('nap', true), tool('quick', false)] };
  const made = await attackedGate(config, [source]);
  return {
    ...made,
    slow,
    ran,
    async reload(next: object) {
      const { state } = made.gate.gate.config();
      const loaded = await loadConfig({
        env: {},
        cwd: '/',
        kinds: sourceKinds,
        object: { state, ...attackedConfig(next) },
      });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
      await made.gate.gate.reload(loaded.config);
    },
  };
}

const tightenings: readonly (readonly [string, object])[] = [
  ['a rule denies the tool', rules(noNap)],
  ['a rule denies the caller', rules({ id: 'no', action: 'deny', principals: ['token:ada'] })],
  ['a rule denies the role', rules({ id: 'no', action: 'deny', roles: ['user'] })],
  ['a rule denies the source', rules({ id: 'no', action: 'deny', sources: ['lab'] })],
  ['a rule requires an operator', rules({ id: 'ask', action: 'confirm', confirm: 'operator', tools: ['*'] })],
  [
    'only another caller is allowed',
    { policy: { rules: [{ id: 'eve', action: 'allow', principals: ['token:eve'] }] } },
  ],
  ['the token is removed', { auth: auth('bob', 'eve') }],
  [
    'the token is replaced',
    { auth: { tokens: [{ name: 'ada', token: 'another-token-of-at-least-32-characters', roles: ['user'] }] } },
  ],
];

test.each(tightenings)('when %s, nothing that was opened before runs the tool any more', async (_name, next) => {
  const { reload, rest, modern, session, slow, ran } = await aGate();
  const before = await session('ada');
  expect((await before.call('tools/call', { name: 'quick', arguments: {} })).text).toContain('RESULT-OF-quick');
  const running = modern('ada', 'tools/call', { name: 'nap', arguments: {} });
  const { taskId } = (await running).json.result;
  ran.length = 0;
  await reload(next);
  const answers = [
    await before.call('tools/call', { name: 'quick', arguments: {} }),
    await before.call('tools/call', { name: 'quick', arguments: {}, task: {} }),
    await rest('ada', 'quick', {}),
    await modern('ada', 'tools/call', { name: 'quick', arguments: {} }),
    await modern('ada', 'tools/call', { name: 'quick', arguments: {}, _meta: { 'toolgate/ticket': 'tk_x' } }),
    await modern('bob', 'tasks/get', { taskId }),
    await before.call('tasks/get', { taskId }, 'bob'),
    await before.call('tools/call', { name: 'quick', arguments: {} }, 'bob'),
  ];
  for (const { text } of answers.slice(0, 5)) expect(text).not.toContain('RESULT-OF');
  for (const { text } of answers.slice(5)) expect(text).not.toContain('RESULT-OF-quick');
  expect(ran.filter((name) => name === 'quick')).toEqual([]);
  // What began under the old rules ends as it began.
  slow.resolve();
  await expect.poll(() => ran).toContain('nap');
});

test('a removed profile serves nothing, neither to new requests nor to sessions and tasks opened in it', async () => {
  const profiles = { access: { profiles: { lab: { tools: ['*'] } } } };
  const { reload, modern, session, slow } = await aGate(profiles);
  const before = await session('ada', '/mcp/p/lab');
  const { taskId } = (await modern('ada', 'tools/call', { name: 'nap', arguments: {} }, '/mcp/p/lab')).json.result;
  await reload({});
  slow.resolve();
  const answers = [
    await before.call('tools/list', {}),
    await before.call('tools/call', { name: 'quick', arguments: {} }),
    await before.call('tasks/list', {}),
    await before.call('tasks/get', { taskId }),
    await before.call('tasks/result', { taskId }),
    await modern('ada', 'tools/list', {}, '/mcp/p/lab'),
    await modern('ada', 'tools/call', { name: 'quick', arguments: {} }, '/mcp/p/lab'),
    await modern('ada', 'tasks/get', { taskId }, '/mcp/p/lab'),
    await modern('ada', 'tasks/get', { taskId }),
  ];
  expect(
    answers.filter(({ text }) => text.includes('RESULT-OF') || text.includes('"quick"')).map(({ text }) => text),
  ).toEqual([]);
});

test('a narrowed profile hides its tools from sessions that were opened in it', async () => {
  const profile = (tools: readonly string[]) => ({ access: { profiles: { lab: { tools } } } });
  const { reload, session, modern, slow } = await aGate(profile(['*']));
  const before = await session('ada', '/mcp/p/lab');
  expect((await before.call('tools/list', {})).text).toContain('"quick"');
  await reload(profile(['nap']));
  for (const name of ['quick', 'QUICK', 'quick ', 'lab__quick', 'lab/quick'])
    for (const answer of [
      await before.call('tools/call', { name, arguments: {} }),
      await modern('ada', 'tools/call', { name, arguments: {} }, '/mcp/p/lab'),
    ])
      expect(answer.text).not.toContain('RESULT-OF');
  expect((await before.call('tools/list', {})).text).not.toContain('"quick"');
  slow.resolve();
});

test('an approval from before a reload counts only as far as the new rules ask for it', async () => {
  const ask = (by: string) => rules({ id: 'ask', action: 'confirm', confirm: by, tools: ['quick'] });
  const { reload, modern, send, ran, slow } = await aGate(ask('caller'));
  const call = (more: object = {}) => modern('ada', 'tools/call', { name: 'quick', arguments: {}, ...more });
  const { requestState } = (await call()).json.result;
  const accept = { toolgate_confirm: { action: 'accept', content: { approve: true } } };
  await reload(ask('operator'));
  await call({ requestState, inputResponses: accept });
  expect(ran).toEqual([]);
  const ticket = /tk_[\w-]+/.exec((await call()).text)?.[0] ?? '';
  expect((await send(`/approvals/${ticket}/approve`, 'eve', '')).status).toBe(200);
  await reload(rules(noNap));
  await call({ _meta: { 'toolgate/ticket': ticket } });
  await call({ requestState, inputResponses: accept });
  expect(ran).toEqual([]);
  // An operator who lost the role approves nothing.
  await reload({
    ...ask('operator'),
    auth: {
      tokens: [
        { name: 'ada', token: tokens.ada },
        { name: 'eve', token: tokens.eve, roles: ['user'] },
      ],
    },
  });
  const later = /tk_[\w-]+/.exec(
    (await modern('ada', 'tools/call', { name: 'quick', arguments: { text: 'x' } })).text,
  )?.[0];
  expect((await send(`/approvals/${later}/approve`, 'eve', '')).status).toBe(403);
  expect(ran).toEqual([]);
  slow.resolve();
});
