import { expect, test } from 'vitest';
import { aCall, bob } from '../../../../test/support/make.js';
import { aReplica, sourcePeers, twoReplicas } from '../../../../test/support/peers.js';
import { aPlugin, callTool } from '../../../../test/support/upstream.js';
import type { PeerNetwork } from '../../../cluster/peer/peers.js';
import type { Json } from '../../../core/json.js';
import { memoryStore } from '../../../state/memory-store.js';

const back = { capabilities: { elicitation: { form: {} } } };
const colour = { action: 'accept', content: { colour: 'blue' } };
const sourceAt = (network: PeerNetwork, era: 'legacy' | 'modern' = 'legacy') =>
  aPlugin({ args: ['--era', era], source: { peers: sourcePeers(network) } });

type Source = ReturnType<typeof sourceAt>;

async function asked(source: Source, tool = 'fix__ask') {
  const outcome = await callTool(source, tool, {}, { back });
  if (outcome.kind !== 'confirm') throw new Error(`not asked: ${JSON.stringify(outcome)}`);
  const [key = ''] = Object.keys(outcome.question.asks);
  return { state: outcome.question.state, answers: { [key]: colour } };
}
const text = (outcome: unknown): string => JSON.stringify(outcome);
const refused = { error: { code: 'invalid_confirmation' } };

test.each(['legacy', 'modern'] as const)(
  'a question of a %s server is answered through another replica',
  async (era) => {
    const [a, b] = (await twoReplicas()).map((network) => sourceAt(network, era));
    if (!a || !b) throw new Error('two replicas');
    const confirmation = await asked(a);
    expect(text(await callTool(b, 'fix__ask', {}, { back, confirmation }))).toContain('blue');
    // The server of the other replica was started for its list, and the call ran where it began.
    if (era === 'legacy') expect(await callTool(a, 'fix__ask', {}, { back, confirmation })).toMatchObject(refused);
  },
);

test('several questions in a row may each be answered through another replica', async () => {
  const [a, b] = (await twoReplicas()).map((network) => sourceAt(network));
  if (!a || !b) throw new Error('two replicas');
  const confirmation = await asked(a, 'fix__twice');
  const next = await callTool(b, 'fix__twice', {}, { back, confirmation });
  if (next.kind !== 'confirm') throw new Error('not asked again');
  const [key = ''] = Object.keys(next.question.asks);
  const last = { state: next.question.state, answers: { [key]: colour } };
  expect(await callTool(b, 'fix__twice', {}, { back, confirmation: last })).toMatchObject({ kind: 'done' });
});

test('an answer counts for its own caller, call and source only, on every replica', async () => {
  const [a, b] = (await twoReplicas()).map((network) => sourceAt(network));
  if (!a || !b) throw new Error('two replicas');
  const confirmation = await asked(a);
  expect(await callTool(b, 'fix__ask', {}, { back, principal: bob, confirmation })).toMatchObject(refused);
  expect(await callTool(b, 'fix__ask', { other: 1 }, { back, confirmation })).toMatchObject(refused);
  expect(text(await callTool(b, 'fix__ask', {}, { back, confirmation }))).toContain('blue');
});

test('an answer for a replica that is gone is refused', async () => {
  const store = memoryStore();
  const [first, second] = [await aReplica('a', { store }), await aReplica('b', { store })];
  const [a, b] = [sourceAt(first), sourceAt(second)];
  const confirmation = await asked(a);
  await first.close();
  expect(await callTool(b, 'fix__ask', {}, { back, confirmation })).toMatchObject(refused);
});

test('progress of a call that another replica runs reaches its caller', async () => {
  const [a, b] = await twoReplicas();
  const source = sourceAt(b);
  await source.list(new AbortController().signal);
  const seen: Json[] = [];
  const { forwardCall } = await import('./peer-calls.js');
  const call = aCall({ back: { progress: ({ progress }) => seen.push(progress) } });
  const answer = await forwardCall(a, 'fix', 'b', call, {
    method: 'tools/call',
    params: { name: 'slow', arguments: {} },
    toOutcome: () => ({ kind: 'done', content: [] }),
  });
  expect(answer).toMatchObject({ ok: true, body: { kind: 'done' } });
  expect(seen).toEqual([1, 2, 3]);
});
