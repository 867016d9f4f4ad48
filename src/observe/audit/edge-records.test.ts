import { expect, test } from 'vitest';
import type { AuditRecord } from '../../guards/audit.js';
import type { AuditLog } from './audit-log.js';
import { edgeRecords } from './edge-records.js';
import type { Log } from '../log/log.js';

function recording(clock: () => number) {
  const records: AuditRecord[] = [];
  const lines: unknown[] = [];
  // Only `append` and `event` are used.
  const journal = { append: async (record: AuditRecord) => void records.push(record) } as unknown as AuditLog;
  const log = { event: (name: string, fields: object) => void lines.push({ name, ...fields }) } as unknown as Log;
  return { records, lines, edge: edgeRecords(journal, log, clock) };
}
const refused = { peer: '198.51.100.7', method: 'GET', route: '/tools', reason: 'invalid' };

test('a refused credential leaves a log line and an audit record with the address of the client', () => {
  const { records, lines, edge } = recording(() => 0);
  edge.credential(refused);
  edge.credential({ ...refused, reason: 'admin_required', principal: 'bob' });
  expect(lines[0]).toEqual({
    name: 'auth.refused',
    method: 'GET',
    route: '/tools',
    reason: 'invalid',
    peer: refused.peer,
  });
  expect(records).toMatchObject([
    {
      event: 'refused',
      principal: 'anonymous',
      tool: 'GET /tools',
      code: 'unauthorized',
      peer: refused.peer,
    },
    { event: 'refused', principal: 'bob', code: 'admin_required' },
  ]);
});

test('a flood of refused credentials is recorded a few times, with the number of the others, and does not hide other clients', () => {
  let now = 0;
  const { records, edge } = recording(() => now);
  for (let count = 0; count < 10_000; count += 1) edge.credential(refused);
  expect(records).toHaveLength(6);
  edge.credential({ ...refused, peer: '203.0.113.9' });
  expect(records[6]).toMatchObject({ peer: '203.0.113.9', detail: { suppressed: 9_994 } });
  for (let count = 0; count < 10_000; count += 1)
    edge.credential({ ...refused, peer: `10.0.${count >> 8}.${count & 255}` });
  expect(records).toHaveLength(60);
  now += 60_000;
  edge.credential(refused);
  expect(records).toHaveLength(61);
});
