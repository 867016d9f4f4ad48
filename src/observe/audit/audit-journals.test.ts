import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aJournal, aJournalOf, aRecord } from '../../../test/support/audit.js';
import { aFolder } from '../../../test/support/program.js';
import { followAll, journalsIn, readAll, verifyAll, type JournalEntry } from './audit-journals.js';

const call = (entry: JournalEntry): string[] => ('call' in entry ? [`${entry.journal}:${entry.call}`] : []);

/** Two gateways that wrote at the same time. */
async function twoJournals(): Promise<string> {
  const folder = aFolder();
  const [one, two] = [aJournal({ folder: join(folder, '1') }), aJournal({ folder: join(folder, '2') })];
  for (let at = 1; at <= 4; at++)
    await (at % 2 ? one : two).append(aRecord({ call: `c${at}`, at: `2026-01-0${at}T00:00:00.000Z` }));
  one.close();
  two.close();
  return folder;
}

test('journals side by side read as one, in the order of time', async () => {
  const folder = await twoJournals();
  expect((await readAll(folder, { tool: 'ping' })).entries.flatMap(call)).toEqual(['1:c1', '2:c2', '1:c3', '2:c4']);
  expect((await readAll(folder, { tool: 'ping', limit: 3 })).entries.flatMap(call)).toEqual(['2:c2', '1:c3', '2:c4']);
  expect((await readAll(folder, { limit: 0 })).entries).toEqual([]);
});

test('following shows new records of old and of new journals', async () => {
  const folder = await twoJournals();
  const { ends } = await readAll(folder);
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const entry of followAll(folder, { tool: 'ping' }, ends, stop.signal, 1)) {
      seen.push(...call(entry));
      if (seen.length === 3) stop.abort();
    }
  })();
  await aJournalOf(join(folder, '2'), 1);
  await aJournalOf(join(folder, '3'), 2);
  await following;
  expect(seen.sort()).toEqual(['2:c1', '3:c1', '3:c2']);
});

test('following a folder that does not exist yet waits for it', async () => {
  const folder = join(aFolder(), 'audit');
  const stop = new AbortController();
  const first = followAll(folder, { tool: 'ping' }, new Map(), stop.signal, 1).next();
  await aJournalOf(join(folder, '1'), 1);
  expect((await first).value).toMatchObject({ call: 'c1', journal: 1 });
  stop.abort();
});

test('every journal is verified', async () => {
  const folder = await twoJournals();
  expect(await verifyAll(folder)).toMatchObject({
    intact: true,
    records: 6,
    findings: [],
    journals: [
      { journal: 1, intact: true },
      { journal: 2, intact: true },
    ],
  });
  rmSync(join(folder, '2', 'head.json'));
  expect(await verifyAll(folder)).toMatchObject({
    intact: false,
    journals: [
      { journal: 1, intact: true },
      { journal: 2, intact: false },
    ],
  });
});

test('a journal removed from between is missed', async () => {
  const folder = await twoJournals();
  await aJournalOf(join(folder, '3'), 1);
  rmSync(join(folder, '2'), { recursive: true });
  expect(await verifyAll(folder)).toMatchObject({
    intact: false,
    findings: [{ kind: 'missing', message: 'journal 2 is missing' }],
  });
});

test('a hash noted earlier may stand in any journal, and must stand in one', async () => {
  const folder = await twoJournals();
  const { journals } = await verifyAll(folder);
  for (const { head } of journals)
    expect(await verifyAll(folder, { contains: head.hash })).toMatchObject({ intact: true });
  expect(await verifyAll(folder, { contains: 'f'.repeat(64) })).toMatchObject({
    intact: false,
    findings: [{ kind: 'absent' }],
  });
});

test('only numbered folders are journals', async () => {
  const folder = aFolder();
  for (const name of ['1', '10', '2', '0', '01', 'x', '1.old']) mkdirSync(join(folder, name));
  expect(journalsIn(folder)).toEqual([1, 2, 10]);
  expect(await verifyAll(join(folder, 'none'), { contains: 'f'.repeat(64) })).toMatchObject({ intact: false });
});
