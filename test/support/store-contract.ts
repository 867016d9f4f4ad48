import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { maxListedEntries, type Store } from '../../src/state/store.js';

/** What every store promises, on a clock that the test moves. */
export function checkStore(
  kind: string,
  make: (now: () => number) => Promise<Store>,
  clear: () => Promise<void> = async () => {},
): void {
  const eachStore = (title: string, check: (store: Store, clock: { at: number }) => Promise<void>): void => {
    test(`${kind}: ${title}`, async () => {
      const clock = { at: 1000 };
      await check(await make(() => clock.at), clock);
    });
  };

  describe(kind, () => {
    beforeEach(clear);
    eachStore('what is put is got, replaced and deleted, in its own space', async (store) => {
      expect(await store.get('a', 'k')).toBeUndefined();
      await store.put('a', 'k', 'one');
      await store.put('b', 'k', 'other');
      await store.put('a', 'k', 'two');
      expect(await store.get('a', 'k')).toBe('two');
      expect(await store.get('b', 'k')).toBe('other');
      expect(await store.delete('a', 'k')).toBe(true);
      expect(await store.delete('a', 'k')).toBe(false);
      expect(await store.get('a', 'k')).toBeUndefined();
      expect(await store.get('b', 'k')).toBe('other');
    });

    eachStore('a value is gone from the moment it expires, before any sweep', async (store, clock) => {
      await store.put('a', 'k', 'v', { expiresAt: 1001 });
      await store.put('a', 'stays', 'v');
      expect(await store.get('a', 'k')).toBe('v');
      clock.at = 1001;
      expect(await store.get('a', 'k')).toBeUndefined();
      expect((await store.list('a')).map(({ key }) => key)).toEqual(['stays']);
      expect(await store.delete('a', 'k')).toBe(false);
    });

    eachStore('putting again without an expiry takes the old one away', async (store, clock) => {
      await store.put('a', 'k', 'v', { expiresAt: 1001 });
      await store.put('a', 'k', 'w');
      clock.at = 2000;
      expect(await store.get('a', 'k')).toBe('w');
    });

    eachStore('a sweep forgets what has expired and counts it', async (store) => {
      for (let at = 0; at < 10; at++) await store.put(`space${at % 2}`, `k${at}`, 'v', { expiresAt: 2000 + at });
      await store.put('space0', 'stays', 'v');
      expect(await store.sweep(2004)).toBe(5);
      expect(await store.sweep(2004)).toBe(0);
      expect([...(await store.list('space0')), ...(await store.list('space1'))].map(({ key }) => key).sort()).toEqual([
        'k5',
        'k6',
        'k7',
        'k8',
        'k9',
        'stays',
      ]);
    });

    eachStore('a list is in order, by prefix, in pages', async (store) => {
      for (const key of ['b:2', 'a:1', 'b:10', 'b:1', 'c', 'b', '']) await store.put('s', key, `v${key}`);
      expect(await store.list('s', { prefix: 'b:' })).toEqual([
        { key: 'b:1', value: 'vb:1' },
        { key: 'b:10', value: 'vb:10' },
        { key: 'b:2', value: 'vb:2' },
      ]);
      expect((await store.list('s')).map(({ key }) => key)).toEqual(['', 'a:1', 'b', 'b:1', 'b:10', 'b:2', 'c']);
      expect((await store.list('s', { after: 'b:1', limit: 2 })).map(({ key }) => key)).toEqual(['b:10', 'b:2']);
      expect(await store.list('s', { prefix: 'b:', after: 'b:2' })).toEqual([]);
      expect(await store.list('s', { limit: 0 })).toEqual([]);
      expect(await store.list('none')).toEqual([]);
    });

    eachStore('a list is bounded whatever is asked', async (store) => {
      for (let at = 0; at < maxListedEntries + 5; at++) await store.put('s', `k${at}`, '');
      expect(await store.list('s', { limit: 1e9 })).toHaveLength(maxListedEntries);
    });

    eachStore(
      'of many that add the same key one succeeds, until the value is deleted or expires',
      async (store, clock) => {
        const adds = await Promise.all(
          Array.from({ length: 20 }, async (_, at) => store.add('s', 'k', `v${at}`, { expiresAt: 1500 })),
        );
        expect(adds.filter(Boolean)).toHaveLength(1);
        expect(await store.get('s', 'k')).toBe(`v${adds.indexOf(true)}`);
        clock.at = 1500;
        expect(await store.add('s', 'k', 'later')).toBe(true);
        expect(await store.delete('s', 'k')).toBe(true);
        expect(await store.add('s', 'k', 'again')).toBe(true);
      },
    );

    eachStore(
      'of many that swap the same value one succeeds, and a missing or expired value is never swapped',
      async (store, clock) => {
        expect(await store.swap('s', 'k', '', 'v')).toBe(false);
        await store.put('s', 'k', 'from', { expiresAt: 1500 });
        expect(await store.swap('s', 'k', 'other', 'v')).toBe(false);
        const swaps = await Promise.all(
          Array.from({ length: 20 }, async (_, at) => store.swap('s', 'k', 'from', `to${at}`, { expiresAt: 2000 })),
        );
        expect(swaps.filter(Boolean)).toHaveLength(1);
        clock.at = 1700;
        expect(await store.get('s', 'k')).toBe(`to${swaps.indexOf(true)}`);
        clock.at = 2000;
        expect(await store.swap('s', 'k', `to${swaps.indexOf(true)}`, 'v')).toBe(false);
      },
    );

    eachStore('of many that take a value one gets it, and an expired value is not taken', async (store, clock) => {
      await store.put('s', 'k', 'v');
      const taken = await Promise.all(Array.from({ length: 20 }, async () => store.take('s', 'k')));
      expect(taken.filter((value) => value !== undefined)).toEqual(['v']);
      await store.put('s', 'k', 'v', { expiresAt: 1001 });
      clock.at = 1001;
      expect(await store.take('s', 'k')).toBeUndefined();
    });

    eachStore('any text comes back as it went in, quotes, NULs and all', async (store) => {
      const text = fc.string({ unit: 'binary' });
      await fc.assert(
        fc.asyncProperty(text, text, text, async (space, key, value) => {
          await store.put(space, key, value);
          expect(await store.get(space, key)).toBe(value);
          expect(await store.list(space, { prefix: key })).toContainEqual({ key, value });
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

    eachStore('a large value is kept whole', async (store) => {
      const value = 'é'.repeat(1_000_000);
      await store.put('s', 'k', value);
      expect((await store.get('s', 'k')) === value).toBe(true);
    });
  });
}
