// Clients that come, begin something and vanish without a word; afterwards nothing may be left of them.
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { ownerToken } from '../support/owner-token.mjs';
import { schemaContract } from '../../dist/core/contract.js';
import { failed } from '../../dist/core/outcome.js';
import { defaultLimits, readOnly } from '../../dist/core/tool.js';
import { httpDoor } from '../../dist/transports/http/edge/server.js';
import { mcpEndpoint } from '../../dist/transports/mcp/http/endpoint.js';
import { mcpRoutes } from '../../dist/transports/mcp/http/routes.js';
import { identity, wholeGateway } from '../support/compose.mjs';

const token = 'soak-token-0123456789abcdef0123456789ab';
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const descriptors = () => readdirSync('/proc/self/fd').length;

/** A tool that works until it is told to stop. */
const endless = {
  name: 'endless',
  description: 'Works until it is told to stop',
  source: 'soak',
  effects: readOnly,
  input: schemaContract({ type: 'object' }),
  limits: { ...defaultLimits, concurrency: 1_000, queue: 1_000, ratePerMinute: 0 },
  run: (call) =>
    new Promise((resolve) =>
      call.signal.addEventListener('abort', () => resolve(failed({ code: 'cancelled', message: 'told to stop' })), {
        once: true,
      }),
    ),
};

const http = (method, headers, body = '') =>
  `${method} /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const rpc = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const initialize = http(
  'POST',
  '',
  rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '0' } }),
);
const modern = (method, params, name = '') =>
  http(
    'POST',
    `mcp-protocol-version: 2026-07-28\r\nmcp-method: ${method}\r\n${name}`,
    rpc(method, { ...params, _meta: meta }),
  );

/** What a client says before it vanishes; `next` makes the next words of the answer to the last. */
const manners = [
  { says: initialize },
  {
    says: initialize,
    next: (answer) =>
      http(
        'GET',
        `mcp-protocol-version: 2025-11-25\r\nmcp-session-id: ${/mcp-session-id: (\S+)/i.exec(answer)?.[1]}\r\n`,
      ),
  },
  { says: modern('subscriptions/listen', { notifications: { toolsListChanged: true } }) },
  { says: modern('tools/call', { name: 'endless', arguments: {} }, 'mcp-name: endless\r\n'), mute: true },
  { says: initialize.slice(0, -20), mute: true },
];

/** One client: it speaks, hears an answer where one comes at once, and is gone. */
function passerBy(port, { says, next, mute }) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let following = next;
    socket.on('error', () => {}).on('close', resolve);
    socket.on('connect', () => socket.write(says, () => mute && socket.destroy()));
    socket.on('data', (answer) => {
      if (following === undefined) return socket.destroy();
      socket.write(following(String(answer)));
      following = undefined;
      return undefined;
    });
  });
}

/** Lets so many clients come and vanish; what it returns must be zeros and a flat heap. */
export async function vanish({ clients, maxSessions = 200 }) {
  const { gate, close } = await wholeGateway([{ id: 'soak', list: async () => [endless] }]);
  const endpoint = mcpEndpoint(gate, { identity, sessions: { max: maxSessions, crowdedIdleMs: 0 } });
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes: mcpRoutes(endpoint, '/mcp'),
    authenticator: ownerToken(token),
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 1_048_576,
    peerRatePerSecond: 0,
    maxConnections: 10_000,
    onFault: (error) => console.error(error),
  });
  await door.start();
  const { port } = door.address();
  const crowd = async (count) => {
    let at = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        while (at < count) await passerBy(port, manners[at++ % manners.length]);
      }),
    );
    // The last of them are noticed by the door a turn of the loop after they are gone.
    for (let turn = 0; turn < 1_000 && gate.active() > 0; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
    return { heap: process.memoryUsage().heapUsed, descriptors: descriptors(), active: gate.active() };
  };
  const before = await crowd(Math.ceil(clients / 2));
  const after = await crowd(Math.floor(clients / 2));
  await endpoint.close();
  await door.stop(AbortSignal.abort());
  close();
  return {
    clients,
    activeLeft: after.active,
    descriptorsGrown: after.descriptors - before.descriptors,
    heapGrownMb: Number(((after.heap - before.heap) / 1e6).toFixed(2)),
  };
}
