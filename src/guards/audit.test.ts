import { expect, test } from 'vitest';
import type { Args } from '../core/call.js';
import { done, refuse } from '../core/outcome.js';
import { sha256 } from '../lib/hash.js';
import { aCall, aTool, guarded, handClock } from '../../test/support/make.js';
import type { AuditLog, AuditRecord } from './audit.js';
import { audit } from './audit.js';
import { validate } from './validate.js';

function memoryLog(): AuditLog & { readonly records: AuditRecord[]; broken: string | undefined } {
  const records: AuditRecord[] = [];
  return {
    records,
    broken: undefined,
    problem() {
      return this.broken;
    },
    append(record) {
      if (this.broken !== undefined) return Promise.reject(new Error(this.broken));
      records.push(record);
      return undefined;
    },
  };
}

const writer = aTool({
  effects: { reads: false, writes: true, destroys: false, idempotent: false, openWorld: false, labels: [] },
});

test('a call is recorded with who, what, how it ended and how long it took', async () => {
  const log = memoryLog();
  const clock = handClock(100);
  await guarded([audit({ log, clock })], async () => {
    clock.advance(5);
    return done('x');
  })(aCall({ receivedAt: 100, args: { text: 'secret' } }));
  expect(log.records).toMatchObject([
    {
      event: 'end',
      decision: 'allowed',
      principal: 'ada',
      via: 'rest',
      tool: 'echo',
      correlationId: 'c1',
      durationMs: 5,
    },
  ]);
  expect(JSON.stringify(log.records)).not.toContain('secret');
  expect(log.records[0]?.argsDigest).toMatch(/^[0-9a-f]{64}$/);
});

test('a refusal is recorded too, with its code', async () => {
  const log = memoryLog();
  await guarded([audit({ log }), validate], () => Promise.resolve(done('')))(aCall({ args: { nonsense: 1 } }));
  expect(log.records).toMatchObject([{ event: 'refused', decision: 'refused', code: 'invalid_arguments' }]);
});

test('a failure of the tool is not a refusal', async () => {
  const log = memoryLog();
  await guarded([audit({ log })], () => Promise.resolve(refuse('timeout', 'slow')))(aCall());
  expect(log.records).toMatchObject([{ event: 'end', decision: 'failed', code: 'timeout' }]);
});

test('a call that changes something is written down before it runs', async () => {
  const log = memoryLog();
  await guarded(
    [audit({ log })],
    () => {
      expect(log.records).toMatchObject([{ event: 'begin' }]);
      return Promise.resolve(done(''));
    },
    writer,
  )(aCall());
  expect(log.records.map((record) => record.event)).toEqual(['begin', 'end']);
});

test('what cannot be recorded does not happen', async () => {
  const log = memoryLog();
  log.broken = 'disk full';
  let ran = false;
  const call = guarded([audit({ log })], () => {
    ran = true;
    return Promise.resolve(done(''));
  });
  expect(await call(aCall())).toMatchObject({ error: { code: 'audit_unavailable' } });
  expect(ran).toBe(false);
});

test('when the disk is back, calls go on', async () => {
  const log = memoryLog();
  const states: (string | undefined)[] = ['disk full', undefined];
  const healing: AuditLog = {
    problem: () => 'disk full',
    append: (record) => {
      states.shift();
      return log.append(record);
    },
  };
  expect(await guarded([audit({ log: healing })], () => Promise.resolve(done('ok')))(aCall())).toMatchObject({
    kind: 'done',
  });
});

test('a record lost after the call withholds the result: what is answered is on record', async () => {
  const log = memoryLog();
  const call = guarded([audit({ log })], () => {
    log.broken = 'disk full';
    return Promise.resolve(done('result'));
  });
  expect(await call(aCall())).toMatchObject({ error: { code: 'audit_unavailable' } });
});

test('an operator may choose to go on without records', async () => {
  const log = memoryLog();
  log.broken = 'disk full';
  expect(
    await guarded([audit({ log, onFailure: 'continue' })], () => Promise.resolve(done('ok')), writer)(aCall()),
  ).toMatchObject({ kind: 'done' });
});

test('arguments are kept only if wanted, and as the redactor leaves them', async () => {
  const log = memoryLog();
  await guarded([audit({ log, redact: () => ({ text: '***' }) })], () => Promise.resolve(done('')))(
    aCall({ args: { text: 'secret' } }),
  );
  expect(log.records).toMatchObject([{ args: { text: '***' } }]);
});

test('an exception of a guard is recorded and answered as an internal error; its text goes to the log only', async () => {
  const log = memoryLog();
  const faults: unknown[] = [];
  const bug = new Error('a bug with details');
  const call = guarded([audit({ log, faults: { fault: (error) => faults.push(error) } })], () => Promise.reject(bug));
  expect(await call(aCall())).toMatchObject({
    kind: 'failed',
    error: { code: 'internal', message: expect.stringContaining('c1') },
  });
  expect(faults).toEqual([bug]);
  expect(log.records).toMatchObject([{ event: 'end', decision: 'failed', code: 'internal' }]);
  expect(JSON.stringify(log.records)).not.toContain('a bug with details');
});

test('large arguments have the same digest as small ones would, before and after the call', async () => {
  const log = memoryLog();
  const text = 'x'.repeat(40_000);
  await guarded([audit({ log })], () => Promise.resolve(done('x')), writer)(aCall({ args: { text } }));
  expect(log.records.map(({ event, argsDigest }) => [event, argsDigest])).toEqual([
    ['begin', sha256(`{"text":"${text}"}`)],
    ['end', sha256(`{"text":"${text}"}`)],
  ]);
});

test('arguments without a canonical form cost no record', async () => {
  const log = memoryLog();
  const args: Record<string, unknown> = {};
  args['self'] = args;
  await guarded([audit({ log })], () => Promise.resolve(done('x')))(aCall({ args: args as Args }));
  expect(log.records).toMatchObject([{ event: 'end', argsDigest: 'unreadable' }]);
});

test('a record has the decision in detail, a message of bounded length, and the listed name only if it differs', async () => {
  const log = memoryLog();
  const refusal = refuse('policy_denied', 'm'.repeat(900), { decision: { rule: 'no-writes' } });
  const renamed = aTool({ listed: { name: 'original', description: 'd' } });
  await guarded([audit({ log })], () => Promise.resolve(refusal), renamed)(aCall());
  const same = aTool({ listed: { name: 'echo', description: 'd' } });
  await guarded([audit({ log })], () => Promise.resolve(done('x')), same)(aCall());
  const [first, second] = log.records;
  expect(first).toMatchObject({ event: 'refused', detail: { rule: 'no-writes' }, listedAs: 'original' });
  expect(first?.message).toHaveLength(500);
  expect(second?.listedAs).toBeUndefined();
  expect(second?.detail).toBeUndefined();
});
