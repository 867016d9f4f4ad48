import { expect, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.js';
import type { Principal } from '../../src/core/principal.js';
import { ada, aCall, bob, never } from '../support/make.js';
import { aRemote, json, listener } from '../support/upstream-http.js';
import { aWholeGate } from '../support/whole-gate.js';

const codeOf = (outcome: Outcome): string => (outcome.kind === 'failed' ? outcome.error.code : outcome.kind);

/** A remote server of the 2025 era that offers notes and accepts every subscription. */
const aNoteServer = () =>
  listener(({ res, body }) => {
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, resources: { subscribe: true } },
        serverInfo: { name: 'notes', version: '1' },
      },
      'tools/list': { tools: [{ name: 'private', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'private row' }] },
      'resources/list': { resources: [{ uri: 'notes://one', name: 'one' }] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'notes://{+id}', name: 'note' }] },
    };
    if (body?.id === undefined) res.writeHead(202).end();
    else json(res, { jsonrpc: '2.0', id: body.id, result: results[body.method] ?? {} });
  });

/** The gate in front of the notes, with a configuration. */
async function aGuardedGate(config: string) {
  const server = await aNoteServer();
  const source = `sources:\n  far:\n    kind: mcp\n    url: "${server.url}"\n    network_policy: loopback\n    era: legacy\n`;
  const whole = await aWholeGate(`${source}${config}`);
  return {
    ...whole,
    source,
    sent: () =>
      server.requests.filter(({ body }) => body?.method === 'resources/subscribe').map(({ body }) => body.params.uri),
    subscribe: (uri: string, principal: Principal = bob, changed = (): void => {}) =>
      whole.gate.gateway.subscribe({ uri, principal, changed, via: 'http', signal: never }),
    code: async (uri: string, principal: Principal = bob) =>
      codeOf(
        (await whole.gate.gateway.subscribe({ uri, principal, changed: () => {}, via: 'http', signal: never })).outcome,
      ),
    call: async (tool: string) =>
      codeOf((await whole.gate.gateway.call({ tool, args: {}, principal: bob, via: 'http', signal: never })).outcome),
  };
}

test.each(['resources/read', 'resources/subscribe'])(
  'a rule that denies %s holds for subscriptions: nothing is sent, and the refusal is audited',
  async (name) => {
    const { code, sent, journal } = await aGuardedGate(
      `policy:\n  rules:\n    - { id: no, action: deny, principals: [bob], tools: ["${name}"] }\n    - { id: rest, action: allow }\n`,
    );
    expect(await code('notes://EXFIL-by-subscribe')).toBe('policy_denied');
    expect(sent()).toEqual([]);
    expect(await code('notes://42', ada)).toBe('done');
    expect(sent()).toEqual(['notes://42']);
    expect(journal().map(({ tool, principal, decision }) => `${principal} ${tool} ${decision}`)).toEqual([
      'bob resources/subscribe refused',
      'ada resources/subscribe allowed',
    ]);
  },
);

test('private data does not leave in the address of a subscription', async () => {
  const { code, call, sent } = await aGuardedGate(
    'flows:\n  conversations: principal\n  labels: { far__private: ["reads:private"] }\n  rules:\n    - { id: no-leak, after: ["reads:private"], to: ["egress:external"], action: deny }\n',
  );
  expect(await code('notes://before')).toBe('done');
  expect(await call('far__private')).toBe('done');
  expect(await code('notes://PRIVATE-ROW')).toBe('policy_denied');
  expect(sent()).toEqual(['notes://before']);
});

test('subscriptions count against limits and wait for an operator where a rule requires it', async () => {
  const limited = await aGuardedGate(
    'access:\n  limits:\n    - { id: two, tools: [resources/subscribe], calls_per_day: 2 }\n',
  );
  expect([await limited.code('notes://1'), await limited.code('notes://2'), await limited.code('notes://3')]).toEqual([
    'done',
    'done',
    'rate_limited',
  ]);
  const asked = await aGuardedGate(
    'policy:\n  rules:\n    - { id: ask, action: confirm, confirm: operator, tools: [resources/read] }\n',
  );
  expect(await asked.code('notes://1')).toBe('confirmation_required');
  expect(asked.sent()).toEqual([]);
});

test('a subscription ends when a reload takes the right away, and is not reported any more', async () => {
  const { subscribe, reload, source, gate } = await aGuardedGate('');
  const heard: string[] = [];
  const { outcome } = await subscribe('notes://one', bob, () => void heard.push('one'));
  expect(codeOf(outcome)).toBe('done');
  await reload(`${source}policy:\n  rules:\n    - { id: only-ada, action: allow, principals: [ada] }\n`);
  expect(
    codeOf((await gate.gateway.read({ uri: 'notes://one', principal: bob, via: 'http', signal: never })).outcome),
  ).toBe('policy_denied');
  expect(heard).toEqual([]);
});

test('each caller watches in its own session, and one without a login gets the refusal', async () => {
  const server = await aNoteServer();
  const source = aRemote(server.url, {
    source: { sharing: 'principal', listAs: 'local', era: 'legacy' },
    remote: {
      credentials: (principal) => ({
        headers: () =>
          Promise.resolve(
            principal === 'bob'
              ? { problem: 'there is no login for bob' }
              : { headers: { authorization: `Bearer of-${principal}` } },
          ),
      }),
    },
  });
  await source.list(never);
  expect(await source.resources?.(never)).toEqual([]);
  const [resource] = (await source.personal?.of('ada'))?.resources ?? [];
  const watch = (principal: Principal) =>
    resource?.subscribe?.(aCall({ principal, args: { uri: 'notes://one' } }), () => {});
  expect(await watch(bob)).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('no login for bob') },
  });
  expect(typeof (await watch(ada))).toBe('function');
  const subscribed = server.requests.filter(({ body }) => body?.method === 'resources/subscribe');
  expect(subscribed.map(({ headers }) => headers.authorization)).toEqual(['Bearer of-ada']);
});

test('one caller cannot take all watches of a source, and a full source is an error', async () => {
  const server = await aNoteServer();
  const source = aRemote(server.url, { source: { sharing: 'all', era: 'legacy' } });
  await source.list(never);
  const [template] = (await source.templates?.(never)) ?? [];
  const watch = (principal: Principal, id: number) =>
    template?.subscribe?.(aCall({ principal, args: { uri: `notes://${id}` } }), () => {});
  const opened = await Promise.all(Array.from({ length: 251 }, (_, id) => watch(ada, id)));
  expect(opened.filter((each) => typeof each === 'function')).toHaveLength(250);
  expect(opened.find((each) => typeof each !== 'function')).toMatchObject({ error: { code: 'busy' } });
  const [first] = opened;
  expect(typeof (await watch(bob, 1))).toBe('function');
  if (typeof first === 'function') first();
  expect(typeof (await watch(ada, 251))).toBe('function');
});
