import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aJournal, aJournalOf, aRecord } from '../../../test/support/audit.js';
import { aFolder, aProgram } from '../../../test/support/program.js';
import { auditLog, type AuditEntry } from './audit-log.js';
import { readJournal } from './audit-read.js';
import { verifyJournal } from './audit-verify.js';

const linesOf = (folder: string, file = '000001.jsonl'): string[] =>
  readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');
const callsIn = async (folder: string): Promise<string[]> =>
  (await readJournal(folder)).entries.flatMap((entry: AuditEntry) => ('call' in entry ? entry.call : []));

test('records come back as they were given, numbered and chained', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 3);
  const { entries } = await readJournal(folder);
  expect(entries.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
  expect(entries.at(-1)).toMatchObject(aRecord({ call: 'c3' }));
  expect(await verifyJournal(folder)).toMatchObject({ intact: true, records: 4, findings: [] });
});

test('records of one turn go out in one write, in the order they came', async () => {
  const folder = aFolder();
  let writes = 0;
  const journal = aJournal({ folder, write: (fd, data) => (writes++, writeSync(fd, data)) });
  await Promise.all(Array.from({ length: 64 }, (_, at) => journal.append(aRecord({ call: `c${at}` }))));
  journal.close();
  expect(writes).toBe(1);
  expect(await callsIn(folder)).toEqual(Array.from({ length: 64 }, (_, at) => `c${at}`));
});

test.each(['never', 'batch', 'always'] as const)(
  'with sync %s every record is written and the chain holds',
  async (sync) => {
    const folder = aFolder();
    const journal = aJournal({ folder, sync });
    await Promise.all([1, 2, 3].map((at) => journal.append(aRecord({ call: `c${at}` }))));
    journal.close();
    expect(await callsIn(folder)).toEqual(['c1', 'c2', 'c3']);
    expect(await verifyJournal(folder)).toMatchObject({ intact: true });
  },
);

test('only the owner can read the journal', async () => {
  const folder = join(aFolder(), 'audit');
  await aJournalOf(folder, 1);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});

test('the chain goes on across files and across restarts', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 10, { maxFileBytes: 1200 });
  await aJournalOf(folder, 10, { maxFileBytes: 1200 });
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  expect(files.length).toBeGreaterThan(3);
  expect(await verifyJournal(folder)).toMatchObject({ intact: true, files: files.length });
  expect(await callsIn(folder)).toHaveLength(20);
});

test('a second writer is refused, and let in when the first has closed', async () => {
  const folder = aFolder();
  const journal = aJournal({ folder });
  expect(auditLog({ folder })).toEqual({ ok: false, problem: expect.stringContaining(`process ${process.pid}`) });
  journal.close();
  aJournal({ folder }).close();
});

test('a torn tail is put aside and cut, and nothing before it is lost', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 3);
  const torn = '{"seq":5,"event":"end","at":"2026';
  appendFileSync(join(folder, '000001.jsonl'), torn);
  const notes: unknown[] = [];
  const journal = aJournal({ folder, onNote: (note) => notes.push(note) });
  await journal.append(aRecord({ call: 'c4' }));
  journal.close();
  expect(await callsIn(folder)).toEqual(['c1', 'c2', 'c3', 'c4']);
  expect(notes).toMatchObject([{ note: 'torn', detail: { bytes: torn.length } }]);
  const aside = readdirSync(folder).filter((name) => name.includes('.torn-'));
  expect(readFileSync(join(folder, aside[0]!), 'utf8')).toBe(torn);
  expect(await verifyJournal(folder)).toMatchObject({ intact: true });
});

test.each([
  ['zeros where the disk never got the data', '\0'.repeat(5000)],
  ['zeros with line feeds', '\0\n\0\n'],
  ['a long run of garbage', 'x'.repeat(600_000)],
  ['half of a record and a line feed', '{"seq":5,"event":"end"\n'],
])('a tail of %s is repaired', async (_, tail) => {
  const folder = aFolder();
  await aJournalOf(folder, 3);
  appendFileSync(join(folder, '000001.jsonl'), tail);
  await aJournalOf(folder, 1);
  expect(await callsIn(folder)).toEqual(['c1', 'c2', 'c3', 'c1']);
  expect(await verifyJournal(folder)).toMatchObject({ intact: true });
});

test('a new file torn in its first line leaves the file before it as the end', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 3);
  writeFileSync(join(folder, '000002.jsonl'), '{"seq":5,"note":"fi');
  await aJournalOf(folder, 1);
  expect(linesOf(folder, '000002.jsonl')[0]).toContain('"note":"file"');
  expect(await callsIn(folder)).toEqual(['c1', 'c2', 'c3', 'c1']);
  expect(await verifyJournal(folder)).toMatchObject({ intact: true });
});

test('a restart does not hide that records were cut off: the journal shows it from then on', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 5);
  const lines = linesOf(folder);
  truncateSync(join(folder, '000001.jsonl'), Buffer.byteLength(`${lines.slice(0, -2).join('\n')}\n`));
  await aJournalOf(folder, 1);
  expect(await verifyJournal(folder)).toMatchObject({ intact: false, findings: [{ kind: 'lost' }] });
});

test('a restart does not cut off a whole record whose hash is wrong, since it is evidence', async () => {
  const folder = aFolder();
  await aJournalOf(folder, 3);
  const path = join(folder, '000001.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"call":"c3"', '"call":"c9"'));
  await aJournalOf(folder, 1);
  expect(await callsIn(folder)).toEqual(['c1', 'c2', 'c9', 'c1']);
  expect(await verifyJournal(folder)).toMatchObject({ intact: false, findings: [{ kind: 'changed', seq: 4 }] });
});

test('a record too long for a line keeps who, what and when, and loses what callers can make long', async () => {
  const folder = aFolder();
  const journal = aJournal({ folder });
  await journal.append(aRecord({ args: { text: '\u{1f600}'.repeat(40_000) }, message: 'm'.repeat(100_000) }));
  journal.close();
  const { entries } = await readJournal(folder);
  expect(entries.at(-1)).toMatchObject({ tool: 'ping', principal: 'local', detail: { omitted: expect.any(String) } });
  expect(Math.max(...linesOf(folder).map((line) => Buffer.byteLength(line)))).toBeLessThan(65_536);
  expect(await verifyJournal(folder)).toMatchObject({ intact: true });
});

test('a full disk rejects the records it did not take, and reports so until a write succeeds', async () => {
  const folder = aFolder();
  let full = false;
  const notes: { readonly note: string }[] = [];
  const journal = aJournal({
    folder,
    retryMs: 0,
    onNote: (note) => notes.push(note),
    // A disk that fills up takes part of the data before it refuses.
    write: (fd, data) => {
      if (!full) return writeSync(fd, data);
      writeSync(fd, data.subarray(0, 40));
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  });
  await journal.append(aRecord({ call: 'before' }));
  expect(journal.problem()).toBeUndefined();
  full = true;
  await expect(journal.append(aRecord({ call: 'lost' }))).rejects.toThrow('no space left on the disk');
  expect(journal.problem()).toContain('no space left on the disk');
  full = false;
  expect(journal.problem()).toBeUndefined();
  await journal.append(aRecord({ call: 'after' }));
  journal.close();
  expect(await callsIn(folder)).toEqual(['before', 'after']);
  expect(notes.map((note) => note.note)).toEqual(['failed', 'resumed']);
  expect(await verifyJournal(folder)).toMatchObject({ intact: true, findings: [] });
});

test('while writing fails the disk is not tried on every call', async () => {
  let writes = 0;
  const journal = aJournal({
    folder: aFolder(),
    retryMs: 60_000,
    write: () => {
      writes++;
      throw Object.assign(new Error('broken'), { code: 'EIO' });
    },
  });
  await expect(journal.append(aRecord())).rejects.toThrow('input/output error');
  for (let at = 0; at < 100; at++) expect(journal.problem()).toContain('input/output error');
  expect(writes).toBe(1);
  journal.close();
});

test('a journal where no file can be made is refused with the reason and no path', () => {
  const folder = join(aFolder(), 'file');
  writeFileSync(folder, '');
  const opened = auditLog({ folder });
  expect(opened).toEqual({
    ok: false,
    problem: expect.stringMatching(
      /^Cannot open the audit journal: (it already exists|a part of the path is not a folder)$/,
    ),
  });
});

test('a real file size limit rejects the record and keeps the journal whole', async () => {
  const folder = aFolder();
  const program = aProgram(
    `import { auditLog } from './src/observe/audit/audit-log.js';
     import { aRecord } from './test/support/audit.js';
     process.on('SIGXFSZ', () => {});
     const opened = auditLog({ folder: process.argv[2], retryMs: 0 });
     let taken = 0, problem;
     try { for (;;) { await opened.log.append(aRecord()); taken++; } } catch (error) { problem = opened.log.problem(); }
     console.log(JSON.stringify({ taken, problem }));`,
  );
  const run = spawnSync('prlimit', ['--fsize=20000', process.execPath, program, folder], { encoding: 'utf8' });
  const { taken, problem } = JSON.parse(run.stdout);
  expect(problem).toContain('the file is too large');
  expect(await callsIn(folder)).toHaveLength(taken);
  await aJournalOf(folder, 1);
  expect(await verifyJournal(folder)).toMatchObject({ intact: true });
});

test('kill -9 while writing loses nothing that was acknowledged, and the next start takes over', async () => {
  const folder = aFolder();
  const program = aProgram(
    `import { auditLog } from './src/observe/audit/audit-log.js';
     import { aRecord } from './test/support/audit.js';
     import { writeSync } from 'node:fs';
     const opened = auditLog({ folder: process.argv[2], maxFileBytes: 50_000 });
     for (let at = 0; ; at += 8) {
       await Promise.all(Array.from({ length: 8 }, (_, i) => opened.log.append(aRecord({ call: String(at + i) }))));
       writeSync(1, String(at + 7) + '\\n');
     }`,
  );
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.length > 5000) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const acknowledged = Number(said.trimEnd().split('\n').at(-1));
  expect(existsSync(join(folder, 'lock'))).toBe(true);
  await aJournalOf(folder, 1);
  const calls = (await readJournal(folder, { limit: 1e9 })).entries.flatMap((entry) =>
    'call' in entry ? entry.call : [],
  );
  expect(calls.slice(0, acknowledged + 1)).toEqual(Array.from({ length: acknowledged + 1 }, (_, at) => String(at)));
  expect(await verifyJournal(folder)).toMatchObject({ intact: true });
});

test('a journal deleted while open is begun anew and records what is gone', async () => {
  const folder = join(aFolder(), 'audit');
  mkdirSync(folder);
  const notes: { readonly note: string }[] = [];
  const journal = aJournal({ folder, checkEveryMs: 0, onNote: (note) => notes.push(note) });
  await journal.append(aRecord({ call: 'gone' }));
  rmSync(folder, { recursive: true });
  await journal.append(aRecord({ call: 'kept' }));
  journal.close();
  expect(notes).toMatchObject([{ note: 'lost' }]);
  expect(await callsIn(folder)).toEqual(['kept']);
  expect((await verifyJournal(folder)).findings.map((finding) => finding.kind)).toEqual(['missing', 'lost']);
});

test('closing writes what waits, before it returns', async () => {
  const folder = aFolder();
  const journal = aJournal({ folder });
  await journal.append(aRecord());
  const waiting = journal.append(aRecord({ call: 'c2' }));
  journal.close();
  expect(linesOf(folder).at(-1)).toContain('"call":"c2"');
  await waiting;
  await expect(journal.append(aRecord())).rejects.toThrow('closed');
});
