import { expect, test } from 'vitest';
import type { Call } from '../../../core/call.js';
import type { Guard } from '../../../core/guard.js';
import { done, refuse } from '../../../core/outcome.js';
import type { Ask, Outcome } from '../../../core/outcome.js';
import { aTool } from '../../../../test/support/make.js';
import { aDoor, piped, sourceOf } from '../../../../test/support/mcp.js';
import type { Loose } from '../../../../test/support/mcp.js';

const form: Ask = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Delete?',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  },
};

/** Asks before every call, as the confirm guard will. */
const asks: Guard = (_tool, next) => async (call) => {
  const answer = call.confirmation?.answers['confirm'];
  if (call.confirmation && call.confirmation.state !== 'sealed')
    return refuse('invalid_confirmation', 'Not the state that was given');
  if (answer?.['action'] === 'accept') return next(call);
  if (answer) return refuse('policy_denied', 'The person said no');
  return {
    kind: 'confirm',
    question: {
      asks: { confirm: form },
      state: 'sealed',
      otherwise: { code: 'confirmation_required', message: 'Ask an operator for ticket 7' },
    },
  };
};
const accept = { action: 'accept', content: { ok: true } };

test('a modern client is asked by the result and answers with its second try', async () => {
  const { modern } = await aDoor([sourceOf([aTool()])], { confirm: asks });
  const capabilities = { elicitation: {} };
  const params = { name: 'echo', arguments: { text: 'x' } };
  const first = (await modern('tools/call', params, { capabilities })).json.result;
  expect(first).toMatchObject({
    resultType: 'input_required',
    requestState: 'sealed',
    inputRequests: { confirm: form },
  });
  const again = (more: object) => modern('tools/call', { ...params, ...more }, { capabilities });
  expect(
    (await again({ requestState: 'sealed', inputResponses: { confirm: accept } })).json.result.content[0].text,
  ).toBe('x');
  expect(
    (await again({ requestState: 'sealed', inputResponses: { confirm: { action: 'decline' } } })).json.result,
  ).toMatchObject({ isError: true });
  expect((await again({ requestState: 'forged', inputResponses: { confirm: accept } })).json.error.code).toBe(-32602);
  expect((await again({ requestState: 'sealed', inputResponses: { other: accept } })).json.result.resultType).toBe(
    'input_required',
  );
  for (const wrong of [{ requestState: 7 }, { inputResponses: [] }, { inputResponses: { confirm: 'yes' } }])
    expect((await again(wrong)).json.error.code).toBe(-32602);
});

test('a client that cannot be asked is pointed to the other way', async () => {
  const { modern, session } = await aDoor([sourceOf([aTool()])], { confirm: asks });
  const { call } = await session();
  for (const ask of [modern, call]) {
    const { result } = (await ask('tools/call', { name: 'echo' })).json;
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('ticket 7');
  }
});

const needy = aTool({
  run: async (call: Call): Promise<Outcome> =>
    call.confirmation
      ? done('thanks')
      : {
          kind: 'confirm',
          question: {
            asks: { a: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } },
            state: '',
            otherwise: { code: 'capability_missing', message: 'Sampling is needed' },
          },
        },
});

test('where nothing else helps, a modern client learns what it would have had to declare; a legacy one reads it', async () => {
  const { modern, session } = await aDoor([sourceOf([needy])]);
  const { status, json } = await modern('tools/call', { name: 'echo' });
  expect([status, json.error.code, json.error.data]).toEqual([400, -32021, { requiredCapabilities: { sampling: {} } }]);
  const { call } = await session();
  expect((await call('tools/call', { name: 'echo' })).json.result).toMatchObject({ isError: true });
});

test.each(['2025-11-25', '2025-06-18'])('a client of %s is asked while it waits', async (version) => {
  const { session } = await aDoor([sourceOf([aTool()])], { confirm: asks });
  const { call, send } = await session(version, { elicitation: {} });
  const asked: Loose[] = [];
  const answer = (reply: object) => (message: Loose) => {
    if (message.method !== 'elicitation/create') return;
    asked.push(message);
    void send({ jsonrpc: '2.0', id: message.id, ...reply });
  };
  expect(
    (await call('tools/call', { name: 'echo', arguments: { text: 'x' } }, answer({ result: accept }))).json.result
      .content[0].text,
  ).toBe('x');
  expect(asked[0].params.mode).toBe(version === '2025-11-25' ? 'form' : undefined);
  expect(
    (await call('tools/call', { name: 'echo' }, answer({ result: { action: 'decline' } }))).json.result.isError,
  ).toBe(true);
  expect(
    (await call('tools/call', { name: 'echo' }, answer({ error: { code: -1, message: 'no' } }))).json.result.isError,
  ).toBe(true);
});

test('a client from before elicitation is never asked, whatever it declares', async () => {
  const { session } = await aDoor([sourceOf([aTool()])], { confirm: asks });
  const { call } = await session('2025-03-26', { elicitation: {} });
  const { messages } = await call('tools/call', { name: 'echo' });
  expect(messages).toHaveLength(1);
  expect(messages[0].result.isError).toBe(true);
});

test('no session can answer for another session', async () => {
  const { session } = await aDoor([sourceOf([aTool()])], { confirm: asks });
  const [victim, thief] = [
    await session('2025-11-25', { elicitation: {} }),
    await session('2025-11-25', { elicitation: {} }),
  ];
  let tried = false;
  const { json } = await victim.call('tools/call', { name: 'echo' }, (message) => {
    if (message.method !== 'elicitation/create') return;
    void thief.send({ jsonrpc: '2.0', id: message.id, result: accept }).then(() => {
      tried = true;
      return victim.send({ jsonrpc: '2.0', id: message.id, result: { action: 'decline' } });
    });
  });
  expect(tried).toBe(true);
  expect(json.result.isError).toBe(true);
});

test('over a pipe both eras are asked in their own way', async () => {
  const pipe = await piped([sourceOf([aTool()])], { confirm: asks });
  expect((await pipe.modern('tools/call', { name: 'echo' }, { elicitation: {} })).result.resultType).toBe(
    'input_required',
  );
  await pipe.initialize('2025-11-25', { elicitation: {} });
  const answer = pipe.call('tools/call', { name: 'echo', arguments: { text: 'x' } });
  const asked = await pipe.seen((message) => message.method === 'elicitation/create');
  pipe.write({ jsonrpc: '2.0', id: asked.id, result: accept });
  expect((await answer).result.content[0].text).toBe('x');
});
