import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aJournalOf } from '../../../test/support/audit.js';
import { aFolder } from '../../../test/support/program.js';
import { seal, unseal } from './audit-entry.js';
import { verifyJournal } from './audit-verify.js';

/** Changes the lines of a file as somebody with an editor would. */
function edit(folder: string, change: (lines: string[]) => readonly string[], file = '000001.jsonl'): void {
  const path = join(folder, file);
  writeFileSync(
    path,
    change(readFileSync(path, 'utf8').trimEnd().split('\n'))
      .map((line) => `${line}\n`)
      .join(''),
  );
}

const line = (lines: readonly string[], at: number): string => lines[at] ?? '';

test.each<[string, (lines: string[]) => readonly string[], object]>([
  [
    'a changed field',
    (lines) => lines.map((each) => each.replace('"call":"c3"', '"call":"cX"')),
    { kind: 'changed', line: 4, seq: 4 },
  ],
  [
    'a changed space',
    (lines) => lines.map((each) => each.replace('"call":"c3"', '"call": "c3"')),
    { kind: 'changed', line: 4 },
  ],
  [
    'a record removed from the middle',
    (lines) => lines.toSpliced(3, 1),
    { kind: 'missing', line: 4, message: expect.stringContaining('records 4 to 4') },
  ],
  ['a record removed from the start', (lines) => lines.slice(1), { kind: 'missing', line: 1 }],
  [
    'two records swapped',
    (lines) => [...lines.slice(0, 2), line(lines, 3), line(lines, 2), ...lines.slice(4)],
    { kind: 'missing', line: 3 },
  ],
  ['a record repeated', (lines) => [...lines, line(lines, 2)], { kind: 'reordered', line: 7 }],
  ['the last record cut off', (lines) => lines.slice(0, -1), { kind: 'truncated', seq: 5 }],
  ['all records cut off', () => [], { kind: 'truncated', seq: 0 }],
  ['a line that is no record', (lines) => [...lines, 'hello'], { kind: 'unreadable', line: 7 }],
  ['a line longer than any record', (lines) => [...lines, 'x'.repeat(500_000)], { kind: 'unreadable', line: 7 }],
])('%s is found and placed', async (_, change, finding) => {
  const folder = aFolder();
  await aJournalOf(folder, 5);
  edit(folder, change);
  const verified = await verifyJournal(folder);
  expect(verified.intact).toBe(false);
  expect(verified.findings[0]).toMatchObject(finding);
});

test('a record forged with a matching hash is found by the one after it', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 5);
  edit(folder, (lines) => {
    const { hash: _, seq, ...record } = unseal(line(lines, 2))!;
    return lines.with(2, seal(seq, { ...record, at: '2020-01-01T00:00:00.000Z' }, unseal(line(lines, 1))!.hash).line);
  });
  expect((await verifyJournal(folder)).findings).toMatchObject([{ kind: 'changed', seq: 4 }]);
});

test('a last record forged with a matching hash is found by the head', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 2);
  edit(folder, (lines) => {
    const { hash: _, seq, ...record } = unseal(line(lines, 2))!;
    return lines.with(2, seal(seq, { ...record, at: '2020-01-01T00:00:00.000Z' }, unseal(line(lines, 1))!.hash).line);
  });
  expect((await verifyJournal(folder)).findings).toMatchObject([
    { kind: 'changed', message: expect.stringContaining('head') },
  ]);
});

test('a whole file removed is found, at the start, in the middle and at the end', async () => {
  for (const [gone, kind] of [
    ['000001', 'missing'],
    ['000002', 'missing'],
    ['000005', 'truncated'],
  ] as const) {
    const folder = aFolder();
    await aJournalOf(folder, 10, { maxFileBytes: 900 });
    rmSync(join(folder, `${gone}.jsonl`));
    expect((await verifyJournal(folder)).findings.map((finding) => finding.kind)).toContain(kind);
  }
});

test('files moved to an archive are accepted when that is said, and only at the start', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 10, { maxFileBytes: 900 });
  rmSync(join(folder, '000001.jsonl'));
  expect(await verifyJournal(folder, { archived: true })).toMatchObject({ intact: true });
  rmSync(join(folder, '000003.jsonl'));
  expect(await verifyJournal(folder, { archived: true })).toMatchObject({ intact: false });
});

test('a missing head is reported, since records cut off at the end would not be missed', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 2);
  rmSync(join(folder, 'head.json'));
  expect((await verifyJournal(folder)).findings).toMatchObject([{ kind: 'head' }]);
});

test('a hash noted elsewhere shows that a chain was not written anew', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 2);
  const { head } = await verifyJournal(folder);
  await aJournalOf(folder, 2);
  expect(await verifyJournal(folder, { contains: head.hash })).toMatchObject({ intact: true });
  expect(await verifyJournal(folder, { contains: 'f'.repeat(64) })).toMatchObject({ intact: false });
});

test('findings are bounded however broken the journal is', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 1);
  edit(folder, () => Array.from({ length: 5000 }, () => 'x'));
  expect((await verifyJournal(folder)).findings).toHaveLength(100);
});

test('any single byte changed anywhere in the journal is found', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 3);
  const path = join(folder, '000001.jsonl');
  const original = readFileSync(path);
  await fc.assert(
    fc.asyncProperty(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      const changed = Buffer.from(original);
      changed[at] = (changed[at] ?? 0) ^ flip;
      writeFileSync(path, changed);
      expect((await verifyJournal(folder)).intact).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test('a line that is not sealed is no record, whatever it holds', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void expect(unseal(text)).toBeUndefined()));
});

test('an empty or absent folder is intact and empty', async () => {
  expect(await verifyJournal(join(aFolder(), 'absent'))).toMatchObject({ intact: true, records: 0, files: 0 });
});
