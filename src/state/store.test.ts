import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { aFolder } from '../../test/support/program.js';
import { memoryStore } from './memory-store.js';
import { sqliteStore } from './sqlite-store.js';
import { maxListedEntries, type Store } from './store.js';

/** Each kind of store, on a clock that the test moves. */
const kinds: readonly (readonly [string, (now: () => number) => Promise<Store>])[] = [
  ['memory', (now) => Promise.resolve(memoryStore({ now }))],
  [
    'sqlite',
    async (now) => {
      const opened = await sqliteStore({ home: aFolder(), now });
      if (!opened.ok) throw new Error(opened.problem);
      onTestFinished(() => opened.store.close());
      return opened.store;
    },
  ],
];
const eachStore = (title: string, check: (store: Store, clock: { at: number }) => void | Promise<void>): void => {
  for (const [kind, make] of kinds) {
    test(`${kind}: ${title}`, async () => {
      const clock = { at: 1000 };
      await check(await make(() => clock.at), clock);
    });
  }
};

eachStore('what is put is got, replaced and deleted, in its own space', (store) => {
  expect(store.get('a', 'k')).toBeUndefined();
  store.put('a', 'k', 'one');
  store.put('b', 'k', 'other');
  store.put('a', 'k', 'two');
  expect(store.get('a', 'k')).toBe('two');
  expect(store.get('b', 'k')).toBe('other');
  expect(store.delete('a', 'k')).toBe(true);
  expect(store.delete('a', 'k')).toBe(false);
  expect(store.get('a', 'k')).toBeUndefined();
  expect(store.get('b', 'k')).toBe('other');
});

eachStore('a value is gone from the moment it expires, before any sweep', (store, clock) => {
  store.put('a', 'k', 'v', { expiresAt: 1001 });
  store.put('a', 'stays', 'v');
  expect(store.get('a', 'k')).toBe('v');
  clock.at = 1001;
  expect(store.get('a', 'k')).toBeUndefined();
  expect(store.list('a').map(({ key }) => key)).toEqual(['stays']);
  expect(store.delete('a', 'k')).toBe(false);
});

eachStore('putting again without an expiry takes the old one away', (store, clock) => {
  store.put('a', 'k', 'v', { expiresAt: 1001 });
  store.put('a', 'k', 'w');
  clock.at = 2000;
  expect(store.get('a', 'k')).toBe('w');
});

eachStore('a sweep forgets what has expired and counts it', (store) => {
  for (let at = 0; at < 10; at++) store.put(`space${at % 2}`, `k${at}`, 'v', { expiresAt: 2000 + at });
  store.put('space0', 'stays', 'v');
  expect(store.sweep(2004)).toBe(5);
  expect(store.sweep(2004)).toBe(0);
  expect([...store.list('space0'), ...store.list('space1')].map(({ key }) => key).sort()).toEqual([
    'k5',
    'k6',
    'k7',
    'k8',
    'k9',
    'stays',
  ]);
});

eachStore('a list is in order, by prefix, in pages', (store) => {
  for (const key of ['b:2', 'a:1', 'b:10', 'b:1', 'c', 'b', '']) store.put('s', key, `v${key}`);
  expect(store.list('s', { prefix: 'b:' })).toEqual([
    { key: 'b:1', value: 'vb:1' },
    { key: 'b:10', value: 'vb:10' },
    { key: 'b:2', value: 'vb:2' },
  ]);
  expect(store.list('s').map(({ key }) => key)).toEqual(['', 'a:1', 'b', 'b:1', 'b:10', 'b:2', 'c']);
  expect(store.list('s', { after: 'b:1', limit: 2 }).map(({ key }) => key)).toEqual(['b:10', 'b:2']);
  expect(store.list('s', { prefix: 'b:', after: 'b:2' })).toEqual([]);
  expect(store.list('s', { limit: 0 })).toEqual([]);
  expect(store.list('none')).toEqual([]);
});

eachStore('a list is bounded whatever is asked', (store) => {
  for (let at = 0; at < maxListedEntries + 5; at++) store.put('s', `k${at}`, '');
  expect(store.list('s', { limit: 1e9 })).toHaveLength(maxListedEntries);
});

eachStore('any text comes back as it went in, quotes, NULs and all', (store) => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, text, (space, key, value) => {
      store.put(space, key, value);
      expect(store.get(space, key)).toBe(value);
      expect(store.list(space, { prefix: key })).toContainEqual({ key, value });
    }),
    {
      examples: [
        ['a\0b', 'x\0y', '\0'],
        ["'; DROP TABLE kept; --", '%', '_'],
        ['', '', ''],
      ],
    },
  );
});

eachStore('a large value is kept whole', (store) => {
  const value = 'é'.repeat(1_000_000);
  store.put('s', 'k', value);
  expect(store.get('s', 'k') === value).toBe(true);
});

test('two stores list in the same order, whatever the keys', async () => {
  const stores = await Promise.all(kinds.map(([, make]) => make(() => 0)));
  let space = 0;
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (keys) => {
      space++;
      for (const store of stores) for (const key of keys) store.put(`${space}`, key, '');
      const [one, two] = stores.map((store) => store.list(`${space}`));
      expect(one).toEqual(two);
    }),
    { numRuns: 50 },
  );
});
