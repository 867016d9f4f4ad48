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
  const whole = await aWholeGate(`${sources}\n${config}`);
  const { gateway } = whole.gate;
  const common = { principal: bob satisfies Principal, via: 'rest', signal: never } as const;
  return {
    ...whole,
    server,
    call: async (tool: string, args: Record<string, string>, over: { readonly profile?: string } = {}) =>
      codeOf((await gateway.call({ ...common, ...over, tool, args })).outcome),
    read: async (city: string, over: { readonly profile?: string } = {}) =>
      codeOf((await gateway.read({ ...common, ...over, uri: `toolgate://atlas/city/${city}` })).outcome),
  };
}

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
    expect(gate.gateway.templates(view).filter(({ source }) => source === 'atlas')).toEqual([]);
    expect(server.requests).toHaveLength(0);
    expect(await read('a')).toBe('done');
  });

  test('the switch of an operator', async () => {
    const { call, read, gate, server } = await anAtlas('');
    gate.gateway.setEnabled('atlas__city', false, bob);
    expect([await call('atlas__city', { city: 'a' }), await read('a')]).toEqual(['not_found', 'not_found']);
    expect(gate.gateway.templates({ principal: bob }).filter(({ source }) => source === 'atlas')).toEqual([]);
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
