import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { aTool, deferred } from '../../../../test/support/make.js';
import { aDoor, sourceOf, type Loose } from '../../../../test/support/mcp.js';
import type { Json } from '../../../core/json.js';
import type { Guard } from '../../../core/guard.js';
import { done, refuse } from '../../../core/outcome.js';
import type { Tool } from '../../../core/tool.js';
import { keyRing } from '../../../lib/key-ring.js';
import { memoryStore } from '../../../state/memory-store.js';
import { sessionVault } from './session-vault.js';

/** Replicas that share sessions, joined by a bus in memory. */
async function replicas(tool: Tool, confirm?: Guard) {
  const keys = keyRing([randomBytes(32)]);
  const store = memoryStore();
  const names = ['r0', 'r1', 'r2'];
  const listeners = new Map<string, (message: Json, from: string) => void>();
  const sent: Json[] = [];
  const doors = await Promise.all(
    names.map((replica) =>
      aDoor([sourceOf([tool])], {
        ...(confirm && { confirm }),
        mcp: {
          vault: sessionVault({ keys, open: () => store }),
          channel: {
            replica,
            replicas: () => names,
            subscribe: (listener) => void listeners.set(replica, listener),
            publish(message, to) {
              sent.push(message);
              const copy = JSON.parse(JSON.stringify(message)) as Json;
              for (const [name, listener] of listeners)
                if (name !== replica && (to === undefined || to === name)) setImmediate(listener, copy, replica);
            },
          },
        },
      }),
    ),
  );
  const [a, b, c] = doors;
  if (!a || !b || !c) throw new Error('three doors are made');
  return { a, b, c, sent };
}

const asks: Guard = (_tool, next) => async (call) => {
  const answer = call.confirmation?.answers['confirm'];
  if (answer?.['action'] === 'accept') return next(call);
  if (answer) return refuse('policy_denied', 'no');
  return {
    kind: 'confirm',
    question: {
      asks: {
        confirm: {
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Delete?', requestedSchema: { type: 'object', properties: {} } },
        },
      },
      state: 'sealed',
      otherwise: { code: 'confirmation_required', message: 'ask' },
    },
  };
};
const accept = { action: 'accept', content: {} };
const post = (body: object): string => JSON.stringify({ jsonrpc: '2.0', ...body });

test('the answer to a question reaches the replica that asked, wherever it arrives', async () => {
  const { a, b } = await replicas(aTool(), asks);
  const { call, headers } = await a.session('2025-11-25', { elicitation: {} });
  const ids: string[] = [];
  const answered = await call('tools/call', { name: 'echo', arguments: { text: 'x' } }, (message: Loose) => {
    if (message.method !== 'elicitation/create') return;
    ids.push(message.id);
    void b.raw('POST', headers, post({ id: message.id, result: accept }));
  });
  expect(ids[0]).toMatch(/^r0\.\d+$/);
  expect(answered.json.result.content[0].text).toBe('x');
});

test('an answer from another session or another caller does not count', async () => {
  const { a, b } = await replicas(aTool(), asks);
  const { call, headers } = await a.session('2025-11-25', { elicitation: {} });
  const other = await b.session('2025-11-25', { elicitation: {} });
  const answered = await call('tools/call', { name: 'echo', arguments: { text: 'x' } }, (message: Loose) => {
    if (message.method !== 'elicitation/create') return;
    const reply = (id: string, result: object) => post({ id, result });
    void (async () => {
      await b.raw('POST', other.headers, reply(message.id, accept));
      await b.raw('POST', { ...headers, authorization: 'Bearer bob-token' }, reply(message.id, accept));
      await b.raw('POST', headers, reply('r9.1', accept));
      await b.raw('POST', headers, reply(`r0.0${message.id.slice(3)}`, accept));
      await b.raw('POST', headers, reply(message.id, { action: 'decline' }));
    })();
  });
  expect(answered.json.result.isError).toBe(true);
});

test('a cancellation reaches the replica that runs the request', async () => {
  const aborted = deferred<void>();
  const tool = aTool({
    run: async ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      await aborted.promise;
      return done('');
    },
  });
  const { a, b } = await replicas(tool);
  const { headers } = await a.session('2025-11-25');
  const running = a.raw('POST', headers, post({ id: 7, method: 'tools/call', params: { name: 'echo' } }));
  await expect.poll(() => a.endpoint.stats().sessions).toBe(1);
  const cancel = () => b.raw('POST', headers, post({ method: 'notifications/cancelled', params: { requestId: 7 } }));
  await expect.poll(async () => (await cancel()).status).toBe(202);
  await expect
    .poll(async () => Promise.race([aborted.promise.then(() => true), cancel().then(() => false)]))
    .toBe(true);
  await running;
});

test('a stream is resumed on another replica, in order and with large events', async () => {
  const left = deferred<void>();
  const large = 'x'.repeat(250_000);
  const tool = aTool({
    run: async ({ back }) => {
      back?.detach?.();
      await left.promise;
      return done(large);
    },
  });
  const { a, b, c } = await replicas(tool);
  const { headers } = await a.session('2025-11-25');
  const first = await a.raw('POST', headers, post({ id: 'x', method: 'tools/call', params: { name: 'echo' } }));
  const eventId = /id: (\S+)/.exec(first.text)?.[1] ?? '';
  expect(eventId).toMatch(/^r0\./);
  const resume = (door: typeof a, id: string, more = {}) =>
    door.raw('GET', { ...headers, accept: 'text/event-stream', 'last-event-id': id, ...more });
  const again = resume(b, eventId);
  left.resolve();
  expect((await again).messages).toMatchObject([{ id: 'x', result: { content: [{ text: large }] } }]);
  expect((await resume(c, eventId)).messages).toEqual((await again).messages);
  // Of a stream that another caller owns there is nothing.
  const bob = await b.raw(
    'POST',
    {
      authorization: 'Bearer bob-token',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    post({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'b', version: '1' } },
    }),
  );
  const stolen = await resume(b, eventId, {
    authorization: 'Bearer bob-token',
    'mcp-session-id': String(bob.headers['mcp-session-id']),
  });
  expect(stolen.messages).toEqual([]);
});
