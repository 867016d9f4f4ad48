import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { aFolder } from '../../test/support/program.js';
import { memoryStore } from './memory-store.js';
import { sqliteStore } from './sqlite-store.js';
import { checkStore } from '../../test/support/store-contract.js';
import type { Store } from './store.js';

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
for (const [kind, make] of kinds) checkStore(kind, make);

test('two stores list in the same order, whatever the keys', async () => {
  const stores = await Promise.all(kinds.map(([, make]) => make(() => 0)));
  let space = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (keys) => {
      space++;
      for (const store of stores) for (const key of keys) await store.put(`${space}`, key, '');
      const [first, ...others] = await Promise.all(stores.map((store) => store.list(`${space}`)));
      for (const other of others) expect(other).toEqual(first);
    }),
    { numRuns: 50 },
  );
});
