// npm run fuzz [-- --messages 1000000 --seed 1]: mutated messages of both MCP generations and REST against a gate as `serve` wires
// it. Every message must be answered or its connection closed; the gate must stay alive, log no fault, and not grow.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { legacy, modern, open, token } from '../bench/mcp/requests.mjs';
import { connection } from '../bench/mcp/load.mjs';
import { start } from '../bench/served/start.mjs';
import { rssMb, treeOf } from '../bench/served/tree.mjs';
import { mutations } from './fuzz/mutate.mjs';

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
});
const messages = Number(values.messages);
const { mutate, pick } = mutations(Number(values.seed));
/** A message without an answer for this long counts as a hang. */
const hangMs = 20_000;
const connections = 16;

const gate = await start('served/gate.mjs', ['http', '3', JSON.stringify({ log: { level: 'error' } })]);
const opener = connection(gate.port);
const session = await open(opener);
opener.close();

const auth = `authorization: Bearer ${token}\r\n`;
const rest = (number) => ({ headers: auth, body: JSON.stringify({ text: `said ${number}.` }) });
const notify = (number) => ({
  ...modern(number),
  body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: number } }),
});
const list = (number) => ({
  headers: `${auth}mcp-protocol-version: 2025-06-18\r\nmcp-session-id: ${session}\r\n`,
  body: JSON.stringify([
    { jsonrpc: '2.0', id: number, method: pick(['tools/list', 'ping', 'resources/read']), params: {} },
  ]),
});
const kinds = [
  ['/mcp', modern],
  ['/mcp', (number) => legacy(number, session)],
  ['/mcp', notify],
  ['/mcp', list],
  ['/tools/echo/execute', rest],
  ['/tools/echo/explain', rest],
];

/** One request as bytes: body mutated, sometimes header and path too; its length is stated correctly, so that framing stays valid. */
function request(number) {
  const [path, make] = pick(kinds);
  const { headers, body } = make(number);
  const bytes = mutate(Buffer.from(body));
  const way =
    number % 9 === 0
      ? mutate(Buffer.from(path))
          .toString('latin1')
          .replaceAll(/[^!-~]/g, '')
      : path;
  const extra =
    number % 7 === 0
      ? mutate(Buffer.from(headers))
          .toString('latin1')
          .replaceAll(/[^\x20-\x7e\r\n]/g, '')
      : headers;
  const head = `POST /${way.slice(1)} HTTP/1.1\r\nhost: 127.0.0.1:${gate.port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${bytes.length}\r\n${extra.replace(/(\r?\n)+$/, '')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

const seen = { sent: 0, answered: 0, closed: 0, hangs: 0, statuses: {} };

/** Sends one request on a fresh or kept connection; resolves with whether the connection can be used again. */
function exchange(state, bytes) {
  return new Promise((resolve) => {
    if (state.socket === undefined || state.socket.destroyed) {
      state.socket = connect({ port: gate.port, host: '127.0.0.1', noDelay: true });
      state.socket.on('error', () => {});
    }
    const { socket } = state;
    let held = '';
    const finish = (outcome) => {
      clearTimeout(timer);
      socket.off('data', take);
      socket.off('close', lost);
      seen[outcome] += 1;
      resolve();
    };
    const timer = setTimeout(() => {
      socket.destroy();
      finish('hangs');
    }, hangMs);
    const lost = () => finish('closed');
    const take = (chunk) => {
      held += chunk.toString('latin1');
      const end = held.indexOf('\r\n\r\n');
      if (end < 0) return;
      const status = held.slice(9, 12);
      const head = held.slice(0, end);
      const length = /content-length: (\d+)/i.exec(head);
      const isWhole = length
        ? held.length >= end + 4 + Number(length[1])
        : /204|202|304/.test(status) || held.endsWith('0\r\n\r\n');
      // An event stream stays open by design: its first event is the answer.
      const isStream = /text\/event-stream/i.test(head);
      if (!isWhole && !(isStream && held.length > end + 4)) return;
      seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
      if (isStream || /connection: close/i.test(head)) socket.destroy();
      finish('answered');
    };
    socket.on('data', take);
    socket.once('close', lost);
    socket.write(bytes);
  });
}

const memory = [];
let next = 0;
let last = Date.now();
await Promise.all(
  Array.from({ length: connections }, async () => {
    const state = {};
    while (next < messages) {
      const number = next++;
      await exchange(state, request(number));
      seen.sent += 1;
      if (seen.sent % Math.max(1, Math.floor(messages / 20)) === 0) {
        memory.push(rssMb(treeOf(gate.pid))[0]);
        console.log(`${seen.sent} sent, ${memory.at(-1)} MB, ${Math.round((Date.now() - last) / 1000)} s`);
        last = Date.now();
      }
    }
    state.socket?.destroy();
  }),
);
const survivor = connection(gate.port);
const { headers, body } = modern(7);
const alive = (await survivor.send(headers, body).catch(() => undefined))?.status === 200;
survivor.close();
const faults = readFileSync(gate.errors, 'utf8')
  .split('\n')
  .filter((line) => /"event":"(?:tool|server)\.fault"/.test(line));
await gate.stop();
const half = Math.max(...memory.slice(0, Math.ceil(memory.length / 2)));
const grown = Math.max(...memory.slice(Math.floor(memory.length / 2))) - half;
console.log(JSON.stringify({ ...seen, alive, faults: faults.length, memoryMb: memory, grownMb: grown }, null, 2));
for (const fault of faults.slice(0, 5)) console.log(fault.slice(0, 600));
// The collector leaves a margin; a leak of 100 bytes per message would show as 50 MB in half a million.
process.exitCode = alive && seen.hangs === 0 && faults.length === 0 && grown < 40 ? 0 : 1;
