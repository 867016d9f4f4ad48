// The headline figures: the gate as `toolgate serve` wires it with the shipped defaults (log level included), against the floor
// and against peers, in one run and in turns. CPU is that of everything a contender starts, except the upstream.
import { compare, ratio, withAdded } from './served/compare.mjs';
import { havePeers, startFastmcp, startGateway } from './served/peers.mjs';
import { comparePipes } from './served/pipe.mjs';
import { start } from './served/start.mjs';
import { readFileSync } from 'node:fs';
import { legacy, modern, open, token } from './mcp/requests.mjs';
import { place } from './mcp/process.mjs';

const ours = 'toolgate, default';
const quiet = 'toolgate, log.level error';
const ourRest = 'toolgate, default, REST';
const plain = { request: modern };
const session = { request: legacy, open };
const rest = {
  request: (number) => ({
    headers: `authorization: Bearer ${token}\r\n`,
    body: JSON.stringify({ text: `said ${number}.` }),
  }),
  path: '/tools/echo/execute',
};
const logless = JSON.stringify({ log: { level: 'error' } });

const inProcess = (withPeers) => [
  { name: 'bare node:http echo', way: plain, start: () => start('mcp/servers/echo.mjs') },
  { name: 'minimal MCP server', way: plain, start: () => start('mcp/servers/minimal.mjs') },
  { name: ours, way: plain, start: () => start('served/gate.mjs', ['http']) },
  { name: quiet, way: plain, start: () => start('served/gate.mjs', ['http', '1', logless]) },
  { name: ourRest, way: rest, start: () => start('served/gate.mjs', ['http']) },
  ...(withPeers
    ? [
        { name: 'mcp-lite', way: session, start: () => start('peers/mcp-lite.mjs') },
        { name: 'SDK v2 server', way: plain, start: () => start('peers/sdk2.mjs') },
      ]
    : []),
];

const hub = {
  request: (number) => ({
    headers: '',
    body: JSON.stringify({ server_name: 'up', tool: 'echo', arguments: { text: `said ${number}.` } }),
  }),
  path: '/api/servers/tools',
};

const toSpawned = (withPeers) => [
  { name: 'lean gateway', way: plain, start: () => start('served/lean.mjs', ['stdio', '-']) },
  { name: 'lean gateway with guards', way: plain, start: () => start('served/lean.mjs', ['stdio', '-', 'guards']) },
  { name: ours, way: plain, start: () => start('upstream/gate.mjs', ['stdio']) },
  ...(withPeers
    ? [
        { name: 'mcp-hub', way: hub, start: () => startGateway('mcp-hub') },
        { name: 'SDK v2 gateway', way: plain, slow: true, start: () => start('peers/sdk2-gateway.mjs', ['stdio']) },
        { name: 'mcp-proxy', way: session, slow: true, start: () => startGateway('mcp-proxy') },
        {
          name: 'FastMCP proxy',
          way: session,
          slow: true,
          start: () => startFastmcp(['stdio', process.execPath, place('upstream/echo-stdio.mjs')]),
        },
      ]
    : []),
];

const toRemote = (far, withPeers) => [
  { name: 'direct', way: plain, start: async () => ({ ...far, stop: async () => {} }) },
  { name: 'lean gateway', way: plain, start: () => start('served/lean.mjs', ['http', String(far.port)]) },
  {
    name: 'lean gateway with guards',
    way: plain,
    start: () => start('served/lean.mjs', ['http', String(far.port), 'guards']),
  },
  { name: ours, way: plain, start: () => start('upstream/gate.mjs', ['http', String(far.port)]) },
  ...(withPeers
    ? [
        {
          name: 'SDK v2 gateway',
          way: plain,
          slow: true,
          start: () => start('peers/sdk2-gateway.mjs', ['http', String(far.port)]),
        },
        {
          name: 'FastMCP proxy',
          way: session,
          slow: true,
          start: () => startFastmcp(['http', `http://127.0.0.1:${far.port}/mcp`]),
        },
      ]
    : []),
];

const answered = (text) => {
  const { id, result } = JSON.parse(text);
  return result?.content?.[0]?.text === `said ${id}.` ? undefined : `wrong answer ${text.slice(0, 200)}`;
};
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 'open',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
});
const legacyLine = (number) => legacy(number).body;

const pipes = (withPeers) => [
  { name: 'minimal server', path: 'upstream/echo-stdio.mjs', line: legacyLine, answered },
  { name: ours, path: 'served/gate.mjs', args: ['stdio'], line: legacyLine, opening: initialize, answered },
  {
    name: quiet,
    path: 'served/gate.mjs',
    args: ['stdio', '1', logless],
    line: legacyLine,
    opening: initialize,
    answered,
  },
  ...(withPeers
    ? [{ name: 'SDK v2 server', path: 'peers/sdk2-stdio.mjs', line: legacyLine, opening: initialize, answered }]
    : []),
];

/** Names the tables to measure again; the others keep what was measured last: SERVED_ONLY=stdio,spawned. */
const only = process.env.SERVED_ONLY?.split(',');
const wanted = (part) => only === undefined || only.includes(part);

function measuredLast() {
  if (only === undefined) return {};
  try {
    return JSON.parse(readFileSync(place('results/served.json'), 'utf8')).figures;
  } catch {
    return {}; // the first run
  }
}

/** Runs every table at the given numbers in flight. */
export async function run() {
  const withPeers = process.env.SERVED_PEERS !== 'none' && havePeers();
  const figures = {
    ...measuredLast(),
    how: 'as toolgate serve wires it by default; CPU microseconds per call, medians of interleaved rounds',
  };
  if (wanted('inProcess'))
    for (const connections of [64, 1])
      figures[`in-process tool, MCP over HTTP, ${connections} connections`] = await compare(inProcess(withPeers), {
        connections,
      });
  if (wanted('stdio'))
    for (const [inFlight, calls] of [
      [64, 10_000],
      [1, 1_000],
    ])
      figures[`in-process tool, stdio, ${inFlight} in flight`] = await comparePipes(pipes(withPeers), {
        inFlight,
        calls,
        warm: 20_000,
      });
  if (wanted('spawned'))
    for (const connections of [32, 1])
      figures[`hop to a spawned server, ${connections} in flight`] = await compare(toSpawned(withPeers), {
        connections,
      });
  if (wanted('remote')) {
    const far = await start('upstream/echo-http.mjs');
    for (const connections of [32, 1])
      figures[`hop to a remote server, ${connections} in flight`] = withAdded(
        await compare(toRemote(far, withPeers), { connections }),
        'direct',
      );
    await far.stop();
  }
  const busy = figures['in-process tool, MCP over HTTP, 64 connections'] ?? {};
  const spawned = figures['hop to a spawned server, 32 in flight'] ?? {};
  const remote = figures['hop to a remote server, 32 in flight'] ?? {};
  figures.ratios = {
    'toolgate over bare echo': ratio(busy, ours, 'bare node:http echo'),
    'toolgate REST over bare echo': ratio(busy, ourRest, 'bare node:http echo'),
    'toolgate over mcp-lite': ratio(busy, ours, 'mcp-lite'),
    'SDK v2 server over toolgate': ratio(busy, 'SDK v2 server', ours),
    'toolgate over lean, spawned': ratio(spawned, ours, 'lean gateway with guards'),
    'mcp-hub over toolgate': ratio(spawned, 'mcp-hub', ours),
    'SDK v2 gateway over toolgate': ratio(spawned, 'SDK v2 gateway', ours),
    'mcp-proxy over toolgate': ratio(spawned, 'mcp-proxy', ours),
    'FastMCP proxy over toolgate': ratio(spawned, 'FastMCP proxy', ours),
    'toolgate over lean, remote': ratio(remote, ours, 'lean gateway with guards'),
  };
  return figures;
}
