import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aJournal, aJournalOf, aRecord } from '../../../test/support/audit.js';
import { aFolder } from '../../../test/support/program.js';
import { readJournal, readFrom, type AuditFilter } from './audit-read.js';

const calls = async (folder: string, filter: AuditFilter): Promise<string[]> =>
  (await readJournal(folder, filter)).entries.flatMap((entry) => ('call' in entry ? entry.call : []));

async function aMixedJournal(): Promise<string> {
  const folder = aFolder();
  const journal = aJournal({ folder, maxFileBytes: 600 });
  await journal.append(aRecord({ call: '1', at: '2026-01-01T00:00:00.000Z', principal: 'ada' }));
  await journal.append(aRecord({ call: '2', at: '2026-01-02T00:00:00.000Z', tool: 'dig' }));
  await journal.append(
    aRecord({ call: '3', at: '2026-01-03T00:00:00.000Z', decision: 'refused', code: 'rate_limited' }),
  );
  await journal.append(aRecord({ call: '4', at: '2026-01-04T00:00:00.000Z', principal: 'ada', tool: 'dig' }));
  journal.close();
  return folder;
}

test.each<[AuditFilter, string[]]>([
  [{}, ['1', '2', '3', '4']],
  [{ principal: 'ada' }, ['1', '4']],
  [{ tool: 'dig' }, ['2', '4']],
  [{ principal: 'ada', tool: 'dig' }, ['4']],
  [{ code: 'rate_limited' }, ['3']],
  [{ decision: 'allowed' }, ['1', '2', '4']],
  [{ since: '2026-01-03T00:00:00.000Z' }, ['3', '4']],
  [{ until: '2026-01-03T00:00:00.000Z' }, ['1', '2']],
  [{ tool: 'none' }, []],
  [{ limit: 0 }, []],
  [{ decision: 'allowed', limit: 2 }, ['2', '4']],
])('the filter %j gives %j', async (filter, expected) => {
  expect(await calls(await aMixedJournal(), filter)).toEqual(expected);
});

test('notes of the journal about itself are shown unless calls are asked for', async () => {
  const folder = await aMixedJournal();
  expect((await readJournal(folder)).entries.some((entry) => 'note' in entry)).toBe(true);
  expect((await readJournal(folder, { tool: 'ping' })).entries.some((entry) => 'note' in entry)).toBe(false);
});

test('the newest are given when there are more than asked for', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 50, { maxFileBytes: 2000 });
  expect(await calls(folder, { tool: 'ping', limit: 3 })).toEqual(['c48', 'c49', 'c50']);
});

test('reading goes on where it stopped, over new files, each entry once', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 2);
  const position = { ...(await readJournal(folder)).end };
  const journal = aJournal({ folder, maxFileBytes: 1000 });
  const seen: string[] = [];
  for (let at = 1; at <= 6; at++) {
    await journal.append(aRecord({ call: `new${at}` }));
    for await (const entry of readFrom(folder, { tool: 'ping' }, position)) if ('call' in entry) seen.push(entry.call);
  }
  journal.close();
  expect(seen).toEqual(['new1', 'new2', 'new3', 'new4', 'new5', 'new6']);
});

test('a record that is half there is read when it is whole', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 2);
  const path = join(folder, '000001.jsonl');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, -20));
  const position = { file: 0, offset: 0 };
  const seen: number[] = [];
  for await (const entry of readFrom(folder, {}, position)) seen.push(entry.seq);
  writeFileSync(path, text);
  for await (const entry of readFrom(folder, {}, position)) seen.push(entry.seq);
  expect(seen).toEqual([1, 2, 3]);
});
