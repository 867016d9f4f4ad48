import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../core/json.js';
import { done, failed } from '../core/outcome.js';
import type { Outcome } from '../core/outcome.js';
import { secretRedactor } from '../hostile-text/secrets.js';
import { aCall, aTool, guarded } from '../../test/support/make.js';
import { sanitize } from './sanitize.js';

const load = createRequire(import.meta.url);
const { Ajv2020 } = load('ajv/dist/2020.js') as {
  Ajv2020: new (options: object) => { compile(schema: object): (data: unknown) => boolean };
};
const judgeOf = (schema: JsonObject) => {
  const ajv = new Ajv2020({ strict: false });
  (load('ajv-formats') as (to: object) => void)(ajv);
  return ajv.compile(schema);
};

const configured = 'configured-secret-value';
const github = `ghp_${'aB3dE6gH9'.repeat(4)}`;
const rules = {
  redact: secretRedactor({ values: [configured] }),
  redactInShape: secretRedactor({ values: [configured], inShape: true }),
};
const wash = (schema: JsonObject, data: Json, maxOutputBytes = 1_000_000): Promise<Outcome> =>
  guarded(
    [sanitize(() => rules)],
    () => Promise.resolve(done([], data)),
    aTool({ output: { schema }, limits: { maxOutputBytes } }),
  )(aCall());
const field = (schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: { v: { type: 'string', ...schema } },
  required: ['v'],
});

test.each<[string, JsonObject, string, string]>([
  ['nothing in its way', {}, github, '[redacted:github-token]'],
  ['a pattern of the format', { pattern: '^ghp_[A-Za-z0-9]{36}$' }, github, `ghp_${'xX0xX0xX0'.repeat(4)}`],
  ['a fixed length', { minLength: 40, maxLength: 40 }, github, `ghp_${'xX0xX0xX0'.repeat(4)}`],
  [
    'an address with a password',
    { format: 'uri' },
    `https://me:${configured}@db.example/x`,
    'https://me:xxxxxxxxxx-xxxxxx-xxxxx@db.example/x',
  ],
])('a secret in data is written so that the schema holds: %s', async (_what, schema, secret, written) => {
  const outcome = await wash(field(schema), { v: secret });
  expect(outcome).toMatchObject({ kind: 'done', data: { v: written } });
  expect(judgeOf(field(schema))(outcome.kind === 'done' ? outcome.data : undefined)).toBe(true);
});

test.each<[string, JsonObject, Json, number]>([
  ['the one value allowed is a secret', field({ enum: [configured] }), { v: configured }, 1000],
  ['a cut leaves too little', field({ minLength: 50 }), { v: 'x'.repeat(60) }, 20],
  ['a control character is wanted', field({ pattern: '^\\u001b\\[31m' }), { v: '\u001b[31mred' }, 1000],
])('where nothing fits there is no data, and it is said: %s', async (_what, schema, data, limit) => {
  const outcome = await wash(schema, data, limit);
  expect(outcome).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('no longer matches') },
    content: [{ type: 'text' }],
    meta: { 'toolgate/sanitized': { data: 'dropped' } },
  });
  expect(outcome).not.toHaveProperty('data');
  expect(JSON.stringify(outcome)).not.toContain(configured);
});

test('data that violated its schema before sanitising is not repaired, nor is that of a failure', async () => {
  expect(await wash(field({ enum: ['a'] }), { v: `b\u0007 ${configured}` })).toMatchObject({
    kind: 'done',
    data: { v: 'b [redacted:configured]' },
  });
  const broke = guarded(
    [sanitize(() => rules)],
    () => Promise.resolve(failed({ code: 'upstream_error', message: 'no' }, { data: { v: configured } })),
    aTool({ output: { schema: field({ enum: [configured] }) } }),
  );
  expect(await broke(aCall())).toMatchObject({ kind: 'failed', data: { v: '[redacted:configured]' } });
  expect(await wash({ $ref: '#/nowhere' }, { v: configured })).toMatchObject({
    kind: 'done',
    data: { v: '[redacted:configured]' },
  });
});

test('whatever the schema asks of texts, what comes back as data fits it or does not come back, and no secret does', async () => {
  const piece = fc.constantFrom('ab', 'Z9', '-', ' ', '\u001b[1m', '\u200b', '\u0007', configured, github, 'é', '😀');
  const text = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
  const constraint = (value: string): fc.Arbitrary<JsonObject> =>
    fc.constantFrom<JsonObject>(
      {},
      { maxLength: [...value].length },
      { minLength: [...value].length },
      { enum: [value] },
      { const: value },
      { pattern: '^[^\\[\\]]*$' },
      { pattern: '^\\S*$' },
      { format: 'hostname' },
      { not: { pattern: 'redacted' } },
    );
  const fields = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    text.chain((value) => fc.tuple(fc.constant(value), constraint(value))),
    { minKeys: 1 },
  );
  await fc.assert(
    fc.asyncProperty(fields, fc.constantFrom(5, 30, 100_000), async (given, limit) => {
      const schema: JsonObject = {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(given).map(([name, [, own]]) => [name, { type: 'string', ...own }]),
        ),
        additionalProperties: false,
      };
      const data = Object.fromEntries(Object.entries(given).map(([name, [value]]) => [name, value]));
      const fits = judgeOf(schema);
      const outcome = await wash(schema, data, limit);
      if (fits(data) && outcome.kind === 'done') expect(fits(outcome.data)).toBe(true);
      if (!fits(data)) expect(outcome.kind).toBe('done');
      expect(JSON.stringify(outcome)).not.toContain(configured);
    }),
    { numRuns: 100 },
  );
});
