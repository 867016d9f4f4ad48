import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditLog } from '../dist/observe/audit/audit-log.js';
import { verifyJournal } from '../dist/observe/audit/audit-verify.js';
import { log } from '../dist/observe/log/log.js';
import { metrics } from '../dist/observe/metrics/metrics.js';

const record = (call) => ({
  event: 'end',
  at: new Date().toISOString(),
  call,
  correlationId: call,
  principal: 'local',
  via: 'rest',
  tool: 'ping',
  definition: 'd'.repeat(64),
  argsDigest: 'a'.repeat(64),
  decision: 'allowed',
  durationMs: 12.345,
});

/** Microseconds per record with so many in flight; the journal is verified afterwards. */
async function auditMicroseconds(inFlight, records) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  try {
    const opened = auditLog({ folder });
    if (!opened.ok) throw new Error(opened.problem);
    let next = 0;
    const work = async () => {
      while (next < records) await opened.log.append(record(`call-${next++}`));
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: inFlight }, work));
    const perRecord = ((performance.now() - start) * 1000) / records;
    opened.log.close();
    const verified = await verifyJournal(folder);
    if (!verified.intact || verified.records !== records + 1)
      throw new Error('the journal written by the benchmark is not intact');
    return perRecord;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nanoseconds that counting adds to one call: its start and its end. */
function metricsNanoseconds(calls) {
  const made = metrics();
  made.tools(['ping', 'dig', 'nmap']);
  const names = ['ping', 'dig', 'nmap'];
  const start = performance.now();
  for (let at = 0; at < calls; at++) {
    const name = names[at % 3];
    made.started(name);
    if (at % 10 === 0) made.ended(name, 'failure', 'timeout', 0.5);
    else made.ended(name, 'success', 'none', 0.02);
  }
  const perCall = ((performance.now() - start) * 1e6) / calls;
  const totals = made.totals();
  if (totals.active !== 0 || totals.success + totals.failure !== calls)
    throw new Error('calls were lost while counting');
  return perCall;
}

/** Microseconds of one log line with its ids and two secrets to look for, in each form; lines are counted, not written. */
function logMicroseconds(format, lines) {
  let written = 0;
  const to = log({ format, secrets: ['a-secret-of-ours', 'another-one-of-ours'], write: () => void written++ });
  const start = performance.now();
  for (let at = 0; at < lines; at++) {
    to.event('tool.end', {
      tool: 'ping',
      principal: 'owner',
      via: 'rest',
      call: `019a8b1c-0000-7000-8000-${at}`,
      correlation_id: `c-${at}`,
      returncode: 0,
    });
  }
  if (written !== lines) throw new Error('log lines were lost');
  return ((performance.now() - start) * 1000) / lines;
}

/** What recording costs: audit microseconds per record with 1 and 64 in flight, metrics nanoseconds per call, log microseconds per line. */
export async function run() {
  await auditMicroseconds(64, 5_000);
  metricsNanoseconds(100_000);
  logMicroseconds('json', 5_000);
  logMicroseconds('text', 5_000);
  return {
    auditMicrosPerRecord: { 1: await auditMicroseconds(1, 20_000), 64: await auditMicroseconds(64, 50_000) },
    metricsNanosPerCall: metricsNanoseconds(1_000_000),
    logMicrosPerLine: { json: logMicroseconds('json', 20_000), text: logMicroseconds('text', 20_000) },
  };
}
