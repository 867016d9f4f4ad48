// Process start: cost of the broker and its tiers against a direct spawn, how long a spawn blocks the event loop of a
// gateway with a large heap, memory under endless output, and processes left after a thousand kills.
// `node bench/spawn.mjs` prints the figures; `run()` returns them.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { processes } from '../dist/processes/index.js';

const self = fileURLToPath(import.meta.url);
const limits = { cpuSeconds: 20, memoryBytes: 512 * 2 ** 20, openFiles: 128, fileBytes: 2 ** 20 };
const aSpec = (file, args, tier) => ({ file, args, env: { PATH: '/usr/bin:/bin' }, tier, network: 'host', limits });
const options = { timeoutMs: 30_000, maxStdoutBytes: 2 ** 20, maxStderrBytes: 2 ** 20, onCap: 'kill' };
const rounded = (value) => Math.round(value * 1000) / 1000;

function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    min: rounded(sorted[0]),
    p50: rounded(sorted[sorted.length >> 1]),
    p95: rounded(sorted[Math.floor(sorted.length * 0.95)]),
  };
}

function direct() {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/true', [], { stdio: ['ignore', 'pipe', 'pipe'], env: {}, detached: true });
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`direct: code ${code}`))));
  });
}

async function brokered(local, tier) {
  const result = await local.run(aSpec('/bin/true', [], tier), options);
  if (result.kind !== 'finished' || result.code !== 0) throw new Error(`${tier}: ${JSON.stringify(result)}`);
}

async function latency(rounds) {
  const local = processes();
  const report = await local.tiers();
  const kinds = {
    direct,
    ...(report.prlimit.available && { prlimit: () => brokered(local, 'prlimit') }),
    ...(report.bwrap.available && { bwrap: () => brokered(local, 'bwrap') }),
  };
  const samples = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (let round = -5; round < rounds; round += 1) {
    for (const [name, start] of Object.entries(kinds)) {
      const at = performance.now();
      await start();
      if (round >= 0) samples[name].push(performance.now() - at);
    }
  }
  await local.close();
  return Object.fromEntries(Object.entries(samples).map(([name, taken]) => [name, summary(taken)]));
}

/** Runs in a separate process with the given heap size; prints how long one spawn blocks its event loop. */
async function blocking(megabytes, rounds) {
  const local = processes();
  await local.tiers();
  const heap = [];
  for (let made = 0; made < megabytes; made += 1) heap.push(Buffer.alloc(2 ** 20, made));
  const measure = async (start) => {
    for (let warm = 0; warm < 20; warm += 1) await start();
    const calls = [];
    const before = performance.eventLoopUtilization();
    const cpuBefore = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) {
      const at = performance.now();
      const done = start();
      calls.push(performance.now() - at);
      await done;
    }
    const { active } = performance.eventLoopUtilization(before);
    const { user, system } = process.cpuUsage(cpuBefore);
    // The call is what one spawn blocks at once; the loop figure adds the exit event, and time lost to other programs on this machine.
    return {
      callMs: summary(calls),
      loopMsPerSpawn: rounded(active / rounds),
      cpuMsPerSpawn: rounded((user + system) / 1000 / rounds),
    };
  };
  const broker = await measure(() => brokered(local, 'prlimit'));
  const plain = await measure(direct);
  await local.close();
  return { rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20), kept: heap.length, broker, direct: plain };
}

function inOwnProcess(name, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=4096', '--expose-gc', self, name, ...args.map(String)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.once('close', (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`${name}: code ${code}`)),
    );
  });
}

/** Runs in a separate process: how much its memory grows while `yes` writes as fast as it can, killed at the cap and drained. */
async function growth() {
  const local = processes();
  await brokered(local, 'prlimit');
  const measure = async (over, expectTimeout) => {
    await local.run(aSpec('/usr/bin/yes', [], 'prlimit'), { ...options, ...over, timeoutMs: 500 });
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
    const result = await local.run(aSpec('/usr/bin/yes', [], 'prlimit'), { ...options, ...over });
    clearInterval(watch);
    peak = Math.max(peak, process.memoryUsage.rss());
    if (!result.truncatedStdout || result.timedOut !== expectTimeout)
      throw new Error(`yes: ${JSON.stringify({ ...result, stdout: '' })}`);
    return { keptBytes: result.stdout.length, growthMb: rounded((peak - before) / 2 ** 20) };
  };
  const killed = await measure({}, false);
  const drained = await measure({ onCap: 'drain', timeoutMs: 3_000 }, true);
  await local.close();
  return { killedAtCap: killed, drainedFor3s: drained };
}

const escapes = [
  'exec sleep S',
  'sleep S & sleep S & wait',
  'setsid sleep S & wait',
  'setsid setsid -f sleep S; sleep S',
  '(setsid sh -c "sleep S & exit" &) ; sleep S',
  'env -i setsid -f /bin/sleep S; sleep S',
  'trap "" TERM HUP INT; setsid -f sleep S; while :; do sleep S; done',
  'setsid -f sleep S </dev/null >/dev/null 2>&1; exec sleep S',
  'setsid -f sleep S; exit 0',
];

function named(word) {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        Number(pid) > 0 && Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)
      );
    } catch {
      return false;
    }
  }).length;
}

async function survivors(kills) {
  const local = processes();
  await local.tiers();
  const sleep = `${40_000 + Math.floor(Math.random() * 50_000)}.${Math.floor(Math.random() * 1e9)}`;
  const tally = { kills: 0, endedByThemselves: 0, refused: 0 };
  const one = async (n) => {
    const script = escapes[n % escapes.length].replaceAll('S', sleep);
    const hangUp = new AbortController();
    const how = n % 2 === 0 ? { timeoutMs: 1 + Math.random() * 150 } : { signal: hangUp.signal };
    if (n % 2 === 1) setTimeout(() => hangUp.abort(), Math.random() * 150);
    const result = await local.run(aSpec('/bin/sh', ['-c', script], n % 4 < 2 ? 'prlimit' : 'bwrap'), {
      ...options,
      ...how,
      graceMs: Math.random() * 30,
    });
    if (result.kind === 'refused') tally.refused += 1;
    else if (result.timedOut || result.cancelled) tally.kills += 1;
    else tally.endedByThemselves += 1;
  };
  let next = 0;
  await Promise.all(
    Array.from({ length: cpus().length * 4 }, async () => {
      while (tally.kills < kills && next < kills * 3) await one(next++);
    }),
  );
  await local.close();
  return { ...tally, survivors: named(sleep) };
}

export async function run({ rounds = 200, kills = 1_000 } = {}) {
  return {
    trueMs: await latency(rounds),
    eventLoopAt1GbHeap: await inOwnProcess('blocking', 1024, 100),
    endlessOutput: await inOwnProcess('growth'),
    thousandKills: await survivors(kills),
  };
}

if (process.argv[1] === self) {
  const [, , part, ...args] = process.argv;
  const parts = { blocking: () => blocking(...args.map(Number)), growth };
  console.log(JSON.stringify(part === undefined ? await run() : await parts[part](), null, 2));
}
