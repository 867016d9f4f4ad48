// Random kills, timeouts, cancels, crashes and reloads of upstream sources; afterwards nothing may be left of them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processes } from '../../dist/processes/index.js';
import { localChannel } from '../../dist/sources/mcp/channels/local-channel.js';
import { mcpSource } from '../../dist/sources/mcp/source.js';

const server = join(dirname(fileURLToPath(import.meta.url)), '../support/upstream/server.mjs');
const principal = (id) => ({ id, name: id, kind: 'token', roles: [] });
const limits = {
  timeoutMs: 10_000,
  maxTimeoutMs: 10_000,
  concurrency: 64,
  queue: 64,
  queueTimeoutMs: 1_000,
  ratePerMinute: 0,
  maxOutputBytes: 1_048_576,
};

/** A generator of our own, so that a run can be repeated by its seed. */
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const living = (mark) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark) &&
          !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
        );
      } catch {
        return false;
      }
    });
const descriptors = () => readdirSync('/proc/self/fd').length;

/** Runs so many cycles; what it returns must be zeros and a flat heap. */
export async function soak({ cycles, seed = 1, onCycle = () => {} }) {
  const pick = random(seed);
  const mark = `soak-${process.pid}-${seed}`;
  const local = processes();
  await local.tiers();
  const make = (at) =>
    mcpSource({
      id: 'soak',
      remote: false,
      era: at % 2 === 0 ? 'legacy' : 'modern',
      clientInfo: { name: 'soak', version: '0' },
      limits: { limits },
      sharing: 'principal',
      connectMs: 10_000,
      startupMs: 10_000,
      pool: { maxSessions: 3, crashLimit: 1_000_000 },
      open: localChannel({
        id: 'soak',
        processes: local,
        tier: 'prlimit',
        network: 'host',
        limits: { openFiles: 256 },
        env: () => ({ values: {}, secrets: [], missing: [] }),
        command: () =>
          Promise.resolve({
            program: process.execPath,
            args: [server, '--era', at % 2 === 0 ? 'legacy' : 'modern', '--mark', mark],
          }),
      }),
    });
  const never = new AbortController().signal;
  let made = 0;
  let source = make(made);
  let tools = new Map();
  const relist = async () => {
    tools = new Map((await source.list(never)).map((tool) => [tool.name, tool]));
  };
  await relist();
  const call = (name, signal = never, who = 'a') =>
    tools.get(name).run({
      id: 'i',
      tool: name,
      principal: principal(who),
      via: 'cli',
      args: { text: 'x' },
      receivedAt: 0,
      signal,
      correlationId: 'c',
      timeoutMs: 10_000,
    });
  const counts = { answered: 0, cancelled: 0, crashed: 0, killed: 0, reloaded: 0 };
  const acts = [
    async () => {
      const outcome = await call('echo', never, pick(2) === 0 ? 'a' : 'b');
      if (outcome.kind === 'done') counts.answered += 1;
    },
    async () => {
      const stop = new AbortController();
      const waiting = call('hang', stop.signal);
      setTimeout(() => stop.abort(), pick(5));
      await waiting;
      counts.cancelled += 1;
    },
    async () => {
      await Promise.all([call('crash'), call('hang').catch(() => {})]);
      counts.crashed += 1;
    },
    async () => {
      const waiting = call('hang');
      for (const pid of living(mark)) {
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {}
      }
      await waiting;
      counts.killed += 1;
    },
    async () => {
      const old = source;
      source = make((made += 1));
      await Promise.all([old.close(), relist()]);
      counts.reloaded += 1;
    },
  ];
  const before = { heap: 0, descriptors: 0 };
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const roll = pick(10);
    await acts[roll < 4 ? 0 : roll < 6 ? 1 : roll < 7 ? 2 : roll < 8 ? 3 : 4]();
    if (cycle === Math.floor(cycles / 10)) {
      globalThis.gc?.();
      Object.assign(before, { heap: process.memoryUsage().heapUsed, descriptors: descriptors() });
    }
    onCycle(cycle);
  }
  await source.close();
  globalThis.gc?.();
  const after = { heap: process.memoryUsage().heapUsed, descriptors: descriptors() };
  const active = local.active();
  await local.close();
  return {
    cycles,
    ...counts,
    processesLeft: living(mark).length,
    activeLeft: active,
    descriptorsGrown: Math.max(0, after.descriptors - before.descriptors),
    heapGrownMb: Number(((after.heap - before.heap) / 1e6).toFixed(2)),
  };
}
