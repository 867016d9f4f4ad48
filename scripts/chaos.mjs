// npm run chaos [-- --minutes 10 --seed 1]: breaks a running gate in every way of the fault table, in turns, under load, and prints
// what was tried, what survived and what was lost. Lost is: an answered call without an audit record, a gate that does not answer
// again, a journal that does not verify, a process that outlives the gate.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chaosGate } from './chaos/gate.mjs';
import { faults } from './chaos/faults.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
smallFileSystem();
const until = performance.now() + Number(values.minutes) * 60_000;
const tally = Object.fromEntries(faults.map(({ name }) => [name, { tried: 0, survived: 0, lost: 0, skipped: 0 }]));
const problems = [];
let calls = 0;
let isKept = false;

const gate = await chaosGate();
try {
  for (let turn = 0; performance.now() < until; turn += 1) {
    const fault = faults[turn % faults.length];
    const row = tally[fault.name];
    row.tried += 1;
    try {
      if ((await fault.strike(gate)) === 'skipped') {
        row.skipped += 1;
        continue;
      }
      calls += await gate.load(40);
      await gate.answersAgain();
      row.survived += 1;
    } catch (error) {
      row.lost += 1;
      problems.push(`${fault.name}: ${error.message}`);
      await gate.restart();
    }
  }
  const { missing, verified, verdict, survivors } = await gate.settle();
  isKept = !verified || missing > 0;
  console.table(tally);
  const lost = {
    faults: Object.values(tally).reduce((sum, { lost: each }) => sum + each, 0),
    records: missing,
    processes: survivors,
  };
  console.log(JSON.stringify({ answeredCalls: calls, journalVerified: verified, lost }));
  for (const problem of problems.slice(0, 20)) console.log(problem);
  if (isKept) console.log(`kept for a look: ${gate.folder}\n${verdict.slice(-2000)}`);
  process.exitCode = lost.faults + missing + survivors === 0 && verified ? 0 : 1;
} finally {
  await gate.dispose(isKept);
}

/**
 * Starts this program again in a mount namespace whose temporary folder is a file system of 192 MB, so that the fault "disk full"
 * can fill it without touching the disk of the machine. Without the right to mount, that fault is skipped and counted as such.
 */
function smallFileSystem() {
  if (process.env.TOOLGATE_CHAOS_MOUNTED || process.platform !== 'linux') return;
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-chaos-disk-'));
  const shell = 'mount -t tmpfs -o size=192m chaos "$0" || exit 99; TMPDIR="$0" TOOLGATE_CHAOS_MOUNTED=1 exec "$@"';
  const { status } = spawnSync(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', shell, folder, process.execPath, ...process.argv.slice(1)],
    { stdio: 'inherit' },
  );
  if (status === 99 || status === null || status === 127) {
    rmSync(folder, { recursive: true, force: true });
    console.log('no right to mount a small file system: the fault "disk full" is skipped');
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  process.exit(status);
}
