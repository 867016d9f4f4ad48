import { expect, test } from 'vitest';
import { ada, aCall, aTool, bob } from '../../test/support/make.js';
import { storedResults } from './stored-results.js';

const text = (length: number) => ({ body: 'x'.repeat(length), mimeType: 'text/plain', isBinary: false });

async function aStore(maxBytes: number, ttlMs = 100) {
  let now = 0;
  const results = storedResults({ ttlMs: () => ttlMs, maxBytes, now: () => now });
  const [template] = (await results.source.templates?.(AbortSignal.abort())) ?? [];
  const originOf = (uri: string | undefined, principal = ada) => {
    const origin = template?.stored?.originOf(uri ?? '', { principal });
    return origin instanceof Promise ? 'elsewhere' : origin?.name;
  };
  const keep = (length: number, principal = ada) => results.keepWhole({ principal }, aTool(), text(length))?.uri;
  return { results, originOf, keep, setTime: (time: number) => (now = time) };
}

test('stored results are bounded in bytes and time, and the oldest is evicted first', async () => {
  const { keep, originOf, setTime } = await aStore(200);
  const [first, second, third] = [keep(40), keep(40), keep(40)];
  expect([first, second, third].map((uri) => originOf(uri))).toEqual([undefined, 'echo', 'echo']);
  expect(originOf(third, bob)).toBeUndefined();
  setTime(100);
  expect(originOf(third)).toBeUndefined();
});

test('one caller cannot evict the results of another', async () => {
  const { keep, originOf } = await aStore(200);
  const mine = keep(40, bob);
  for (let count = 0; count < 20; count++) keep(40);
  expect(originOf(mine, bob)).toBe('echo');
  expect(keep(101)).toBeUndefined();
});

test('what has expired frees its share, and results of another profile do not exist', async () => {
  const { results, keep, originOf, setTime } = await aStore(200);
  keep(90);
  setTime(100);
  expect(originOf(keep(90))).toBe('echo');
  const links = results.keepRest(aCall({ profile: 'small' }), aTool(), 'y'.repeat(5));
  expect(links).toHaveLength(1);
  expect(originOf(links[0]?.uri)).toBeUndefined();
});
