import { expect, test } from 'vitest';
import { admissionRecords } from './admission-records.js';
import type { AdmissionRecord } from './evidence.js';

const aRecord = (fields: Partial<AdmissionRecord> = {}): AdmissionRecord => ({
  source: 'files',
  decision: 'allow',
  reasons: [],
  findings: [],
  differences: [],
  ...fields,
});
const unread = { unread: 'test' };

function theRecords() {
  const events: string[] = [];
  const records = admissionRecords({
    onEvent: (event) => events.push(event),
    onDecision: () => events.push('decision'),
  });
  return { records, events };
}

test.each([
  [{ decision: 'quarantine' }, 'source.quarantined'],
  [{ decision: 'deny' }, 'source.denied'],
  [{ decision: 'allow' }, 'source.admitted'],
  [{ decision: 'allow', unknown: 'a gap' }, 'source.unread'],
] as const)('a decision %o is reported as %s, once', (fields, event) => {
  const { records, events } = theRecords();
  records.set(aRecord(fields), unread, 'state');
  records.set(aRecord(fields), unread, 'state');
  expect(events).toEqual([event, 'decision']);
  records.set(aRecord(fields), unread, 'other code');
  expect(events.length).toBe(4);
});

test('a record that does not exist is not amended', () => {
  const { records } = theRecords();
  records.amend('files', { unknown: 'x' });
  expect(records.get('files')).toBeUndefined();
  records.setOpen('files');
  records.amend('files', { tools: 3 });
  expect(records.get('files')).toMatchObject({ decision: 'allow', tools: 3 });
});
