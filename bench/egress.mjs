import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'undici';
import { egress } from '../dist/net/egress/egress.js';
import { networkPolicy } from '../dist/net/egress/network-policy.js';

// In a separate process, so that only the caller's CPU is counted.
const echo = `
const body = JSON.stringify({ ok: true, items: Array.from({ length: 20 }, (_, id) => ({ id, name: 'item ' + id })) });
const server = require('node:http').createServer((request, response) => { request.resume(); response.setHeader('content-type', 'application/json'); response.end(body); });
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port, body.length));
process.stdin.on('end', () => process.exit()).resume();
`;

/** Client CPU microseconds per call, with so many calls in flight and every answer checked. */
async function cpuMicros(call, inFlight, calls) {
  let next = 0;
  const work = async () => {
    while (next++ < calls) await call();
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, work));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** What the egress guard adds to a request on a warm connection, against undici alone in interleaved rounds. */
export async function run({ rounds = 11, calls = 2_000 } = {}) {
  const server = spawn(process.execPath, ['-e', echo], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout, 'data');
  const [port, length] = String(line).trim().split(' ').map(Number);
  const { policy } = networkPolicy({ allow: ['loopback'] });
  const guard = egress({
    networks: policy,
    ports: [port],
    hosts: ['api.localhost'],
    resolver: async () => ['127.0.0.1'],
  });
  const agent = new Agent({ connections: 16, pipelining: 1 });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
  const body = JSON.stringify({ function: 'echo', args: { text: 'hello' } });
  const check = (status, bytes) => {
    if (status !== 200 || bytes !== length) throw new Error(`wrong answer: status ${status}, ${bytes} bytes`);
  };
  const direct = async () => {
    const answer = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path: '/',
      method: 'POST',
      headers,
      body,
    });
    check(answer.statusCode, (await answer.body.arrayBuffer()).byteLength);
  };
  const guarded = async () => {
    const answer = await guard.request({ url: `http://api.localhost:${port}/`, method: 'POST', headers, body });
    if (answer.kind !== 'response') throw new Error(answer.message);
    check(answer.status, answer.body.length);
  };
  try {
    const results = {};
    for (const inFlight of [1, 16]) {
      const figures = { direct: [], guarded: [] };
      await cpuMicros(direct, inFlight, calls);
      await cpuMicros(guarded, inFlight, calls);
      for (let round = 0; round < rounds; round += 1) {
        figures.direct.push(await cpuMicros(direct, inFlight, calls));
        figures.guarded.push(await cpuMicros(guarded, inFlight, calls));
      }
      // Pairs run side by side, so their differences suffer least from a busy machine.
      const added = figures.guarded.map((value, round) => value - figures.direct[round]);
      results[inFlight] = {
        directMicros: median(figures.direct),
        guardedMicros: median(figures.guarded),
        addedMicros: median(added),
      };
    }
    return { egressCpuMicrosPerCall: results };
  } finally {
    await Promise.all([guard.close(), agent.destroy()]);
    server.stdin.end();
  }
}
