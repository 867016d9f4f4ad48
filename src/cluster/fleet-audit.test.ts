import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingEngines, startPostgres } from '../../test/support/engines.mjs';
import { aFolder } from '../../test/support/program.js';
import type { AuditRecord } from '../guards/audit.js';
import { auditLog, type AuditLog } from '../observe/audit/audit-log.js';
import { checkpointKey, writeCheckpoint } from '../observe/audit/fleet/checkpoints.js';
import { readFleet } from '../observe/audit/fleet/read-fleet.js';
import { shippedJournal } from '../observe/audit/fleet/shipped-journal.js';
import { auditShipper, type AuditShipper } from '../observe/audit/fleet/shipper.js';
import { verifyFleet } from '../observe/audit/fleet/verify-fleet.js';
import { postgresAuditArchive, type AuditArchive } from '../state/postgres/audit-archive.js';
import { openPostgres, type PostgresEngine } from '../state/postgres/open-postgres.js';

const aRecord = (call: string): AuditRecord => ({
  event: 'end',
  at: new Date().toISOString(),
  call,
  correlationId: call,
  principal: 'ada',
  via: 'rest',
  tool: 'ping\u0000',
  definition: '',
  argsDigest: '',
  decision: 'allowed',
});

function openLog(folder: string): AuditLog {
  const opened = auditLog({ folder });
  if (!opened.ok) throw new Error(opened.problem);
  return opened.log;
}

describe.skipIf(missingEngines().length > 0)('audit of a fleet', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let postgres: PostgresEngine;
  let archive: AuditArchive;
  const key = checkpointKey(Buffer.alloc(32, 1));
  const keys = [key];

  beforeAll(async () => {
    server = await startPostgres();
    postgres = await openPostgres(server.url);
    archive = postgresAuditArchive(postgres);
  }, 60_000);
  afterAll(async () => {
    await postgres?.close();
    await server?.end();
  });

  /** A replica that has written and shipped some records. */
  async function aReplica(name: string, records: number): Promise<{ log: AuditLog; shipper: AuditShipper }> {
    const log = openLog(join(aFolder(), 'journal'));
    const shipper = auditShipper(log, archive, name);
    for (let at = 0; at < records; at += 1) await log.append(aRecord(`${name}-${at}`));
    await shipper.shipped(log.head().seq);
    return { log, shipper };
  }

  test('chains of all replicas arrive, and every kind of tampering is found [I12]', async () => {
    const replicas = [await aReplica('a', 5), await aReplica('b', 5)];
    expect(await writeCheckpoint(archive, key)).toBe(true);
    expect(await writeCheckpoint(archive, key)).toBe(false);
    await replicas[0]?.log.append(aRecord('later'));
    await replicas[0]?.shipper.shipped(replicas[0].log.head().seq);
    expect(await writeCheckpoint(archive, key)).toBe(true);
    expect(await verifyFleet(archive, { keys })).toMatchObject({ intact: true, checkpoints: 2, findings: [] });
    const found = await readFleet(archive, { principal: 'ada', limit: 3 });
    expect(found.map((entry) => 'call' in entry && entry.call).at(-1)).toBe('later');
    expect(found).toHaveLength(3);

    const journal = replicas[0]?.shipper.journal ?? '';
    const { sql } = postgres;
    const tampering: Readonly<Record<string, () => PromiseLike<unknown>>> = {
      'a deleted line': () => sql`DELETE FROM toolgate_audit_lines WHERE journal = ${journal} AND seq = 3`,
      'a changed line': () =>
        sql`UPDATE toolgate_audit_lines SET line = replace(line, 'ada', 'bob') WHERE journal = ${journal} AND seq = 3`,
      'swapped lines': () =>
        sql`UPDATE toolgate_audit_lines l SET line = o.line, hash = o.hash FROM toolgate_audit_lines o
            WHERE l.journal = ${journal} AND o.journal = ${journal} AND l.seq IN (3, 4) AND o.seq = 7 - l.seq`,
      'a cut tail': () => sql`DELETE FROM toolgate_audit_lines WHERE journal = ${journal} AND seq > 4`,
      'a deleted journal': async () => {
        await sql`DELETE FROM toolgate_audit_lines WHERE journal = ${journal}`;
        await sql`DELETE FROM toolgate_audit_journals WHERE journal = ${journal}`;
      },
      'a deleted checkpoint': () => sql`DELETE FROM toolgate_audit_checkpoints WHERE id = 1`,
      'a changed checkpoint': () =>
        sql`UPDATE toolgate_audit_checkpoints SET body = replace(body, '"lost":{}', '"lost":{"x":1}') WHERE id = 2`,
    };
    for (const [what, tamper] of Object.entries(tampering)) {
      await sql`CREATE TABLE saved_lines AS SELECT * FROM toolgate_audit_lines`;
      await sql`CREATE TABLE saved_journals AS SELECT * FROM toolgate_audit_journals`;
      await sql`CREATE TABLE saved_checkpoints AS SELECT * FROM toolgate_audit_checkpoints`;
      await tamper();
      expect(await verifyFleet(archive, { keys }), what).toMatchObject({ intact: false });
      await sql`TRUNCATE toolgate_audit_lines, toolgate_audit_journals, toolgate_audit_checkpoints`;
      await sql`INSERT INTO toolgate_audit_lines SELECT * FROM saved_lines`;
      await sql`INSERT INTO toolgate_audit_journals SELECT * FROM saved_journals`;
      await sql`INSERT INTO toolgate_audit_checkpoints SELECT * FROM saved_checkpoints`;
      await sql`DROP TABLE saved_lines, saved_journals, saved_checkpoints`;
    }
    const forged = checkpointKey(Buffer.alloc(32, 2));
    expect(await verifyFleet(archive, { keys: [forged] })).toMatchObject({
      intact: false,
      findings: [{ kind: 'signature' }, { kind: 'signature' }],
    });
    expect(await verifyFleet(archive, { keys, contains: 'f'.repeat(64) })).toMatchObject({ intact: false });
    for (const { log, shipper } of replicas) {
      await shipper.close();
      log.close();
    }
  });

  test('records that a crashed replica had not shipped arrive after its restart [I2]', async () => {
    const folder = join(aFolder(), 'journal');
    const before = openLog(folder);
    for (let at = 0; at < 3; at += 1) await before.append(aRecord(`crash-${at}`));
    before.close();
    const log = openLog(folder);
    const shipper = auditShipper(log, archive, 'c');
    await shipper.shipped(log.head().seq);
    const calls = (await readFleet(archive)).flatMap((entry) => ('call' in entry ? [entry.call] : []));
    expect(calls).toEqual(expect.arrayContaining(['crash-0', 'crash-1', 'crash-2']));
    await shipper.close();
    log.close();
    expect(await verifyFleet(archive, { keys })).toMatchObject({ intact: true });
  });

  test('while PostgreSQL is away a shipped record is refused in time and a local one is not; both arrive later', async () => {
    const { log, shipper } = await aReplica('d', 1);
    let ack: 'local' | 'writes' | 'shipped' = 'shipped';
    const journal = shippedJournal(log, shipper, () => ack);
    server.signal('SIGSTOP');
    await expect(journal.append(aRecord('d-shipped'))).rejects.toThrow('archive is not available');
    expect(journal.problem()).toContain('archive is not available');
    ack = 'writes';
    await journal.append(aRecord('d-local'));
    await expect(journal.append({ ...aRecord('d-write'), event: 'begin' })).rejects.toThrow('not available');
    server.signal('SIGCONT');
    await expect.poll(() => shipper.shipped(log.head().seq).catch(() => 'down'), { timeout: 10_000 }).toBeUndefined();
    expect((await readFleet(archive, { call: 'd-local' })).length).toBe(1);
    expect(await verifyFleet(archive, { keys })).toMatchObject({ intact: true });
    await shipper.close();
    log.close();
  });

  test('a journal whose folder is copied to another replica is not merged into it unnoticed', async () => {
    const { log, shipper } = await aReplica('e', 2);
    const copy = join(aFolder(), 'journal');
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, 'journal-id'), shipper.journal);
    const other = openLog(copy);
    const second = auditShipper(other, archive, 'f');
    for (let at = 0; at < 6; at += 1) await other.append(aRecord(`f-${at}`));
    await second.shipped(other.head().seq);
    expect(await verifyFleet(archive, { keys })).toMatchObject({ intact: false });
    for (const each of [log, other]) each.close();
    await Promise.all([shipper.close(), second.close()]);
  });
});
