import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import type { Json } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import { done, failed } from '../core/outcome.js';
import { aCall, aTool, guarded } from '../../test/support/make.js';
import { sanitize } from './sanitize.js';

const wash = (outcome: Outcome, maxOutputBytes = 1_000_000) =>
  guarded([sanitize()], () => Promise.resolve(outcome), aTool({ limits: { maxOutputBytes } }))(aCall());

test('escapes and controls are taken out and it is said [S0.68]', async () => {
  expect(await wash(done('a\u001B[31mred\u001B[0m\u0007'))).toEqual({
    kind: 'done',
    content: [{ type: 'text', text: 'ared' }],
    meta: { 'toolgate/sanitized': { removed: { ansi: 2, control: 1 }, truncated: false } },
  });
});

test('a clean result passes as the very same object', async () => {
  const outcome = done('plain', { a: ['b', 1, null, { c: true }] });
  expect(await wash(outcome)).toBe(outcome);
});

test('what is over the limit is cut between characters and it is said [S0.67]', async () => {
  const washed = await wash(done('é'.repeat(10)), 7);
  expect(washed).toMatchObject({ content: [{ text: 'ééé' }], meta: { 'toolgate/sanitized': { truncated: true } } });
});

test('strings in data are cleaned, keys and types stay', async () => {
  const washed = await wash(done([], { out: 'x\u001B[0m', list: ['\u0000'], n: 1, ok: true, nothing: null }));
  expect(washed).toMatchObject({ data: { out: 'x', list: [''], n: 1, ok: true, nothing: null } });
});

test('a key named __proto__ stays a key', async () => {
  const data = JSON.parse('{"__proto__": "x\\u0007", "b": "\\u0007"}') as Json;
  const washed = await wash(done([], data));
  expect(JSON.stringify(washed.kind === 'done' && washed.data)).toBe('{"__proto__":"x","b":""}');
});

test('half an image is no image', async () => {
  const washed = await wash(done([{ type: 'image', data: 'A'.repeat(1000), mimeType: 'image/png' }]), 200);
  expect(washed).toMatchObject({
    content: [{ type: 'text', text: '[image of 1000 base64 characters omitted: over the output limit]' }],
  });
});

test('the text of an error from outside is cleaned too', async () => {
  const washed = await wash(failed({ code: 'upstream_error', message: 'no\u001B]0;title\u0007 way' }));
  expect(washed).toMatchObject({ error: { message: 'no way' } });
});

test('data nested without end does not end us', async () => {
  let deep: Json = 'x\u0007';
  for (let i = 0; i < 5_000; i++) deep = [deep];
  expect(await wash(done([], deep))).toMatchObject({ kind: 'done' });
});

test('whatever comes in, no control character comes out and the shape is kept', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
      const washed = await wash(done([], value as Json));
      const data = washed.kind === 'done' ? washed.data : undefined;
      const keysKept = JSON.stringify(data, (_key, item: unknown) => (typeof item === 'string' ? '' : item));
      expect(keysKept).toBe(JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? '' : item)));
      const strings = (item: unknown): string[] =>
        typeof item === 'string'
          ? [item]
          : item !== null && typeof item === 'object'
            ? Object.values(item).flatMap(strings)
            : [];
      for (const each of strings(data))
        expect(each).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/);
    }),
    { numRuns: 200 },
  );
});
