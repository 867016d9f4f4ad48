// A call through the gateway to an upstream server, over pipes and over HTTP, against the direct call and against other
// gateways in front of the same upstream; every response is checked. Our CPU time is that of gateway and broker together.
import { spawn } from 'node:child_process';
import { connection, load } from './mcp/load.mjs';
import { place } from './mcp/process.mjs';
import { fork } from 'node:child_process';
import { legacy, modern, open } from './mcp/requests.mjs';
import { costOf, havePeers, startPeer } from './upstream/peers.mjs';

const round = (value, digits = 2) => Number(value.toFixed(digits));

/** Starts one of our own processes, which prints its port. */
async function own(path, args) {
  const child = fork(place(path), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const { port } = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${path} ended with ${code}`)));
  });
  return {
    port,
    cost: () => costOf(child.pid),
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.once('exit', resolve);
        child.kill('SIGKILL');
      }),
  };
}

/** The floor over pipes: the same calls straight to the server, so many in flight; the first ones only warm it. */
function directPipe(inFlight, { warm, calls }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [place('upstream/echo-stdio.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
    const began = new Map();
    const times = [];
    let next = 0;
    let rest = '';
    const send = () => {
      const number = next++;
      began.set(number, performance.now());
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id: number, method: 'tools/call', params: { name: 'echo', arguments: { text: `said ${number}.` } } })}\n`,
      );
    };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const { id, result } = JSON.parse(line);
        if (result?.content[0].text !== `said ${id}.`) return reject(new Error(`wrong answer ${line}`));
        times.push(performance.now() - began.get(id));
        if (next < warm + calls) send();
      }
      if (times.length === warm + calls) {
        child.stdin.end();
        times.splice(0, warm);
        times.sort((a, b) => a - b);
        resolve({ p50Ms: times[calls >> 1], p99Ms: times[Math.floor(calls * 0.99)] });
      }
      return undefined;
    });
    for (let at = 0; at < inFlight; at += 1) send();
  });
}

/** What every server, ours or a peer, is warmed and measured with; a compiler that is still at work would be what is measured. */
const plans = { 32: { warm: 24_000, calls: 12_000 }, 1: { warm: 3_000, calls: 3_000 } };

async function measured(server, way, connections, { warm, calls }) {
  await load({ port: server.port, connections, calls: warm, ...way });
  const before = server.cost();
  const seen = await load({ port: server.port, connections, calls, ...way });
  const after = server.cost();
  return {
    perSecond: seen.perSecond,
    p50Ms: round(seen.p50Ms),
    p99Ms: round(seen.p99Ms),
    cpuMicros: Math.round((after.micros - before.micros) / calls),
    rssMb: after.rssMb,
  };
}

const peers = ['mcp-hub', 'mcp-proxy', 'supergateway'];

const hub = {
  open: undefined,
  request: (number) => ({
    headers: '',
    body: JSON.stringify({ server_name: 'up', tool: 'echo', arguments: { text: `said ${number}.` } }),
  }),
  path: '/api/servers/tools',
};

/** One server at 32 in flight, then at 1. */
async function row(server, way) {
  const figures = {};
  for (const connections of [32, 1])
    figures[connections] = await measured(server, way, connections, plans[connections]);
  return figures;
}

async function peerRow(name) {
  try {
    const peer = await startPeer(name);
    try {
      return await row(peer, name === 'mcp-hub' ? hub : { request: legacy, open });
    } finally {
      peer.stop();
    }
  } catch (error) {
    const skipped = { skipped: error.message.slice(0, 200) };
    return { 32: skipped, 1: skipped };
  }
}

/** Every way of calling the same tool, one after the other, each with the same calls. */
async function table(withPeers) {
  const far = await own('upstream/echo-http.mjs', []);
  const rows = { 'direct, HTTP': await row(far, { request: modern }) };
  for (const [name, args] of [
    ['toolgate, stdio upstream', ['stdio']],
    ['toolgate, HTTP upstream', ['http', String(far.port)]],
  ]) {
    const gate = await own('upstream/gate.mjs', args);
    rows[name] = await row(gate, { request: modern });
    await gate.stop();
  }
  await far.stop();
  if (withPeers) for (const name of peers) rows[name] = await peerRow(name);
  const figures = {};
  for (const connections of [1, 32]) {
    const pipe = await directPipe(connections, plans[connections]);
    const at = Object.fromEntries(Object.entries(rows).map(([name, each]) => [name, each[connections]]));
    for (const [name, each] of Object.entries(at)) {
      if (each.p50Ms === undefined || name.startsWith('direct')) continue;
      const floor = name.includes('HTTP') ? at['direct, HTTP'] : pipe;
      Object.assign(each, { addedP50Ms: round(each.p50Ms - floor.p50Ms), addedP99Ms: round(each.p99Ms - floor.p99Ms) });
    }
    figures[`${connections} in flight`] = {
      'direct, pipe': { p50Ms: round(pipe.p50Ms), p99Ms: round(pipe.p99Ms) },
      ...at,
    };
  }
  return figures;
}

/** A warm singleton against a server started for each call. */
async function lifecycles() {
  const figures = {};
  for (const [lifecycle, plan] of [
    ['singleton', plans[1]],
    ['transient', { warm: 5, calls: 30 }],
  ]) {
    const gate = await own('upstream/gate.mjs', ['stdio', '1', lifecycle]);
    const { p50Ms, p99Ms, cpuMicros } = await measured(gate, { request: modern }, 1, plan);
    figures[lifecycle === 'singleton' ? 'warm singleton' : lifecycle] = { p50Ms, p99Ms, cpuMicros };
    await gate.stop();
  }
  return figures;
}

/** A list of 1,000 tools of 20 upstream servers, from request to last byte, each list whole. */
async function longList(connections, lists) {
  const gate = await own('upstream/gate.mjs', ['stdio', '50', 'singleton', '20']);
  const { headers, body } = modern(0);
  const list = {
    headers: headers.replace('tools/call', 'tools/list').replace('mcp-name: echo\r\n', ''),
    body: JSON.stringify({ ...JSON.parse(body), method: 'tools/list' }),
  };
  const clients = Array.from({ length: connections }, () => connection(gate.port));
  const ask = async (client) => {
    const began = performance.now();
    const answer = await client.send(list.headers, list.body);
    const ms = performance.now() - began;
    const { length } = JSON.parse(answer.body).result.tools;
    if (length !== 1_000) throw new Error(`${length} tools were listed`);
    return { ms, bytes: Buffer.byteLength(answer.body) };
  };
  const { bytes } = await ask(clients[0]);
  const times = [];
  const before = gate.cost();
  await Promise.all(
    clients.map(async (client) => {
      while (times.length < lists) times.push((await ask(client)).ms);
    }),
  );
  const cpuMicros = Math.round((gate.cost().micros - before.micros) / times.length);
  for (const client of clients) client.close();
  await gate.stop();
  times.sort((a, b) => a - b);
  return {
    bytes,
    p50Ms: round(times[times.length >> 1]),
    p99Ms: round(times[Math.floor(times.length * 0.99)]),
    cpuMicros,
  };
}

/** What upstream servers cost behind the gateway. */
export async function run() {
  const figures = await table(havePeers());
  const crowd = figures['32 in flight'];
  const ours = crowd['toolgate, stdio upstream'].cpuMicros;
  const ratios = Object.fromEntries(
    peers
      .filter((name) => crowd[name]?.cpuMicros)
      .map((name) => [`${name} over toolgate`, round(crowd[name].cpuMicros / ours, 1)]),
  );
  return {
    ...figures,
    ratios,
    lifecycles: await lifecycles(),
    'tools/list of 1,000': { '1 in flight': await longList(1, 200), '8 in flight': await longList(8, 800) },
  };
}
