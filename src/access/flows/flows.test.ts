import { expect, test } from 'vitest';
import type { Call } from '../../core/call.js';
import type { Outcome } from '../../core/outcome.js';
import { done, refuse, refuseUnreached } from '../../core/outcome.js';
import { readOnly } from '../../core/tool.js';
import { flow } from '../../guards/flow.js';
import { ada, aCall, aTool, bob, deferred, guarded, handClock } from '../../../test/support/make.js';
import { flowMemory } from './flow-memory.js';
import { conversationKey, flows } from './flows.js';
import { memoryStore } from '../../state/memory-store.js';
import { compileExpression } from '../policy/expressions.js';
import type { FlowOptions, FlowRule, Flows } from './flows.js';
import { labeller } from './labels.js';

const rule: FlowRule = {
  id: 'private-then-out',
  after: ['reads:private'],
  to: ['egress:*'],
  action: 'confirm',
  confirm: 'caller',
};
const labelsOf = labeller({ derive: true, labels: { crm__read: ['reads:private'], ping: ['-egress:external'] } });
const read = aTool({ name: 'crm__read' });
const send = aTool({ name: 'mail__send', effects: { ...readOnly, writes: true, openWorld: true } });

function memory(over: Partial<FlowOptions> = {}) {
  const clock = handClock();
  return {
    clock,
    ...flows({
      rules: [rule],
      labelsOf,
      conversations: 'session',
      rememberMs: 60_000,
      maxConversations: 100,
      now: clock,
      ...over,
    }),
  };
}
const inSession = (session: string, over: Partial<Call> = {}): Call => aCall({ session, principal: bob, ...over });

test('labels are declared, derived from effects, and set or taken away by the operator', () => {
  expect(labelsOf(send)).toEqual(['egress:external', 'untrusted:content']);
  expect(labelsOf(read)).toEqual(['reads:private']);
  expect(labelsOf(aTool({ name: 'ping', effects: { ...readOnly, openWorld: true, labels: ['own'] } }))).toEqual([
    'own',
    'untrusted:content',
  ]);
  expect(labeller({ derive: false, labels: {} })(send)).toEqual([]);
});

test('after a private read, sending out falls under the rule in that conversation and no other [S2.27]', () => {
  const it = memory();
  expect(it.against(inSession('a'), send)).toEqual([]);
  it.note(inSession('a'), read);
  expect(it.against(inSession('a'), send)).toEqual([rule]);
  expect(it.against(inSession('a'), read)).toEqual([]);
  expect(it.against(inSession('b'), send)).toEqual([]);
  expect(it.against(inSession('a', { principal: ada }), send)).toEqual([]);
});

test('where there is no session the handle of the host counts, and without one everything the principal does', () => {
  const it = memory();
  const handle = (name: unknown): Call => aCall({ principal: bob, meta: { [conversationKey]: name as string } });
  it.note(handle('chat-1'), read);
  expect(it.against(handle('chat-1'), send)).toEqual([rule]);
  expect(it.against(handle('chat-2'), send)).toEqual([]);
  it.note(aCall({ principal: bob }), read);
  expect(it.against(aCall({ principal: bob }), send)).toEqual([rule]);
  for (const odd of [7, {}, 'x'.repeat(200)]) expect(it.against(handle(odd), send)).toEqual([rule]);
  const strict = memory({ conversations: 'principal' });
  strict.note(inSession('a'), read);
  expect(strict.against(inSession('b'), send)).toEqual([rule]);
});

test('a forbidding rule goes before one that asks', () => {
  const it = memory({ rules: [rule, { ...rule, id: 'never', action: 'deny' }] });
  it.note(inSession('a'), read);
  expect(it.against(inSession('a'), send).map(({ id }) => id)).toEqual(['never', 'private-then-out']);
});

test('what is remembered expires after the last call, and a reload of the rules does not forget it', () => {
  const kept = flowMemory();
  const it = memory({ memory: kept });
  it.note(inSession('a'), read);
  it.clock.advance(60_000);
  expect(it.against(inSession('a'), send)).toEqual([rule]);
  expect(memory({ memory: kept }).against(inSession('a'), send)).toEqual([rule]);
  it.clock.advance(1);
  expect(it.against(inSession('a'), send)).toEqual([]);
  expect(it.size()).toBe(0);
});

test('a caller that opens conversations without end stays bounded and cannot evict the labels of what was read', () => {
  const it = memory({ maxConversations: 5_000 });
  for (let index = 0; index < 1_500; index += 1) it.note(inSession(`s${index}`), read);
  expect(it.size()).toBeLessThanOrEqual(1_001);
  expect(it.against(inSession('s0'), send)).toEqual([rule]);
  expect(it.against(inSession('a new one'), send)).toEqual([rule]);
  const small = memory({ maxConversations: 10 });
  for (let index = 0; index < 50; index += 1)
    small.note(inSession('x', { principal: { ...bob, id: `p${index}` } }), read);
  expect(small.size()).toBe(10);
});

/** The flow guard over a record, as the gateway wires it. */
const guardOf = (it: Flows) => flow({ flows: it });

test('a call that ran is recorded, also if it failed or threw; a refusal before the tool is taken back', async () => {
  const ends: readonly (readonly [string, () => Promise<Outcome>, boolean])[] = [
    ['done', () => Promise.resolve(done('')), true],
    ['failed', () => Promise.resolve(refuse('timeout', '')), true],
    ['busy upstream', () => Promise.resolve(refuse('busy', 'of the source')), true],
    ['threw', () => Promise.reject(new Error('bug')), true],
    ['refused', () => Promise.resolve(refuseUnreached('busy', '')), false],
  ];
  for (const [name, run, isRecorded] of ends) {
    const it = memory();
    await guarded([guardOf(it)], run, read)(inSession(name)).catch(() => undefined);
    expect([name, it.against(inSession(name), send).length > 0]).toEqual([name, isRecorded]);
    expect(it.size()).toBe(isRecorded ? 1 : 0);
  }
});

test('the labels of a tool count while it still runs: progress may already hold what it read', async () => {
  const it = memory();
  const gate = deferred<Outcome>();
  const running = guarded([guardOf(it)], () => gate.promise, read)(inSession('a'));
  expect(it.against(inSession('a'), send)).toEqual([rule]);
  it.clock.advance(600_000);
  expect(it.against(inSession('a'), send)).toEqual([rule]);
  // A second call that is refused takes back its own label, not that of the first.
  await guarded([guardOf(it)], () => Promise.resolve(refuseUnreached('busy', '')), read)(inSession('a'));
  expect(it.against(inSession('a'), send)).toEqual([rule]);
  gate.resolve(done(''));
  await running;
  expect(it.against(inSession('a'), send)).toEqual([rule]);
});

test('harmless labels cannot crowd out the one a rule matches; others are not recorded at all', () => {
  const it = memory();
  for (let index = 0; index < 5_000; index += 1)
    it.note(inSession('a'), aTool({ name: `op${index}`, effects: { ...readOnly, labels: [`operation:${index}`] } }));
  expect(it.seen(inSession('a'))).toEqual([]);
  it.note(inSession('a'), read);
  expect(it.against(inSession('a'), send)).toEqual([rule]);
  expect(it.seen(inSession('a'))).toEqual(['reads:private']);
});

test('a conversation with more labels than are kept counts as having touched everything', () => {
  const it = memory({ readLabels: 'all' });
  for (let index = 0; index < 2_000; index += 1)
    it.note(inSession('a'), aTool({ name: `op${index}`, effects: { ...readOnly, labels: [`operation:${index}`] } }));
  expect(it.against(inSession('a'), send)).toEqual([rule]);
  expect(it.seen(inSession('a'))).toBeUndefined();
});

test.each<[string, readonly string[] | 'all']>([
  ['"reads:private" in session.labels', ['reads:private']],
  ['"a" in session.labels || !("b" in session.labels)', ['a', 'b']],
  ['session.labels.exists(l, l.startsWith("reads:"))', 'all'],
  ['size(session.labels) > 3', 'all'],
  ['tool.name in session.labels', 'all'],
  ['session.id == "x" && args.n == 1', []],
])('the labels that %s can depend on are known when it is compiled', (source, labels) => {
  expect(compileExpression(source)).toMatchObject({ ok: true, sessionLabels: labels });
});

test('what a conversation has touched outlives a restart where there is a store, and is written when it is new, not at every call [S2.27]', () => {
  const clock = handClock(1_000);
  const store = memoryStore({ now: clock });
  let writes = 0;
  const [before, after] = [flowMemory(), flowMemory()];
  before.keepIn({
    ...store,
    put: (...given) => {
      writes += 1;
      store.put(...given);
    },
  });
  const first = flows({
    rules: [rule],
    labelsOf,
    conversations: 'session',
    rememberMs: 60_000,
    maxConversations: 100,
    now: clock,
    memory: before,
  });
  for (let call = 0; call < 100; call += 1) first.note(inSession('a\ud800'), read);
  expect(writes).toBe(1);
  clock.advance(50_000);
  first.note(inSession('a\ud800'), read);
  expect(writes).toBe(2);
  clock.advance(20_000);
  after.keepIn(store);
  const second = flows({
    rules: [rule],
    labelsOf,
    conversations: 'session',
    rememberMs: 60_000,
    maxConversations: 100,
    now: clock,
    memory: after,
  });
  expect(second.against(inSession('a\ud800'), send)).toEqual([rule]);
  expect(second.against(inSession('b'), send)).toEqual([]);
  clock.advance(60_000);
  const third = flowMemory();
  third.keepIn(store);
  expect(third.size).toBe(0);
});

test('what is forgotten is forgotten in the store too', () => {
  const clock = handClock(1_000);
  const store = memoryStore({ now: clock });
  const kept = flowMemory();
  kept.keepIn(store);
  const it = flows({
    rules: [rule],
    labelsOf,
    conversations: 'session',
    rememberMs: 60_000,
    maxConversations: 3,
    now: clock,
    memory: kept,
  });
  for (const session of ['a', 'b', 'c', 'd', 'e']) it.note(inSession(session), read);
  expect(store.list('flows')).toHaveLength(3);
});
