import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Door } from '../../src/core/call.js';
import { errors } from '../../src/core/errors.js';
import type { Guard } from '../../src/core/guard.js';
import { compose } from '../../src/core/guard.js';
import type { Json } from '../../src/core/json.js';
import { done, refuse } from '../../src/core/outcome.js';
import type { ToolSource } from '../../src/core/source.js';
import type { Handler, Tool } from '../../src/core/tool.js';
import type { CallRuntime } from '../../src/gateway.js';
import { gateway } from '../../src/gateway.js';
import type { AuditRecord } from '../../src/guards/audit.js';
import { audit } from '../../src/guards/audit.js';
import { guardOrder, pipeline } from '../../src/guards/pipeline.js';
import { canonicalJson } from '../../src/lib/json/canonical-json.js';
import { registry } from '../../src/registry/registry.js';
import { ada, aTool, never } from '../support/make.js';

const throwing: Guard = () => () => {
  throw new Error('planted');
};
const rejecting: Guard = () => () => Promise.reject(new Error('planted'));

/** Arrays in arrays; `JSON.parse` accepts far more than a recursive walk survives. */
const nested = (depth: number): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json; // JSON.parse returns JSON

const source: ToolSource = {
  id: 'test',
  list: async () => [
    aTool({ name: 'fine', input: { schema: {}, parse: (value) => ({ ok: true, value: value as never }) } }),
    aTool({ name: 'strict' }),
    aTool({ name: 'writes', effects: { ...aTool().effects, writes: true } }),
    aTool({ name: 'fails', run: () => Promise.resolve(refuse('upstream_error', 'no')) }),
    aTool({
      name: 'throws',
      run: () => {
        throw new Error('bug');
      },
    }),
  ],
  prompts: async () => [{ name: 'greet', source: 'test', get: async () => done([], { messages: [] }) }],
  resources: async () => [
    {
      uri: 'x://one',
      name: 'one',
      source: 'test',
      read: async () => done([], { contents: [] }),
      subscribe: async () => () => {},
    },
  ],
};

const configured = [
  'metrics',
  'trace',
  'callLog',
  'authorize',
  'rateLimit',
  'confirm',
  'flow',
  'breaker',
  'sanitize',
] as const;
const doors: readonly Door[] = ['stdio', 'http', 'rest', 'console', 'cli'];

test('every answer has exactly one audit record, whatever the door, the operation and the fault', async () => {
  const known = registry({ sources: [source], filter: { include: [], exclude: [] } });
  await known.refresh(never);
  const step = fc.record({
    door: fc.constantFrom(...doors),
    operation: fc.constantFrom('call', 'read', 'prompt', 'complete', 'subscribe'),
    name: fc.constantFrom('fine', 'strict', 'writes', 'fails', 'throws', 'missing', 'greet', 'x://one', '__proto__'),
    depth: fc.constantFrom(0, 1, 5_000, 20_000),
    fault: fc.option(fc.tuple(fc.constantFrom(...configured), fc.constantFrom(throwing, rejecting))),
    closing: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const records: AuditRecord[] = [];
      let answers = 0;
      for (const { door, operation, name, depth, fault, closing } of steps) {
        const journal = { problem: () => undefined, append: (record: AuditRecord) => void records.push(record) };
        const stages = guardOrder.flatMap(({ name: stage, make }) => {
          const guard = fault?.[0] === stage ? fault[1] : make({ journal, faults: { fault: () => {} } });
          return guard ? [{ name: stage, guard }] : [];
        });
        const wire = (tool: Tool): Handler => compose(stages, tool, tool.run);
        const runtime: CallRuntime = { wire, visibility: { group: () => '', isVisible: () => true } };
        const gate = gateway({
          registry: known,
          current: () => runtime,
          breakers: { get: () => undefined, settings: () => ({ failures: 5, cooldownMs: 60_000 }) },
        });
        if (closing) gate.close();
        const common = { principal: ada, via: door, signal: never } as const;
        const args = { text: nested(Math.max(1, depth)) };
        if (operation === 'call') await gate.call({ ...common, tool: name, args });
        else if (operation === 'read') await gate.read({ ...common, uri: name });
        else if (operation === 'prompt') await gate.prompt({ ...common, name, args });
        else if (operation === 'subscribe') await gate.subscribe({ ...common, uri: name, changed: () => {} });
        else
          await gate.complete({
            ...common,
            target: { type: 'ref/prompt', name },
            argument: 'a',
            value: 'v',
            context: {},
          });
        answers += 1;
      }
      expect(records.filter(({ event }) => event !== 'begin')).toHaveLength(answers);
    }),
    { numRuns: 150 },
  );
});

test('a refusal at shutdown is recorded under the name that was called', async () => {
  const known = registry({ sources: [source], filter: { include: [], exclude: [] } });
  await known.refresh(never);
  const records: AuditRecord[] = [];
  const log = { problem: () => undefined, append: (record: AuditRecord) => void records.push(record) };
  const wire = pipeline({ journal: log });
  const runtime: CallRuntime = { wire, visibility: { group: () => '', isVisible: () => true } };
  const gate = gateway({
    registry: known,
    current: () => runtime,
    breakers: { get: () => undefined, settings: () => ({ failures: 5, cooldownMs: 60_000 }) },
  });
  gate.close();
  const { outcome } = await gate.call({ tool: 'fine', args: {}, principal: ada, via: 'rest', signal: never });
  expect(outcome).toMatchObject({ error: { code: 'shutting_down' } });
  expect(records).toMatchObject([{ event: 'refused', decision: 'refused', tool: 'fine', code: 'shutting_down' }]);
});

test('an argument that refers to itself costs its digest and not the record', async () => {
  const own: Record<string, Json> = {};
  own['again'] = own;
  const records: AuditRecord[] = [];
  const guard = audit({ log: { problem: () => undefined, append: (record) => void records.push(record) } });
  const handler = guard(aTool(), async () => done('ok'));
  const call = {
    id: 'i',
    tool: 'echo',
    principal: ada,
    via: 'rest',
    args: own,
    receivedAt: 0,
    signal: never,
    correlationId: 'c',
  } as const;
  expect(await handler(call)).toEqual(done('ok'));
  expect(records).toMatchObject([{ argsDigest: 'unreadable', decision: 'allowed' }]);
});

test('the canonical form of a deep value is the one of a shallow value, continued', () => {
  const deep = (levels: number, leaf: Json): Json => {
    let value = leaf;
    for (let at = 0; at < levels; at += 1) value = at % 2 === 0 ? { b: value, a: [at] } : [value, null];
    return value;
  };
  // Both forms, recursive and iterative, give the text that sorted JSON has.
  for (const levels of [1, 63, 64, 65, 130]) {
    const text = canonicalJson(deep(levels, { z: 1, y: 'é"' }));
    expect(JSON.parse(text)).toEqual(deep(levels, { z: 1, y: 'é"' }));
    expect(canonicalJson(JSON.parse(text))).toBe(text);
    expect(text).toContain('{"y":"é\\"","z":1}');
  }
  expect(canonicalJson(nested(50_000))).toHaveLength(100_000);
});

test('the error table decides for every code what audit, breaker and metrics record', () => {
  const refused = Object.entries(errors).filter(([, { decision }]) => decision === 'refused');
  expect(refused.map(([code]) => code).sort()).toEqual(
    'admin_required audit_unavailable busy capability_missing circuit_open command_missing confirmation_required declined forbidden invalid_arguments invalid_confirmation not_found output_withheld policy_denied rate_limited sandbox_unavailable shutting_down source_starting state_unavailable unauthorized'.split(
      ' ',
    ),
  );
  for (const [code, { answered, tripsBreaker, decision }] of Object.entries(errors)) {
    expect([code, answered && tripsBreaker]).toEqual([code, false]);
    expect([code, decision === 'refused' && tripsBreaker]).toEqual([code, false]);
  }
  expect(Object.entries(errors).flatMap(([code, { answered }]) => (answered ? [code] : []))).toEqual([
    'execution_failed',
    'upstream_error',
    'upstream_busy',
    'upstream_refused',
  ]);
});
