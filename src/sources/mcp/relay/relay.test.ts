import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/json.js';
import { aCall, ada, bob, never } from '../../../../test/support/make.js';
import { served } from '../../../../test/support/mcp.js';
import type { Loose } from '../../../../test/support/mcp.js';
import { eventually } from '../../../../test/support/processes.js';
import { aPlugin, callTool, saidJson } from '../../../../test/support/upstream.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const colour = { action: 'accept', content: { colour: 'blue' } };
const canBeAsked: JsonObject = { elicitation: { form: {} }, sampling: {}, roots: {} };

async function gateOver(era: 'legacy' | 'modern') {
  const source = aPlugin({ args: ['--era', era] });
  const gate = await served([source]);
  closers.push(gate.close);
  return { gate, source };
}
type Gate = Awaited<ReturnType<typeof gateOver>>['gate'];

/** A client of 2025 that answers what it is asked. */
async function legacyClient(gate: Gate, answers: Readonly<Record<string, JsonObject>>) {
  const asked: Loose[] = [];
  const session = await gate.session('2025-11-25', canBeAsked);
  const call = async (name: string): Promise<Loose> => {
    const answer = await session.call('tools/call', { name, arguments: {} }, (message) => {
      if (message.method === undefined || message.id === undefined) return;
      asked.push(message);
      void session.send({ jsonrpc: '2.0', id: message.id, result: answers[message.method] });
    });
    return answer.json;
  };
  return { asked, call };
}

/** A client of 2026 that answers what it is asked by calling again. */
async function modernCall(
  gate: Gate,
  name: string,
  answer: (ask: Loose) => JsonObject,
): Promise<{ readonly asked: Loose[]; readonly json: Loose }> {
  const asked: Loose[] = [];
  let params: JsonObject = { name, arguments: {} };
  for (;;) {
    const { json } = await gate.modern('tools/call', params, { capabilities: canBeAsked });
    if (json.result?.resultType !== 'input_required') return { asked, json };
    const requests: [string, Loose][] = Object.entries(json.result.inputRequests);
    asked.push(...requests.map(([, ask]) => ask));
    params = {
      name,
      arguments: {},
      inputResponses: Object.fromEntries(requests.map(([key, ask]) => [key, answer(ask)])),
      requestState: json.result.requestState,
    };
  }
}

const textOf = (json: Loose): string => json.result.content[0].text;

describe.each(['legacy', 'modern'] as const)('a question of a %s server', (era) => {
  test('reaches a legacy client and its answer comes back', async () => {
    const { gate } = await gateOver(era);
    const client = await legacyClient(gate, { 'elicitation/create': colour });
    expect(textOf(await client.call('fix__ask'))).toContain('"colour":"blue"');
    expect(client.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Which colour?' } }]);
  });

  test('reaches a modern client and its answer comes back', async () => {
    const { gate } = await gateOver(era);
    const { asked, json } = await modernCall(gate, 'fix__ask', () => colour);
    expect(textOf(json)).toContain('"colour":"blue"');
    if (era === 'modern') expect(textOf(json)).toContain('"state":"opaque-1"');
    expect(asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Which colour?' } }]);
  });

  test('is refused in words where the client cannot be asked', async () => {
    const { gate } = await gateOver(era);
    const { json } = await gate.modern('tools/call', { name: 'fix__ask', arguments: {} });
    if (era === 'modern')
      expect(json.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } });
    else expect(textOf(json)).toContain('No call is in flight whose client could answer');
  });
});

test.each([
  ['fix__sample', 'sampling/createMessage', { role: 'assistant', model: 'm', content: { type: 'text', text: 'well' } }],
  ['fix__roots', 'roots/list', { roots: [{ uri: 'file:///home' }] }],
])('%s of an older server is put to clients of both eras', async (name, method, answer) => {
  const { gate } = await gateOver('legacy');
  const client = await legacyClient(gate, { [method]: answer });
  expect(JSON.parse(textOf(await client.call(name)))).toEqual(answer);
  const { asked, json } = await modernCall(gate, name, () => answer);
  expect(JSON.parse(textOf(json))).toEqual(answer);
  expect(asked).toMatchObject([{ method }]);
});

test('an error that a tool reports reaches the client once and unchanged', async () => {
  const { gate } = await gateOver('modern');
  const { json } = await gate.modern('tools/call', { name: 'fix__error', arguments: {} });
  expect(json.result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'it broke' }] });
  expect(json.result.content.length).toBe(1);
});

test('two questions in a row are two rounds', async () => {
  const { gate } = await gateOver('legacy');
  let round = 0;
  const { asked, json } = await modernCall(gate, 'fix__twice', () => ({
    action: 'accept',
    content: { round: (round += 1) },
  }));
  expect(asked.map(({ params }) => params.message)).toEqual(['One?', 'Two?']);
  expect(JSON.parse(textOf(json))).toEqual([
    { action: 'accept', content: { round: 1 } },
    { action: 'accept', content: { round: 2 } },
  ]);
});

describe('a parked call', () => {
  const back = { capabilities: canBeAsked };
  const parked = async (over: Parameters<typeof aPlugin>[0] = {}) => {
    const source = aPlugin(over);
    const outcome = await callTool(source, 'fix__ask', {}, { back });
    if (outcome.kind !== 'confirm') throw new Error('not asked');
    const [key = ''] = Object.keys(outcome.question.asks);
    return { source, state: outcome.question.state, answers: { [key]: colour } };
  };

  test('is answered once, by its own caller, for its own arguments', async () => {
    const { source, state, answers } = await parked();
    const confirmation = { state, answers };
    const refused = { error: { code: 'invalid_confirmation' } };
    expect(await callTool(source, 'fix__ask', {}, { back, principal: bob, confirmation })).toMatchObject(refused);
    expect(await callTool(source, 'fix__ask', { other: true }, { back, confirmation })).toMatchObject(refused);
    expect(await callTool(source, 'fix__twice', {}, { back, confirmation })).toMatchObject(refused);
    expect(
      await callTool(
        source,
        'fix__ask',
        {},
        { back, confirmation: { ...confirmation, state: `${state.slice(0, -4)}AAAA` } },
      ),
    ).toMatchObject(refused);
    expect(saidJson(await callTool(source, 'fix__ask', {}, { back, principal: ada, confirmation }))).toEqual(colour);
    expect(await callTool(source, 'fix__ask', {}, { back, confirmation })).toMatchObject(refused);
  });

  test('asks again where an answer is missing', async () => {
    const { source, state, answers } = await parked();
    const again = await callTool(source, 'fix__ask', {}, { back, confirmation: { state, answers: {} } });
    if (again.kind !== 'confirm') throw new Error('not asked again');
    expect(
      saidJson(
        await callTool(source, 'fix__ask', {}, { back, confirmation: { state: again.question.state, answers } }),
      ),
    ).toEqual(colour);
  });

  test('expires, and its server is notified', async () => {
    const { source, state, answers } = await parked({ source: { pendingCallLimits: { ttlMs: 20 } } });
    await eventually(
      async () => callTool(source, 'fix__ask', {}, { back, confirmation: { state, answers: {} } }),
      (outcome) => JSON.stringify(outcome).includes('invalid_confirmation'),
    );
    expect(await callTool(source, 'fix__ask', {}, { back, confirmation: { state, answers } })).toMatchObject({
      error: { code: 'invalid_confirmation' },
    });
  });

  test('leaves no more room than there is', async () => {
    const source = aPlugin({ source: { pendingCallLimits: { maxPerPrincipal: 2 }, sharing: 'session' } });
    const tool = (await source.list(never)).find(({ name }) => name === 'fix__ask');
    const outcomes = [];
    for (const session of ['a', 'b', 'c']) outcomes.push(await tool?.run(aCall({ back, session, timeoutMs: 15_000 })));
    expect(outcomes.map((outcome) => (outcome?.kind === 'failed' ? outcome.error.code : outcome?.kind))).toEqual([
      'confirm',
      'confirm',
      'busy',
    ]);
  });
});
