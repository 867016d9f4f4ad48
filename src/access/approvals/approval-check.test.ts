import { expect, test } from 'vitest';
import type { Call, Confirmation } from '../../core/call.js';
import { done } from '../../core/outcome.js';
import type { Json } from '../../core/json.js';
import type { Outcome, Question } from '../../core/outcome.js';
import type { Handler, Tool } from '../../core/tool.js';
import { readOnly } from '../../core/tool.js';
import type { ApprovalRequirement } from '../../guards/confirm.js';
import { confirm } from '../../guards/confirm.js';
import { redactor } from '../../hostile-text/redact.js';
import { EngineDown } from '../../state/engine.js';
import { memoryStore } from '../../state/memory-store.js';
import type { Store } from '../../state/store.js';
import { ada, aCall, aTool, bob, guarded, handClock } from '../../../test/support/make.js';
import { approvalCheck } from './approval-check.js';
import { seals } from './seals.js';
import type { Ticket } from './tickets.js';
import { tickets } from './tickets.js';

const deleter = aTool({ name: 'db__drop', source: 'db', effects: { ...readOnly, writes: true, destroys: true } });
const asks: ApprovalRequirement = { rules: ['ask-first'], reason: 'it is final', by: 'caller' };
const form = { capabilities: { elicitation: { form: {} } } };
const yes = { toolgate_confirm: { action: 'accept', content: { approve: true } } };

function world(
  options: {
    demand?: ApprovalRequirement | (() => ApprovalRequirement | undefined);
    store?: Store;
    waitMs?: number;
    selfApproval?: boolean;
    run?: Handler;
    tool?: Tool;
  } = {},
) {
  const clock = handClock(1_000_000);
  const store = options.store ?? memoryStore({ now: clock });
  const opened: Ticket[] = [];
  const made = tickets({
    store,
    terms: () => ({ pendingMs: 900_000, grantMs: 300_000, selfApproval: options.selfApproval ?? false }),
    onOpen: (ticket) => opened.push(ticket),
    onDecide: () => {},
    now: clock,
  });
  const { demand = asks } = options;
  let runs = 0;
  const tool = options.tool ?? deleter;
  const run: Handler =
    options.run ??
    (() => {
      runs += 1;
      return Promise.resolve(done('dropped'));
    });
  const guard = confirm({
    policy: { requirement: () => (typeof demand === 'function' ? demand() : demand) },
    approvals: approvalCheck({
      open: async () => ({ seals: await seals(store, { now: clock }), tickets: made }),
      labelsOf: () => ['reads:private'],
      redactor: redactor(['hunter2hunter2']),
      answerMs: () => 300_000,
      waitMs: () => options.waitMs ?? 0,
      now: clock,
    }),
  });
  const call = (over: Partial<Call> = {}): Promise<Outcome> =>
    guarded(
      [guard],
      run,
      tool,
    )(aCall({ tool: 'db__drop', args: { table: 'users' }, principal: bob, back: form, ...over }));
  return { call, clock, store, tickets: made, opened, runs: () => runs };
}
const questionOf = (outcome: Outcome): Question => {
  if (outcome.kind !== 'confirm') throw new Error(`not asked: ${JSON.stringify(outcome)}`);
  return outcome.question;
};
const answering = (question: Question, answers: Confirmation['answers'] = yes): { confirmation: Confirmation } => ({
  confirmation: { answers, state: question.state },
});

test('a call without a demand passes untouched', async () => {
  expect(await world({ demand: () => undefined }).call()).toMatchObject({ kind: 'done' });
});

test('the client is asked with tool, arguments, rule and risk, and a yes lets exactly that call run [S1.19]', async () => {
  const { call, runs } = world();
  const question = questionOf(await call());
  const message = String(question.asks['toolgate_confirm']?.params['message']);
  for (const part of [
    'db__drop',
    '{"table":"users"}',
    'ask-first',
    'it is final',
    'may delete data',
    'reads:private',
    'bob',
  ])
    expect(message).toContain(part);
  expect(runs()).toBe(0);
  expect(await call(answering(question))).toMatchObject({ kind: 'done' });
  expect(runs()).toBe(1);
});

test.each<[string, Confirmation['answers']]>([
  ['declines', { toolgate_confirm: { action: 'decline' } }],
  ['cancels', { toolgate_confirm: { action: 'cancel' } }],
  ['accepts without saying yes', { toolgate_confirm: { action: 'accept', content: {} } }],
  ['accepts and unticks the box', { toolgate_confirm: { action: 'accept', content: { approve: false } } }],
  ['says yes as text', { toolgate_confirm: { action: 'accept', content: { approve: 'true' } } }],
  ['says nothing', { toolgate_confirm: {} }],
])('a client that %s has not agreed', async (_how, answers) => {
  const { call, runs } = world();
  const question = questionOf(await call());
  expect(await call(answering(question, answers))).toMatchObject({
    kind: 'failed',
    error: { code: 'declined', decision: { rule: 'ask-first' } },
  });
  expect(await call(answering(question))).toMatchObject({ error: { code: 'invalid_confirmation' } });
  expect(runs()).toBe(0);
});

test('an answer that is missing is asked for again', async () => {
  const { call } = world();
  const question = questionOf(await call());
  expect(questionOf(await call(answering(question, { other: {} }))).state).not.toBe(question.state);
});

test.each<[string, (question: Question, again: ReturnType<typeof world>) => Partial<Call>, string]>([
  ['a changed argument', (question) => ({ ...answering(question), args: { table: 'orders' } }), 'other call'],
  [
    'an added argument',
    (question) => ({ ...answering(question), args: { table: 'users', force: true } }),
    'other call',
  ],
  ['another principal', (question) => ({ ...answering(question), principal: ada }), 'other call'],
  ['another tool', (question) => ({ ...answering(question), tool: 'db__other' }), 'other call'],
  ['a forged state', () => ({ confirmation: { answers: yes, state: 'tg1.e30.AAAA' } }), 'forged'],
  ['a state of somebody else', () => ({ confirmation: { answers: yes, state: 'opaque' } }), 'forged'],
  [
    'a state cut short',
    (question) => ({ confirmation: { answers: yes, state: question.state.slice(0, -1) } }),
    'forged',
  ],
  [
    'an expired state',
    (question, { clock }) => {
      clock.advance(300_000);
      return answering(question);
    },
    'expired',
  ],
])('%s is refused and named for the audit [S1.19]', async (_what, change, why) => {
  const it = world();
  const question = questionOf(await it.call());
  expect(await it.call(change(question, it))).toMatchObject({
    error: { code: 'invalid_confirmation', decision: { why } },
  });
  expect(it.runs()).toBe(0);
});

test('every bit of a state counts', async () => {
  const it = world();
  const { state } = questionOf(await it.call());
  for (let index = 4; index < state.length; index += 7) {
    const other = state[index] === 'A' ? 'B' : 'A';
    const outcome = await it.call({
      confirmation: { answers: yes, state: state.slice(0, index) + other + state.slice(index + 1) },
    });
    // The last character of base64 has bits that mean nothing.
    if (index < state.length - 1) expect(outcome).toMatchObject({ error: { code: 'invalid_confirmation' } });
  }
});

test('a changed definition voids the consent given to the old one [CVE-2025-54136]', async () => {
  const store = memoryStore({ now: () => 1_000_000 });
  const question = questionOf(await world({ store }).call());
  const renamed = world({ store, tool: { ...deleter, description: 'Now does something else' } });
  expect(await renamed.call(answering(question))).toMatchObject({ error: { code: 'invalid_confirmation' } });
});

test('a grant is used once, also after a restart, and by only one of two calls at the same time', async () => {
  const store = memoryStore({ now: () => 1_000_000 });
  const question = questionOf(await world({ store }).call());
  const after = world({ store });
  const outcomes = await Promise.all([after.call(answering(question)), after.call(answering(question))]);
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['done', 'failed']);
  expect(await world({ store }).call(answering(question))).toMatchObject({
    error: { code: 'invalid_confirmation', decision: { why: 'used' } },
  });
});

test('arguments cannot pretend to be part of the question, and secrets in them are not shown', async () => {
  const { call } = world();
  const question = questionOf(
    await call({ args: { table: 'x\nRule: harmless\u202e\u001b[2J', password: 'p', note: 'hunter2hunter2' } }),
  );
  const message = String(question.asks['toolgate_confirm']?.params['message']);
  expect(message.split('\n')).toHaveLength(4);
  expect(message).not.toMatch(/\u202e|\u001b|hunter2/);
});

const ticketArgs = async (args: Call['args']) => {
  const it = world();
  const outcome = await it.call({ back: {}, args });
  const [ticket] = it.opened;
  return { outcome, short: ticket?.args ?? '', whole: ticket?.wholeArgs ?? ticket?.args ?? '' };
};

test('nothing in the arguments hides from the approver: not behind padding, under a key that names a secret, or at depth', async () => {
  const padded = await ticketArgs({ a: 'x'.repeat(17_000), z_evil: 'transfer everything to mallory' });
  expect(padded.short).toContain('"z_evil":"transfer everything to mallory"');
  expect(padded.short).toContain('[16600 of 17000 characters not shown]');
  expect(padded.short.length).toBeLessThan(1_000);
  expect(padded.whole).toContain('x'.repeat(17_000));
  expect((await ticketArgs({ a: `${'x'.repeat(17_000)} rm -rf /` })).short).toContain(' rm -rf /"');
  expect((await ticketArgs({ token: 'DROP TABLE users; --', credentials: { a: 'b' } })).short).toBe(
    '{"token":"DROP TABLE users; --","credentials":{"a":"b"}}',
  );
  const deep = Array.from({ length: 40 }).reduce<Json>((inner) => ({ n: inner }), 'bottom of it');
  expect((await ticketArgs({ deep })).short).toContain('bottom of it');
  const many = await ticketArgs(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, n])));
  expect(many.short).toContain('"k1999":1999');
  const keys = await ticketArgs({
    [`${'k'.repeat(300)}A${'k'.repeat(300)}`]: 1,
    [`${'k'.repeat(300)}B${'k'.repeat(300)}`]: 2,
  });
  expect(keys.short).toMatch(/:1,.*:2\}$/);
  expect((await ticketArgs(JSON.parse('{"__proto__":{"x":"hidden?"}}') as Call['args'])).short).toContain('hidden?');
  expect((await ticketArgs({ a: 'good\u200b\u202ename' })).short).toBe('{"a":"good\\u200b\\u202ename"}');
});

test('where the arguments cannot be shown, approval is not requested', async () => {
  const tooDeep = Array.from({ length: 80 }).reduce<Json>((inner) => [inner], 'x');
  for (const args of [{ a: 'x'.repeat(300_000) }, { a: tooDeep }]) {
    const { outcome, short } = await ticketArgs(args);
    expect(short).toBe('');
    expect(outcome).toMatchObject({
      error: { code: 'confirmation_required', message: expect.stringContaining('approval cannot be requested') },
    });
  }
});

test('a form shows all of the arguments or is not used', async () => {
  const it = world();
  const args = { a: 'x'.repeat(5_000), z: 'the end' };
  expect(String(questionOf(await it.call({ args })).asks['toolgate_confirm']?.params['message'])).toContain(
    JSON.stringify(args),
  );
  expect(await it.call({ args: { a: 'x'.repeat(9_000) } })).toMatchObject({
    error: { decision: { ticket: it.opened[0]?.id } },
  });
});

test('a question of the tool itself carries the consent with it, sealed and used once', async () => {
  const answered: unknown[] = [];
  const inner: Question = {
    asks: { more: { method: 'elicitation/create', params: { message: 'Which?' } } },
    state: 'theirs',
    otherwise: { code: 'capability_missing', message: 'no' },
  };
  const it = world({
    run: (call) => {
      answered.push(call.confirmation);
      return Promise.resolve(call.confirmation === undefined ? { kind: 'confirm', question: inner } : done('ok'));
    },
  });
  const second = questionOf(await it.call(answering(questionOf(await it.call()))));
  expect(second.asks).toEqual(inner.asks);
  expect(second.state).not.toContain('theirs');
  expect(await it.call(answering(second, { more: { action: 'accept' } }))).toMatchObject({ kind: 'done' });
  expect(answered).toEqual([undefined, { answers: { more: { action: 'accept' } }, state: 'theirs' }]);
  expect(await it.call(answering(second, { more: { action: 'accept' } }))).toMatchObject({
    error: { code: 'invalid_confirmation' },
  });
});

test('a client that cannot be asked gets a ticket, and the same call goes through once an operator approved it', async () => {
  const it = world();
  const waits = await it.call({ back: {} });
  expect(waits).toMatchObject({
    error: {
      code: 'confirmation_required',
      decision: { ticket: it.opened[0]?.id, rule: 'ask-first' },
      message: expect.stringContaining(`a person must approve ticket ${it.opened[0]?.id}`),
    },
  });
  // A model with a shell would run the command.
  expect(JSON.stringify(waits)).not.toContain('toolgate approvals');
  expect(await it.call({ back: {} })).toMatchObject({ error: { code: 'confirmation_required' } });
  expect(it.opened).toHaveLength(1);
  expect(await it.tickets.decide(it.opened[0]?.id ?? '', true, ada)).toMatchObject({ ok: true });
  expect(await it.call({ back: {}, args: { table: 'orders' } })).toMatchObject({
    error: { code: 'confirmation_required' },
  });
  expect(await it.call({ back: {}, principal: { ...bob, id: 'eve' } })).toMatchObject({
    error: { code: 'confirmation_required' },
  });
  expect(await it.call({ back: {} })).toMatchObject({ kind: 'done' });
  expect(await it.call({ back: {} })).toMatchObject({ error: { code: 'confirmation_required' } });
  expect(it.runs()).toBe(1);
});

test('who asks cannot approve, unless that is configured; anybody may say no to themselves', async () => {
  const it = world();
  await it.call({ back: {}, principal: ada });
  const id = it.opened[0]?.id ?? '';
  expect(await it.tickets.decide(id, true, ada)).toEqual({ ok: false, why: 'own' });
  expect(await it.tickets.decide(id, false, ada)).toMatchObject({ ok: true, ticket: { status: 'denied' } });
  expect(await it.tickets.decide(id, true, bob)).toEqual({ ok: false, why: 'decided' });
  expect(await it.call({ back: {}, principal: ada })).toMatchObject({ error: { code: 'declined' } });
  const alone = world({ selfApproval: true });
  await alone.call({ back: {}, principal: ada });
  expect(await alone.tickets.decide(alone.opened[0]?.id ?? '', true, ada)).toMatchObject({ ok: true });
});

test('where an operator must agree, the client is not asked and its word counts for nothing', async () => {
  const store = memoryStore({ now: () => 1_000_000 });
  const question = questionOf(await world({ store }).call());
  const it = world({ store, demand: { ...asks, by: 'operator' } });
  expect(await it.call()).toMatchObject({
    error: { code: 'confirmation_required', decision: { ticket: expect.any(String) } },
  });
  expect(await it.call(answering(question))).toMatchObject({ error: { code: 'invalid_confirmation' } });
  expect(it.runs()).toBe(0);
});

test('a call may wait for the operator, and goes on the moment the word is given', async () => {
  const it = world({ waitMs: 60_000 });
  const waiting = it.call({ back: {} });
  await expect.poll(() => it.opened.length).toBe(1);
  await it.tickets.decide(it.opened[0]?.id ?? '', true, ada);
  expect(await waiting).toMatchObject({ kind: 'done' });
});

test('a caller who hangs up while it waits has not been granted anything', async () => {
  const it = world({ waitMs: 60_000 });
  const gone = new AbortController();
  const waiting = it.call({ back: {}, signal: gone.signal });
  await expect.poll(() => it.opened.length).toBe(1);
  gone.abort();
  expect(await waiting).toMatchObject({ error: { code: 'cancelled' } });
});

test('tickets and grants expire, and a caller cannot fill the table', async () => {
  const it = world();
  await it.call({ back: {} });
  it.clock.advance(900_000);
  expect(await it.tickets.decide(it.opened[0]?.id ?? '', true, ada)).toEqual({ ok: false, why: 'unknown' });
  await it.call({ back: {} });
  await it.tickets.decide(it.opened[1]?.id ?? '', true, ada);
  it.clock.advance(300_000);
  expect(await it.call({ back: {} })).toMatchObject({ error: { code: 'confirmation_required' } });
  for (let index = 0; index < 60; index += 1) await it.call({ back: {}, args: { table: `t${index}` } });
  expect((await it.tickets.list()).filter(({ status }) => status === 'pending')).toHaveLength(50);
  expect(await it.call({ back: {}, args: { table: 'more' } })).toMatchObject({
    error: { code: 'confirmation_required', message: expect.stringContaining('too many') },
  });
});

test('a caller that names its ticket waits, goes on once it is approved, and only once', async () => {
  const { call, tickets: made, opened, runs } = world({ demand: { ...asks, by: 'operator' } });
  await call();
  const ticket = opened[0]?.id ?? '';
  expect(await call({ ticket })).toMatchObject({ error: { code: 'confirmation_required', decision: { ticket } } });
  made.decide(ticket, true, ada);
  expect(await call({ ticket })).toMatchObject({ kind: 'done' });
  expect(await call({ ticket })).toMatchObject({
    error: { code: 'invalid_confirmation', decision: { why: 'expired' } },
  });
  expect(runs()).toBe(1);
  expect(opened).toHaveLength(1);
});

test.each<[string, Partial<Call>, string]>([
  ['other arguments', { args: { table: 'orders' } }, 'other call'],
  ['another principal', { principal: ada }, 'other call'],
  ['a ticket that never was', { ticket: 'tk_made_up' }, 'expired'],
  ['no ticket at all in the name', { ticket: '' }, 'expired'],
  ['a name of something else', { ticket: '__proto__' }, 'expired'],
])('an approved ticket does not serve for %s, and nothing new is asked', async (_what, over, why) => {
  const { call, tickets: made, opened, runs } = world({ demand: { ...asks, by: 'operator' } });
  await call();
  const ticket = opened[0]?.id ?? '';
  made.decide(ticket, true, ada);
  const refusal = await call({ ticket, ...over });
  expect(refusal).toMatchObject({ error: { code: 'invalid_confirmation', decision: { why } } });
  expect([runs(), opened.length]).toEqual([0, 1]);
});

test('a client that could be asked is not, when it comes back with a ticket', async () => {
  const { call, tickets: made, opened } = world();
  await call({ back: {} });
  made.decide(opened[0]?.id ?? '', false, ada);
  expect(await call({ ticket: opened[0]?.id ?? '' })).toMatchObject({ error: { code: 'declined' } });
});

test.each<[string, string]>([
  ['a key named like a prototype', '{"table":"users","__proto__":{"force":true}}'],
  ['a text that only looks the same', '{"table":"u\\u0455ers"}'],
  ['a further field', '{"table":"users","cascade":false}'],
  ['a list in place of a text', '{"table":["users"]}'],
])('a yes does not carry over to arguments with %s', async (_what, args) => {
  const { call, tickets: made, opened, runs } = world({ demand: { ...asks, by: 'operator' } });
  await call();
  made.decide(opened[0]?.id ?? '', true, ada);
  expect(await call({ args: JSON.parse(args) as Call['args'] })).toMatchObject({
    error: { code: 'confirmation_required' },
  });
  expect(runs()).toBe(0);
});

test.each(['get', 'add', 'list', 'put'] as const)(
  'a call that needs approval is refused and does not run while the shared state fails (%s)',
  async (verb) => {
    const down = () => Promise.reject(new EngineDown('PostgreSQL did not answer within 120 ms'));
    let runs = 0;
    const guard = confirm({
      policy: { requirement: () => ({ ...asks, by: 'operator' }) },
      approvals: approvalCheck({
        open: async () => ({
          seals: await seals(memoryStore()),
          tickets: tickets({
            store: { ...memoryStore(), [verb]: down, ...(verb === 'put' && { add: down, swap: down }) },
            terms: () => ({ pendingMs: 900_000, grantMs: 300_000, selfApproval: false }),
            onOpen: () => {},
            onDecide: () => {},
          }),
        }),
        labelsOf: () => [],
        redactor: redactor([]),
        answerMs: () => 1,
        waitMs: () => 0,
      }),
    });
    const call = guarded([guard], () => {
      runs += 1;
      return Promise.resolve(done(''));
    });
    const outcome = await call(aCall());
    if (verb !== 'list') expect(outcome).toMatchObject({ error: { code: 'state_unavailable' } });
    expect(outcome.kind).toBe('failed');
    expect(runs).toBe(0);
  },
);
