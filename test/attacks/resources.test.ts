import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.js';
import type { Principal } from '../../src/core/principal.js';
import { aServer, json } from '../support/functions.js';
import { bob, never } from '../support/make.js';
import { aWholeGate } from '../support/whole-gate.js';

const codeOf = (outcome: Outcome): string => (outcome.kind === 'failed' ? outcome.error.code : outcome.kind);

/** An HTTP endpoint that is a tool and a resource, and a second tool that sends data out. */
async function anAtlas(config: string) {
  const server = await aServer(json({ up: true }));
  const sources = `
sources:
  atlas:
    kind: http
    base_url: "${server.url}"
    resource_interval: 0.2
    tools:
      city:
        description: Describes a city
        path: /cities/{city}
        parameters: [{ name: city, type: string, required: true }]
        resource: true
      send:
        description: Sends a text away
        path: /send/{text}
        parameters: [{ name: text, type: string, required: true }]
`;
  const withSources = (text: string): string => `${sources}\n${text}`;
  const whole = await aWholeGate(withSources(config));
  const { gateway } = whole.gate;
  const common = { principal: bob satisfies Principal, via: 'rest', signal: never } as const;
  return {
    ...whole,
    reload: (text: string) => whole.reload(withSources(text)),
    server,
    call: async (tool: string, args: Record<string, string>, over: { readonly profile?: string } = {}) =>
      codeOf((await gateway.call({ ...common, ...over, tool, args })).outcome),
    watch: async (city: string, principal: Principal = bob) => {
      const heard: string[] = [];
      const { outcome } = await gateway.subscribe({
        ...common,
        principal,
        uri: `toolgate://atlas/city/${city}`,
        changed: () => void heard.push(city),
      });
      return { code: codeOf(outcome), heard };
    },
    read: async (city: string, over: { readonly profile?: string } = {}) =>
      codeOf((await gateway.read({ ...common, ...over, uri: `toolgate://atlas/city/${city}` })).outcome),
  };
}

const owner: Principal = { id: 'local', name: 'local user', kind: 'local', roles: ['admin'] };
const allowRest = '    - { id: rest, action: allow }\n';

describe('a tool that is also a resource is held by the rules of the tool', () => {
  test('a deny rule on an argument', async () => {
    const { call, read, server, journal } = await anAtlas(
      `policy:\n  rules:\n    - { id: no-secrets, action: deny, tools: [atlas__city], args: { city: { glob: ["secret*"] } } }\n${allowRest}`,
    );
    expect([await call('atlas__city', { city: 'secret1' }), await read('secret1')]).toEqual([
      'policy_denied',
      'policy_denied',
    ]);
    expect(server.requests).toHaveLength(0);
    expect(await read('Bonn')).toBe('done');
    expect(journal().map(({ tool, decision }) => `${tool} ${decision}`)).toEqual([
      'atlas__city refused',
      'atlas__city refused',
      'atlas__city allowed',
    ]);
  });

  test('a rule that asks an operator', async () => {
    const { call, read, server } = await anAtlas(
      `policy:\n  rules:\n    - { id: gold, action: confirm, confirm: operator, tools: [atlas__city], args: { city: { equals: gold } } }\n${allowRest}`,
    );
    expect([await call('atlas__city', { city: 'gold' }), await read('gold')]).toEqual([
      'confirmation_required',
      'confirmation_required',
    ]);
    expect(server.requests).toHaveLength(0);
  });

  test('a limit of calls per day', async () => {
    const { call, read, server } = await anAtlas(
      'access:\n  limits:\n    - { id: two, tools: [atlas__city], calls_per_day: 2 }\n',
    );
    expect([await read('a'), await call('atlas__city', { city: 'b' }), await read('c'), await read('d')]).toEqual([
      'done',
      'done',
      'rate_limited',
      'rate_limited',
    ]);
    expect(server.requests).toHaveLength(2);
  });

  test('a profile that excludes the tool', async () => {
    const { call, read, gate, server } = await anAtlas(
      'access:\n  profiles:\n    small: { sources: [atlas], exclude: [atlas__city] }\n',
    );
    const view = { principal: bob, profile: 'small' };
    expect([await call('atlas__city', { city: 'a' }, view), await read('a', view)]).toEqual(['not_found', 'not_found']);
    expect((await gate.gateway.templates(view)).filter(({ source }) => source === 'atlas')).toEqual([]);
    expect(server.requests).toHaveLength(0);
    expect(await read('a')).toBe('done');
  });

  test('the switch of an operator', async () => {
    const { call, read, gate, server } = await anAtlas('');
    gate.gateway.setEnabled('atlas__city', false, bob);
    expect([await call('atlas__city', { city: 'a' }), await read('a')]).toEqual(['not_found', 'not_found']);
    expect((await gate.gateway.templates({ principal: bob })).filter(({ source }) => source === 'atlas')).toEqual([]);
    expect(server.requests).toHaveLength(0);
    gate.gateway.setEnabled('atlas__city', true, bob);
    expect(await read('a')).toBe('done');
  });

  test('the labels that a conversation has touched', async () => {
    const { call, read, server } = await anAtlas(
      'flows:\n  conversations: principal\n  labels: { atlas__city: ["reads:private"], atlas__send: ["egress:mail"] }\n  rules:\n    - { id: no-leak, after: ["reads:private"], to: ["egress:mail"], action: deny }\n',
    );
    expect(await call('atlas__send', { text: 'before' })).toBe('done');
    expect(await read('a')).toBe('done');
    expect(await call('atlas__send', { text: 'after' })).toBe('policy_denied');
    expect(server.requests).toHaveLength(2);
  });
});

describe('the polls of a subscription are calls of the tool by the subscriber', () => {
  const denySecrets =
    'policy:\n  rules:\n    - { id: no-secrets, action: deny, tools: [atlas__city], args: { city: { glob: ["secret*"] } } }\n';

  test('a rule about the tool refuses the subscription, and nothing is sent', async () => {
    const { watch, server } = await anAtlas(`${denySecrets}${allowRest}`);
    expect((await watch('secret1')).code).toBe('policy_denied');
    const asked = await anAtlas(
      `policy:\n  rules:\n    - { id: gold, action: confirm, confirm: operator, tools: [atlas__city] }\n${allowRest}`,
    );
    expect((await asked.watch('gold')).code).toBe('confirmation_required');
    expect([...server.requests, ...asked.server.requests]).toEqual([]);
  });

  test('each poll counts against limits and is audited for the subscriber', async () => {
    const { watch, server, journal } = await anAtlas(
      'access:\n  limits:\n    - { id: three, tools: [atlas__city], calls_per_day: 3 }\n',
    );
    expect((await watch('Bonn')).code).toBe('done');
    const polls = (): readonly string[] =>
      journal()
        .filter(({ tool }) => tool === 'atlas__city')
        .map(({ principal, decision }) => `${principal} ${decision}`);
    await expect.poll(() => polls().length).toBeGreaterThan(4);
    expect(polls().slice(0, 4)).toEqual(['bob allowed', 'bob allowed', 'bob allowed', 'bob refused']);
    expect(server.requests).toHaveLength(3);
  });

  test('a rule that comes with a reload ends the polls', async () => {
    const { watch, server, reload, journal } = await anAtlas('');
    const { code, heard } = await watch('secret1', owner);
    expect(code).toBe('done');
    await reload(`${denySecrets}${allowRest}`);
    await expect.poll(() => journal().filter(({ decision }) => decision === 'refused').length).toBe(1);
    await expect.poll(() => heard.length).toBe(1);
    const sent = server.requests.length;
    const other = await watch('Bonn', owner);
    await expect
      .poll(() => journal().filter(({ decision }) => decision === 'allowed').length)
      .toBeGreaterThan(sent + 4);
    expect(other.code).toBe('done');
    expect(server.requests.filter(({ url }) => url?.includes('secret1'))).toHaveLength(sent);
  });
});
