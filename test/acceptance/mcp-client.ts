import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cli, type Running } from '../support/toolgate.js';
import { whenDone } from '../support/temporary.js';
import { checked } from '../support/wire-schemas.js';

/** A JSON value as a check reads it: any field may be looked up. */
export type Loose = ReturnType<typeof JSON.parse>;
/** Sends a request and returns the JSON-RPC response. */
export type Ask = ((method: string, params?: Record<string, unknown>) => Promise<Loose>) & {
  readonly opened: Loose;
  readonly notifications: readonly Loose[];
};

/** Every revision that the gateway supports, newest first. */
export const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type Revision = (typeof revisions)[number];

const clientInfo = { name: 'acceptance', version: '1' };
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const withMeta = (revision: Revision, params: Record<string, unknown>): Record<string, unknown> =>
  revision === '2026-07-28' ? { ...params, _meta: { ...modernMeta, ...(params['_meta'] as object) } } : params;

/** Starts `toolgate serve --stdio` in a folder and opens a session of the given revision. */
export async function stdioClient(
  cwd: string,
  revision: Revision,
  { argv = [], env = {} }: { readonly argv?: readonly string[]; readonly env?: Record<string, string> } = {},
): Promise<Ask & { readonly pid: number; log(): string; close(): Promise<number | null>; write(line: string): void }> {
  const child = spawn(process.execPath, [cli, 'serve', '--stdio', '--alone', ...argv], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLGATE_HOME: join(cwd, 'home'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  whenDone(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  const waiting = new Map<number, (message: Loose) => void>();
  const notifications: Loose[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: Loose = JSON.parse(line);
    if (message.id !== undefined && message.method === undefined) waiting.get(message.id)?.(message);
    else notifications.push(message);
  });
  let id = 0;
  const ask = (method: string, params: Record<string, unknown> = {}): Promise<Loose> =>
    new Promise((resolve, reject) => {
      waiting.set(++id, (message) => {
        checked(revision, message, method);
        resolve(message);
      });
      void exited.then((code) => reject(new Error(`toolgate ended with ${code}: ${err}`)));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: withMeta(revision, params) })}\n`);
    });
  const opened =
    revision === '2026-07-28'
      ? await ask('server/discover')
      : await ask('initialize', { protocolVersion: revision, capabilities: {}, clientInfo });
  if (revision !== '2026-07-28') child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return Object.assign(ask, {
    opened,
    notifications,
    pid: child.pid ?? 0,
    log: () => err,
    write: (line: string) => void child.stdin.write(`${line}\n`),
    close() {
      child.stdin.end();
      return exited;
    },
  });
}

/** A client of the given revision for a gateway that listens on HTTP. */
export async function httpClient(gate: Running, revision: Revision, token = gate.token): Promise<Ask> {
  let session: Record<string, string> = {};
  let id = 0;
  const notifications: Loose[] = [];
  const post = async (message: Loose, headers: Record<string, string>): Promise<{ json: Loose; headers: Headers }> => {
    const response = await gate.send('/mcp', {
      body: message,
      headers: {
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...session,
        ...headers,
      },
    });
    const streamed = [...response.text.matchAll(/^data: (.+)$/gm)].map((match): Loose => JSON.parse(match[1] ?? ''));
    for (const each of streamed) if (each.method !== undefined) notifications.push(each);
    const json = response.json ?? streamed.find((each) => each.id === message.id && each.method === undefined);
    return { json, headers: response.headers };
  };
  const ask = async (method: string, params: Record<string, unknown> = {}): Promise<Loose> => {
    const name = params['name'] ?? params['uri'];
    const { json } = await post(
      { jsonrpc: '2.0', id: ++id, method, params: withMeta(revision, params) },
      revision === '2026-07-28'
        ? {
            'mcp-protocol-version': revision,
            'mcp-method': method,
            ...(typeof name === 'string' && { 'mcp-name': name }),
          }
        : {},
    );
    checked(revision, json, method);
    return json;
  };
  if (revision === '2026-07-28') return Object.assign(ask, { opened: await ask('server/discover'), notifications });
  const opening = { protocolVersion: revision, capabilities: {}, clientInfo };
  const { json: opened, headers } = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: opening }, {});
  checked(revision, opened, 'initialize');
  session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': revision };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, {});
  return Object.assign(ask, { opened, notifications });
}

/** Opens a session of the given revision and collects what the gateway sends on its own stream. */
export async function listening(gate: Running, revision: Revision): Promise<{ text(): string; close(): void }> {
  const headers = { authorization: `Bearer ${gate.token}`, accept: 'application/json, text/event-stream' };
  const opened = await gate.send('/mcp', {
    body: {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: revision, capabilities: {}, clientInfo },
    },
    headers,
  });
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': revision,
  };
  await gate.send('/mcp', {
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    headers: { ...headers, ...session },
  });
  const stop = new AbortController();
  const stream = await fetch(`${gate.url}/mcp`, {
    headers: { ...headers, ...session, accept: 'text/event-stream' },
    signal: stop.signal,
  });
  let text = '';
  void (async () => {
    for await (const chunk of stream.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  })().catch(() => {});
  return { text: () => text, close: () => stop.abort() };
}
