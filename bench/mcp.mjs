import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connection, load } from './mcp/load.mjs';
import { overPipe, perCall, place, started } from './mcp/process.mjs';
import { legacy, modern, open, token } from './mcp/requests.mjs';

const round = (value, digits = 1) => Number(value.toFixed(digits));

/** Brings the peers to compare with; false, with one line, where that is not possible. */
function havePeers() {
  if (
    existsSync(place('peers/node_modules/fastmcp')) &&
    existsSync(place('peers/node_modules/@modelcontextprotocol/node'))
  )
    return true;
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: place('peers'),
    stdio: 'ignore',
  });
  if (status !== 0) console.error('skipped: the peers could not be installed');
  return status === 0;
}

/** One server under one kind of load, every answer checked. */
async function measured({ path, request, session, connections, calls }) {
  const server = await started(path);
  const way = { port: server.port, request, ...(session && { open }) };
  try {
    await load({ ...way, connections, calls: Math.min(calls, 3_000) });
    const before = await server.cost();
    const seen = await load({ ...way, connections, calls });
    const after = await server.cost();
    return {
      cpuMicros: round(perCall(before, after, calls)),
      perSecond: seen.perSecond,
      p50Ms: round(seen.p50Ms, 2),
      p99Ms: round(seen.p99Ms, 2),
      rssMb: round(after.rss / 1e6),
    };
  } finally {
    await server.stop();
  }
}

async function httpTable(connections) {
  const quick = connections === 1 ? 4_000 : 20_000;
  const slow = connections === 1 ? 800 : 3_000;
  const own = [
    ['bare node:http echo', { path: 'mcp/servers/echo.mjs', request: modern, calls: quick }],
    ['minimal JSON-RPC handler', { path: 'mcp/servers/minimal.mjs', request: modern, calls: quick }],
    ['toolgate, modern, every guard', { path: 'mcp/servers/toolgate.mjs', request: modern, calls: quick }],
    [
      'toolgate, legacy session, every guard',
      { path: 'mcp/servers/toolgate.mjs', request: legacy, session: true, calls: quick },
    ],
  ];
  const peers = [
    ['SDK v2 server, modern', { path: 'peers/sdk2.mjs', request: modern, calls: slow }],
    ['SDK v1 server, session', { path: 'peers/sdk1.mjs', request: legacy, session: true, calls: slow }],
    ['fastmcp 4, session', { path: 'peers/fastmcp.mjs', request: legacy, session: true, calls: slow }],
  ];
  const table = {};
  for (const [name, plan] of havePeers() ? [...own, ...peers] : own)
    table[name] = await measured({ ...plan, connections });
  return table;
}

/** A list of 1,000 tools: how large, and how long from request to last byte. */
async function longList(times = 200) {
  const server = await started('mcp/servers/toolgate.mjs', ['1000']);
  const client = connection(server.port);
  const { headers } = modern(0);
  const ask = async (id) =>
    client.send(
      headers.replace('tools/call', 'tools/list').replace('mcp-name: echo\r\n', ''),
      JSON.stringify({ ...JSON.parse(modern(0).body), id, method: 'tools/list' }),
    );
  const first = await ask('first');
  const count = JSON.parse(first.body).result.tools.length;
  if (count !== 1_000) throw new Error(`${count} tools were listed`);
  const before = await server.cost();
  const spans = [];
  for (let at = 0; at < times; at += 1) {
    const began = performance.now();
    const { body } = await ask(at);
    spans.push(performance.now() - began);
    if (body.length < first.body.length - 10) throw new Error('a list came back short');
  }
  const after = await server.cost();
  client.close();
  await server.stop();
  spans.sort((a, b) => a - b);
  return {
    bytes: Buffer.byteLength(first.body),
    p50Ms: round(spans[times >> 1], 2),
    cpuMicros: round(perCall(before, after, times)),
  };
}

/** What an idle legacy session costs in memory. */
async function idleSessions(count = 10_000) {
  const server = await started('mcp/servers/toolgate.mjs');
  const pool = Array.from({ length: 16 }, () => connection(server.port));
  await Promise.all(pool.map(open));
  const before = await server.cost();
  let left = count;
  await Promise.all(
    pool.map(async (each) => {
      while (left-- > 0) if ((await open(each)) === undefined) throw new Error('a session was refused');
    }),
  );
  const after = await server.cost();
  for (const each of pool) each.close();
  await server.stop();
  return {
    sessions: count,
    heapKbEach: round((after.heap - before.heap) / count / 1_024, 2),
    rssKbEach: round((after.rss - before.rss) / count / 1_024, 2),
  };
}

async function pipe(calls = 100_000) {
  const line = (number) => modern(number).body;
  const answered = (text) => {
    const { id, result } = JSON.parse(text);
    return result?.content?.[0]?.text === `said ${id}.` ? undefined : `wrong answer ${text.slice(0, 200)}`;
  };
  const { perSecond, cpuMicros } = await overPipe('mcp/servers/toolgate-stdio.mjs', {
    warm: 20_000,
    calls,
    inFlight: 64,
    line,
    answered,
  });
  return { inFlight: 64, perSecond, cpuMicros: round(cpuMicros) };
}

/** From the start of `toolgate serve --stdio` to its first answers, as an assistant waits for them. */
async function firstAnswers(times = 7) {
  const home = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const greeted = [];
  const listed = [];
  for (let at = 0; at < times; at += 1) {
    const began = performance.now();
    const child = spawn(process.execPath, [place('../dist/cli.js'), 'serve', '--stdio', '--alone'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, TOOLGATE_HOME: home },
    });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await once(child.stdout, 'data');
    greeted.push(performance.now() - began);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`,
    );
    await once(child.stdout, 'data');
    listed.push(performance.now() - began);
    child.stdin.end();
    await once(child, 'exit');
  }
  rmSync(home, { recursive: true, force: true });
  const median = (spans) => round(spans.sort((a, b) => a - b)[times >> 1]);
  return { firstAnswerMs: median(greeted), toolsListedMs: median(listed) };
}

/** What MCP costs: calls over HTTP against the floor and the peers, the long list, idle sessions, stdio, and the start. */
export async function run() {
  if (token.length < 16) throw new Error('the token of the benchmark is too short');
  const http = {};
  for (const connections of [1, 16, 64]) http[`${connections} connections`] = await httpTable(connections);
  const crowd = http['64 connections'];
  const ours = crowd['toolgate, modern, every guard'].cpuMicros;
  return {
    http,
    ratios: {
      'toolgate over bare echo': round(ours / crowd['bare node:http echo'].cpuMicros, 2),
      'legacy over modern': round(crowd['toolgate, legacy session, every guard'].cpuMicros / ours, 2),
      ...(crowd['SDK v2 server, modern'] && {
        'SDK v2 over toolgate': round(crowd['SDK v2 server, modern'].cpuMicros / ours, 2),
      }),
    },
    list: await longList(),
    idleSessions: await idleSessions(),
    stdio: await pipe(),
    start: await firstAnswers(),
  };
}
