import { describe, expect, test } from 'vitest';
import { hasSameRights, type View } from './core/gateway.js';
import type { Principal } from './core/principal.js';
import type { Complete, Prompt, Resource } from './core/prompt.js';
import type { ToolSource } from './core/source.js';
import { aGateway } from '../test/support/gate.js';
import type { AuditRecord } from './guards/audit.js';
import { breakers } from './guards/breaker.js';
import { pipeline } from './guards/pipeline.js';
import type { CallRuntime, Visibility } from './gateway.js';
import { gateway } from './gateway.js';
import { registry } from './registry/registry.js';
import type { Tool } from './core/tool.js';
import { done } from './core/outcome.js';
import { ada, aTool, bob, deferred, guarded, never } from '../test/support/make.js';

async function setUp(tools: readonly Tool[], visibility: Partial<Visibility> = {}) {
  const records: AuditRecord[] = [];
  const all = breakers({ settings: () => ({ failures: 5, cooldownMs: 60_000 }) });
  const source = { id: 'test', list: () => Promise.resolve(tools) };
  const reg = registry({ sources: [source], filter: { include: [], exclude: [] } });
  await reg.refresh(never);
  const wire = pipeline({
    journal: { problem: () => undefined, append: (record) => void records.push(record) },
    faults: { fault: () => {} },
    authorizer: { decide: () => undefined },
    breakers: all,
  });
  const runtime: CallRuntime = {
    wire,
    visibility: { group: (view) => view.principal.id, isVisible: () => true, ...visibility },
  };
  const gate = gateway({ registry: reg, current: () => runtime, breakers: all });
  const call = (tool: string, args = {}, principal = ada) =>
    gate.call({ tool, args, principal, via: 'rest', signal: never });
  return { gate, call, records, reg };
}

test('a call goes through the guards and comes back with its correlation id [S0.86]', async () => {
  const { call, records } = await setUp([aTool()]);
  const answer = await call('echo', { text: 'hello' });
  expect(answer.outcome).toEqual(done('hello'));
  expect(answer.correlationId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect(records).toMatchObject([{ correlationId: answer.correlationId }]);
});

test.each(['a'.repeat(65), 'a\nb', '{"x":1}', '', 7])(
  'a correlation id that could forge a log line is replaced: %j [S0.86]',
  async (given) => {
    const tool = aTool({ input: { schema: {}, parse: (value) => ({ ok: true, value: value as never }) } });
    const { call } = await setUp([tool]);
    expect((await call('echo', { correlation_id: given })).correlationId).not.toBe(given);
  },
);

test('unknown, disabled and forbidden read the same; the audit keeps the difference [Obot ≤ 0.21] [S0.100]', async () => {
  const { gate, call, records } = await setUp([aTool(), aTool({ name: 'hidden' }), aTool({ name: 'off' })], {
    isVisible: (view, tool) => tool.name !== 'hidden' || view.principal.id === 'ada',
  });
  gate.setEnabled('off', false, ada);
  const answers = await Promise.all([call('nothing', {}, bob), call('hidden', {}, bob), call('off', {}, bob)]);
  expect(answers[1]?.outcome).toEqual(answers[0]?.outcome);
  expect(answers[2]?.outcome).toEqual(answers[0]?.outcome);
  expect(records.map((record) => record.code)).toEqual(expect.arrayContaining(['not_found', 'forbidden']));
  expect((await call('hidden', {}, ada)).outcome.kind).toBe('done');
});

test('invalid arguments to a hidden tool do not betray it', async () => {
  const { call } = await setUp([aTool({ name: 'hidden' })], { isVisible: () => false });
  expect((await call('hidden', { nonsense: 1 })).outcome).toEqual((await call('nothing', { nonsense: 1 })).outcome);
});

test('a list is the same object until something changes, and a disabled tool is not on it [S0.99] [S0.100]', async () => {
  const { gate } = await setUp([aTool(), aTool({ name: 'b' }), aTool({ name: 'a' })]);
  const heard: string[] = [];
  gate.onChange((what) => heard.push(what));
  const first = gate.tools({ principal: ada });
  expect(first.map((tool) => tool.name)).toEqual(['a', 'b', 'echo']);
  expect(gate.tools({ principal: ada })).toBe(first);
  gate.setEnabled('b', false, ada);
  gate.setEnabled('b', false, ada);
  expect(gate.tools({ principal: ada }).map((tool) => tool.name)).toEqual(['a', 'echo']);
  expect(heard).toEqual(['tools']);
  expect(gate.setEnabled('nothing', false, ada)).toBe(false);
});

test('a tool that cannot run here is not listed but has a status', async () => {
  const { gate, call } = await setUp([aTool({ unavailable: { code: 'command_missing', message: 'not installed' } })]);
  expect(gate.tools({ principal: ada })).toEqual([]);
  expect(gate.statuses({ principal: ada })).toMatchObject([
    { tool: { name: 'echo' }, enabled: true, breaker: { state: 'closed' } },
  ]);
  expect((await call('echo')).outcome).toMatchObject({ error: { code: 'command_missing' } });
});

test('a closing gateway takes no new call', async () => {
  const { gate, call } = await setUp([aTool()]);
  gate.close();
  expect((await call('echo')).outcome).toMatchObject({ error: { code: 'shutting_down' } });
});

test('a call keeps the runtime it began with, to its end', async () => {
  const begun = deferred<undefined>();
  const tool = aTool({
    async run(call) {
      await begun.promise;
      return done(String(call.canSee?.(tool)));
    },
  });
  const reg = registry({ sources: [{ id: 'test', list: async () => [tool] }], filter: { include: [], exclude: [] } });
  await reg.refresh(never);
  const runtime = (name: string, sees: boolean): CallRuntime => ({
    wire: (one) => async (call) => ({ ...(await guarded([], one.run, one)(call)), meta: { under: name } }),
    visibility: { group: () => name, isVisible: () => sees },
  });
  let current = runtime('old', true);
  const gate = gateway({
    registry: reg,
    current: () => current,
    breakers: { get: () => undefined, settings: () => ({ failures: 5, cooldownMs: 60_000 }) },
  });
  const running = gate.call({ tool: 'echo', args: {}, principal: ada, via: 'rest', signal: never });
  current = runtime('new', false);
  begun.resolve(undefined);
  expect((await running).outcome).toMatchObject({ content: [{ text: 'true' }], meta: { under: 'old' } });
  expect(gate.tools({ principal: ada })).toEqual([]);
});

test('one name twice: the first source keeps it, the other is reported', async () => {
  const reg = registry({
    sources: [
      { id: 'a', list: async () => [aTool({ source: 'a' })] },
      { id: 'b', list: async () => [aTool({ source: 'b' }), aTool({ name: 'bad name' })] },
    ],
    filter: { include: [], exclude: [] },
  });
  await reg.refresh(never);
  expect(reg.catalogue().tools.get('echo')?.source).toBe('a');
  expect(reg.withheld().map((each) => each.what)).toEqual(['echo', 'bad name']);
});

test('a source that fails is reported and the others work', async () => {
  const problems: string[] = [];
  const reg = registry({
    sources: [
      { id: 'bad', list: () => Promise.reject(new Error('down')) },
      { id: 'good', list: async () => [aTool()] },
    ],
    filter: { include: [], exclude: [] },
    onProblem: (source, problem) => problems.push(`${source}: ${problem}`),
  });
  await reg.refresh(never);
  expect([...reg.catalogue().tools.keys()]).toEqual(['echo']);
  expect(problems).toEqual(['bad: down']);
  expect(reg.health()).toMatchObject({ bad: { status: 'unhealthy' }, good: { status: 'healthy' } });
});

test('exclude wins over include [S0.19] [S0.20] [S0.98]', async () => {
  const tools = ['a', 'b', 'c'].map((name) => aTool({ name }));
  const reg = registry({
    sources: [{ id: 's', list: async () => tools }],
    filter: { include: ['a', 'b'], exclude: ['b'] },
  });
  await reg.refresh(never);
  expect([...reg.catalogue().tools.keys()]).toEqual(['a']);
});

test('tools built anew without a change are no change; sources that leave are closed', async () => {
  let closed = 0;
  const source = { id: 's', list: async () => [aTool()], close: async () => void (closed += 1) };
  const reg = registry({ sources: [source], filter: { include: [], exclude: [] } });
  await reg.refresh(never);
  const heard: string[] = [];
  reg.onChange((what) => heard.push(what));
  await reg.refresh(never);
  expect(heard).toEqual([]);
  const staged = await reg.stage([], never);
  staged.commit({ filter: { include: [], exclude: [] }, adjust: (tool) => tool, isDisabled: () => false });
  expect([heard, closed]).toEqual([['tools'], 1]);
});

describe('a conversation goes on', () => {
  const view: View = { principal: { id: 'a', name: 'A', kind: 'jwt', roles: ['user', 'admin'], scopes: ['mcp'] } };
  const as = (over: Partial<Principal>): View => ({ principal: { ...view.principal, ...over } });
  test.each([
    ['for the same rights, however they were shown', as({}), true],
    ['not for fewer roles', as({ roles: ['user'] }), false],
    ['not for other scopes', as({ scopes: [] }), false],
    ['not for another profile of the credential', as({ profile: 'narrow' }), false],
    ['not for somebody else', as({ id: 'b' }), false],
    ['not under another address', { ...view, profile: 'narrow' }, false],
  ])('%s', (_, other, goesOn) => {
    expect(hasSameRights(view, other)).toBe(goesOn);
  });
});

test("completion passes the guards in its caller's name: audited, cleaned, and empty where it is refused", async () => {
  const heard: string[] = [];
  const complete: Complete = (argument, value, context, call) => {
    heard.push(`${call.principal.id} ${argument}=${value} ${JSON.stringify(context)}`);
    return Promise.resolve({ values: [`${value}\u001b[31m`, 'x'.repeat(2_000_000)], hasMore: true });
  };
  const prompt: Prompt = { name: 'p', source: 'test', complete, get: () => Promise.resolve(done('')) };
  const source = { id: 'test', list: () => Promise.resolve([]), prompts: () => Promise.resolve([prompt]) };
  const sees = ({ principal }: View): boolean => principal.id !== bob.id;
  const { gate, records } = await aGateway([source], { visibility: { isVisible: sees } });
  const ask = (principal: Principal, name = 'p') =>
    gate.complete({
      principal,
      via: 'http',
      signal: never,
      target: { type: 'ref/prompt', name },
      argument: 'who',
      value: 'A',
      context: { other: 'b' },
    });
  const found = await ask(ada);
  expect(found).toMatchObject({ values: ['A', expect.any(String)], hasMore: true });
  expect(found.values[1]?.length).toBeLessThan(1_100_000);
  expect([await ask(bob), await ask(ada, 'unknown')]).toEqual([{ values: [] }, { values: [] }]);
  expect(heard).toEqual(['ada who=A {"other":"b"}']);
  expect(records.map(({ tool, principal }) => [tool, principal])).toEqual([
    ['completion/complete', 'ada'],
    ['completion/complete', 'bob'],
    ['completion/complete', 'ada'],
  ]);
});

test.each(['permits', 'isCurrent', 'isVisible'] as const)(
  'a subscription whose right is gone (%s) reports no further change and stops at its source',
  async (lost) => {
    let report = (): void => {};
    let stopped = 0;
    const resource: Resource = {
      uri: 'x://w',
      name: 'w',
      source: 'test',
      read: async () => done([]),
      subscribe: async (_call, changed) => {
        report = changed;
        return () => void (stopped += 1);
      },
    };
    const source: ToolSource = { id: 'test', list: async () => [], resources: async () => [resource] };
    const reg = registry({ sources: [source], filter: { include: [], exclude: [] } });
    await reg.refresh(never);
    const rights = { permits: true, isCurrent: true, isVisible: true };
    const runtime: CallRuntime = {
      wire: (tool) => guarded([], tool.run, tool),
      visibility: { group: () => 'all', isVisible: () => rights.isVisible },
      permits: () => rights.permits,
      isCurrent: () => rights.isCurrent,
    };
    const gate = gateway({
      registry: reg,
      current: () => runtime,
      breakers: { get: () => undefined, settings: () => ({ failures: 5, cooldownMs: 60_000 }) },
    });
    let heard = 0;
    const common = { uri: 'x://w', principal: ada, via: 'rest', signal: never } as const;
    const { outcome } = await gate.subscribe({ ...common, changed: () => void (heard += 1) });
    expect(outcome.kind).toBe('done');
    report();
    expect([heard, stopped]).toEqual([1, 0]);
    rights[lost] = false;
    report();
    expect([heard, stopped]).toEqual([1, 1]);
    rights[lost] = true;
    const again = await gate.subscribe({ ...common, changed: () => void (heard += 1) });
    rights[lost] = false;
    reg.announce('tools');
    expect([heard, stopped]).toEqual([1, 2]);
    again.stop();
    expect(stopped).toBe(2);
  },
);
