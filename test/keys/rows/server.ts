import { rowsOver, alone } from '../row.js';
import type { Row } from '../row.js';
import type { Subject } from '../subject.js';
import { addressOf, code, holds, overSocket, status, untilActive, whileHeld } from '../observers.js';
import { release } from '../lab-source.js';

const row = rowsOver({ server: { port: 0 } });
const origin = { headers: { origin: 'https://app.example' } };
const preflight = {
  method: 'OPTIONS',
  token: null,
  headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
};
const large = { text: 'x'.repeat(700_000) };
const byHost = async (subject: Subject): Promise<number> =>
  (await overSocket(subject, '/livez', { host: 'gate.example' })).status;

/** Statuses of a burst of requests over sockets, each with an address of its own behind the proxy. */
const burst =
  (times: number) =>
  async (subject: Subject): Promise<number> => {
    let refused = 0;
    for (let turn = 0; turn < times; turn += 1)
      if ((await overSocket(subject, '/livez', { 'x-forwarded-for': `203.0.113.${turn}` })).status === 429)
        refused += 1;
    return refused > 0 ? 429 : 200;
  };

/** Whether a call that runs at the end of the gateway gets its answer. */
const answeredAtTheEnd = async (subject: Subject): Promise<string> => {
  const running = subject.call('hold');
  await untilActive(subject, 1);
  const closed = subject.embedded.close();
  // After the grace period of zero seconds, and long before one of thirty.
  setTimeout(release, 300);
  const seen = await running.catch(() => ({ code: 'cut off' }));
  await closed;
  await subject.reopen();
  return seen.code === 'ok' ? 'answered' : 'cut off';
};

const initialize = {
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'k', version: '1' } },
  },
  headers: { accept: 'application/json, text/event-stream' },
};
/** Whether two sessions can be open at once. */
const secondSession = async (subject: Subject): Promise<number> => {
  await subject.send('/mcp', initialize);
  return (await subject.send('/mcp', initialize)).status;
};

export const serverRows: readonly Row[] = [
  row('server.allowed_hosts', [[], ['gate.example']], byHost, [403, 200]),
  row('server.allowed_origins', [[], ['https://app.example']], status('/livez', origin), [403, 200]),
  row('server.cors_origins', [[], ['https://app.example']], status('/tools', preflight), [403, 204]),
  alone(
    row('server.trusted_proxies', [[], ['127.0.0.1']], burst(12), [429, 200], { server: { peer_rate_per_second: 3 } }),
  ),
  alone(row('server.peer_rate_per_second', [3, 0], burst(12), [429, 200])),
  row('server.max_body_bytes', [1024, 4096], code('say', { text: 'x'.repeat(2000) }), ['413', 'ok']),
  row(
    'server.max_inflight_body_bytes',
    [1_048_576, 8_388_608],
    whileHeld(status('/tools/say/execute', { body: large }), large),
    [503, 200],
    { server: { max_body_bytes: 1_000_000 } },
  ),
  alone(row('server.shutdown_grace_period', [0, 30], answeredAtTheEnd, ['cut off', 'answered'])),
  row('server.open_metrics', [false, true], status('/metrics', { token: null }), [401, 200]),
  row('server.open_health', [false, true], holds('/health', 'checks', { token: null }), [false, true]),
  row('server.console', [false, true], status('/console/', { token: null }), [404, 200]),
  // Read at the start.
  row('server.host', ['127.0.0.1', '127.0.0.2'], async (subject) => new URL(await addressOf(subject)).hostname, [
    '127.0.0.1',
    '127.0.0.2',
  ]),
  row('server.port', [0, 47_613], async (subject) => (await addressOf(subject)).endsWith(':47613'), [false, true]),
  row('server.mcp_path', ['/mcp', '/other'], status('/other', initialize), [404, 200]),
  row('server.legacy_sse', [false, true], async (subject) => (await overSocket(subject, '/sse')).status, [404, 200]),
  row('server.max_sessions', [1, 2], secondSession, [503, 200]),
];
