import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../support/engines.mjs';

export const cli = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli.js');
export const caller = 't'.repeat(40);
export const operator = 'o'.repeat(40);
/** Another person who may approve. */
export const second = 'p'.repeat(40);
export const secretOfFleet = 'c'.repeat(40);

const server = join(dirname(fileURLToPath(import.meta.url)), 'server.mjs');
const local = { kind: 'mcp', runtime: 'node', args: [server], admission: 'open', sandbox: { tier: 'prlimit' } };
const unlimited = ['count', 'calls', 'echo', 'read_private', 'send_out', 'big', 'ask'].flatMap((name) => [
  `one__${name}`,
  `each__${name}`,
]);
/** Servers that run once for the fleet, and on every replica; rules about their tools. */
const withServers = {
  sources: {
    one: { ...local, sharing: 'all', placement: 'one' },
    each: { ...local, sharing: 'principal', max_output_bytes: 65_536 },
  },
  policy: {
    rules: [
      { id: 'operator-decides', action: 'confirm', tools: ['one__count'], confirm: 'operator' },
      { id: 'caller-decides', action: 'confirm', tools: ['one__echo'] },
      { id: 'the-rest', action: 'allow' },
    ],
  },
  flows: {
    labels: { one__read_private: ['reads:private'], one__send_out: ['sends:out'] },
    rules: [{ id: 'private-then-out', after: ['reads:private'], to: ['sends:out'] }],
  },
};

/** Configuration of one gateway; with engines it is a replica of a cluster. */
export const configOf = ({ folder, name, port, peerPort, engines, secret = secretOfFleet, more = {} }) => ({
  server: { transport: 'http', port, peer_rate_per_second: 0, drain_delay: 0.5 },
  state: { directory: join(folder, name) },
  ...(engines && {
    cluster: {
      secret,
      postgres: engines.postgres.url,
      valkey: engines.valkey.url,
      replica: name,
      ...(peerPort && { peer: { listen: `127.0.0.1:${peerPort}` } }),
    },
  }),
  ...(peerPort && withServers),
  auth: {
    tokens: [
      { name: 'caller', token: caller, roles: ['user'] },
      { name: 'operator', token: operator, roles: ['admin', 'approver'] },
      { name: 'second', token: second, roles: ['approver'] },
    ],
  },
  rate_limit: { burst: 10 },
  tool: {
    overrides: {
      ping: { rate: 1 },
      dig: { rate: 600_000 },
      tls_inspect: { rate: 600_000 },
      ...(peerPort && Object.fromEntries(unlimited.map((name) => [name, { rate: 0 }]))),
    },
  },
  access: { limits: [{ id: 'day', tools: ['tls_inspect'], calls_per_day: 100, shared: true }] },
  log: { level: 'error' },
  ...more,
});

/** One gateway with its own home; the same port after a restart. */
export function replica(options) {
  const { folder, name, port, peerPort } = options;
  const config = join(folder, `${name}.yaml`);
  writeFileSync(config, JSON.stringify(configOf(options)));
  let child;
  const one = {
    name,
    port,
    peerPort,
    config,
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return child.pid;
    },
    async start() {
      child = spawn(process.execPath, [cli, 'serve', '--config', config], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, HOME: folder },
      });
      let errors = '';
      child.stderr.on('data', (text) => (errors = (errors + text).slice(-4_000)));
      await until(async () => {
        if (child.exitCode !== null) throw Object.assign(new Error(errors), { final: true });
        return (await fetch(`${one.url}/readyz`)).ok;
      }, 60_000);
      // A replica is ready before slower servers are listed.
      if (peerPort)
        await until(
          async () =>
            (await call(one.url, 'one__calls', caller, {})).status === 200 &&
            (await call(one.url, 'each__calls', caller, {})).status === 200,
          60_000,
        );
      return one;
    },
    async stop(signal) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await gone;
    },
    /** Processor time in ms, user and system. */
    cpuMs() {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
  };
  return one;
}

/** A program of the command line; its exit code and output. */
export const toolgate = (args) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    child.on('close', (code) => resolve({ code, output }));
  });

const json = (token, body, more) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
  body: JSON.stringify(body ?? {}),
  signal: AbortSignal.timeout(10_000),
});
export const send = async (url, token, body, method = 'POST', headers = {}) => {
  const began = performance.now();
  const res = await fetch(url, {
    ...json(token, body, headers),
    method,
    ...(method !== 'POST' && { body: undefined }),
  });
  const text = await res.text();
  return { status: res.status, ms: performance.now() - began, body: text === '' ? {} : JSON.parse(text), text };
};

/** A call whose arguments are wrong on purpose: one that passes the limits is refused by the next guard and starts nothing. */
export const call = (base, tool, token = caller, args = { target: 'not a host!' }, headers = {}) =>
  send(`${base}/tools/${tool}/execute`, token, args, 'POST', headers);
/** Text of a result over REST. */
export const textOf = ({ body }) => body.stdout;
export const codeOf = ({ text }) => /"code":"(\w+)"/.exec(text)?.[1];

export const request = async (base, method, params, more = {}) => {
  const res = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await res.text();
  const data = text.startsWith('{') ? text : (/data: (\{.*\})/.exec(text)?.[1] ?? '{}');
  return { status: res.status, session: res.headers.get('mcp-session-id'), body: JSON.parse(data) };
};
/** A request of the protocol without sessions, by a client that shows forms. */
export const modern = async (base, method, params, token = caller) => {
  const { body } = await request(
    base,
    method,
    {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        'io.modelcontextprotocol/clientInfo': { name: 'fleet', version: '1' },
      },
    },
    {
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name ?? params.uri,
    },
  );
  return body;
};

export const initialize = (base) =>
  request(base, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'fleet', version: '1' },
  });
