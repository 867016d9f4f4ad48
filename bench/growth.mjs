// How the cost of a call grows with tools and sessions, what an idle gate weighs with its broker, and how fast it starts; all
// as `toolgate serve` wires it by default.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connection, load } from './mcp/load.mjs';
import { place } from './mcp/process.mjs';
import { legacy, modern, open, token } from './mcp/requests.mjs';
import { cpuNanos, rssMb, treeOf } from './served/tree.mjs';
import { start } from './served/start.mjs';

const round = (value, digits = 1) => Number(value.toFixed(digits));
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const connections = 32;

/** CPU microseconds a call of several gates, which take turns. */
async function inTurns(gates, way, { rounds = 7, calls = 3_000, warm = 12_000 } = {}) {
  const samples = gates.map(() => []);
  for (const { port } of gates) await load({ ...way, port, connections, calls: warm });
  for (let turn = 0; turn < rounds; turn += 1)
    for (const [at, { port, pid }] of gates.entries()) {
      const pids = treeOf(pid);
      const before = cpuNanos(pids);
      await load({ ...way, port, connections, calls });
      samples[at].push((cpuNanos(pids) - before) / 1_000 / calls);
    }
  return samples.map((each) => round(median(each)));
}

async function withGates(gates, work) {
  const running = [];
  try {
    for (const args of gates) running.push(await start('served/gate.mjs', args));
    return await work(running);
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
}

const keyed = (counts, values) => Object.fromEntries(counts.map((count, at) => [count, values[at]]));
const growth = (table) => {
  const values = Object.values(table);
  return round((values.at(-1) / values[0] - 1) * 100);
};

async function byTools() {
  const counts = [10, 1_000, 10_000];
  const table = await withGates(
    counts.map((count) => ['http', String(count)]),
    (gates) => inTurns(gates, { request: modern }),
  );
  return keyed(counts, table);
}

/** Opens sessions that stay idle beside the ones that call. */
async function openSessions(port, count) {
  const pool = Array.from({ length: 16 }, () => connection(port));
  let left = count;
  await Promise.all(
    pool.map(async (each) => {
      while (left-- > 0) if ((await open(each)) === undefined) throw new Error('a session was refused');
    }),
  );
  for (const each of pool) each.close();
}

async function bySessions() {
  const counts = [1, 1_000, 10_000];
  const roomy = JSON.stringify({ server: { max_sessions: 60_000 } });
  const table = await withGates(
    counts.map(() => ['http', '1', roomy]),
    async (gates) => {
      for (const [at, count] of counts.entries()) await openSessions(gates[at].port, count);
      // Every load opens its own sessions; they are few beside the idle ones and the same for all.
      return inTurns(gates, { request: legacy, open });
    },
  );
  return keyed(counts, table);
}

function launch(args) {
  const home = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  writeFileSync(join(home, 'token'), token, { mode: 0o600 });
  const child = spawn(process.execPath, [place('../dist/cli.js'), 'serve', ...args], {
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, TOOLGATE_HOME: home },
  });
  return {
    child,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function httpAnswer() {
  const began = performance.now();
  const { child, stop } = launch(['--http', '--port', '0']);
  const port = await new Promise((resolve) => {
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
      const found = /listens on \S+?:(\d+)/.exec(out)?.[1];
      if (found) resolve(Number(found));
    });
  });
  const answer = await fetch(`http://127.0.0.1:${port}/tools`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`the list answered ${answer.status}`);
  await answer.text();
  return { tookMs: performance.now() - began, child, stop };
}

async function stdioAnswer() {
  const began = performance.now();
  const { child, stop } = launch(['--stdio', '--alone']);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await once(child.stdout, 'data');
  const tookMs = performance.now() - began;
  await stop();
  return tookMs;
}

async function startAndRest(times = 7) {
  const http = [];
  const stdio = [];
  const rest = [];
  for (let at = 0; at < times; at += 1) {
    stdio.push(await stdioAnswer());
    const { tookMs, child, stop } = await httpAnswer();
    http.push(tookMs);
    rest.push(rssMb(treeOf(child.pid)));
    await stop();
  }
  const [gateMb, brokerMb = 0] = [0, 1].map((at) => median(rest.map((each) => each[at] ?? 0)));
  return {
    start: { stdioFirstAnswerMs: round(median(stdio)), httpFirstAnswerMs: round(median(http)) },
    atRest: { gateMb, brokerMb, togetherMb: gateMb + brokerMb },
  };
}

/** Growth by tools and by sessions in CPU microseconds a call, memory at rest and start. */
export async function run() {
  const tools = await byTools();
  const sessions = await bySessions();
  return {
    how: 'as toolgate serve wires it by default; CPU microseconds per call at 32 in flight, medians of interleaved rounds',
    tools,
    toolsGrowthPercent: growth(tools),
    sessions,
    sessionsGrowthPercent: growth(sessions),
    ...(await startAndRest()),
  };
}
