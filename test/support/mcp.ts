import { Agent, request } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach } from 'vitest';
import type { Guard } from '../../src/core/guard.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Principal } from '../../src/core/principal.js';
import type { ToolSource } from '../../src/core/source.js';
import type { Tool } from '../../src/core/tool.js';
import type { Visibility } from '../../src/gateway.js';
import type { HttpOptions } from '../../src/transports/http/edge/server.js';
import { httpDoor } from '../../src/transports/http/edge/server.js';
import type { McpEndpointOptions } from '../../src/transports/mcp/http/endpoint.js';
import { mcpEndpoint } from '../../src/transports/mcp/http/endpoint.js';
import { mcpRoutes, ssePairRoutes } from '../../src/transports/mcp/http/routes.js';
import { stdioTransport } from '../../src/transports/stdio/stdio.js';
import { requestHeaders } from '../../src/wire/headers.js';
import { metaKeys } from '../../src/wire/meta.js';
import { sseReader } from '../../src/wire/sse-reader.js';
import { aGateway, identity } from './gate.js';
import { ada, bob } from './make.js';
import { checked } from './wire-schemas.js';

/** A JSON value as a test reads it: anything may be looked up. */
export type Loose = ReturnType<typeof JSON.parse>;

export const modernVersion = '2026-07-28';

/** The `_meta` of a modern request. */
export const envelope = (capabilities: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  [metaKeys.protocolVersion]: modernVersion,
  [metaKeys.clientCapabilities]: capabilities,
  [metaKeys.clientInfo]: { name: 'test', version: '1' },
  ...more,
});

const people: Readonly<Record<string, Principal>> = { 'Bearer ada-token': ada, 'Bearer bob-token': bob };
const authenticator: HttpOptions['authenticator'] = {
  authenticate(authorization) {
    const principal = people[authorization ?? ''];
    return principal ? { principal } : { refused: 'missing', message: 'no', challenge: 'Bearer realm="toolgate"' };
  },
};

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The JSON body, or the last message of a stream. */
  readonly json: Loose;
  /** Every message: of the stream, or the one body. */
  readonly messages: readonly Loose[];
}

export interface ServedOptions {
  readonly mcp?: Partial<McpEndpointOptions>;
  readonly http?: Partial<HttpOptions>;
  readonly visibility?: Partial<Visibility>;
  readonly confirm?: Guard;
}

export const sourceOf = (tools: readonly Tool[], more: Partial<ToolSource> = {}): ToolSource => ({
  id: 'test',
  list: async () => tools,
  ...more,
});

/** A real gateway served by the real listener on loopback, with a client that says exactly what it is told. */
export async function served(sources: readonly ToolSource[], options: ServedOptions = {}) {
  const faults: unknown[] = [];
  const made = await aGateway(sources, {
    faults,
    stores: options.mcp?.inlineBytes !== undefined,
    ...(options.visibility && { visibility: options.visibility }),
    ...(options.confirm && { confirm: options.confirm }),
  });
  const endpoint = mcpEndpoint(made.gate, { identity, onBug: (error) => faults.push(error), ...options.mcp });
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes: [...mcpRoutes(endpoint, '/mcp'), ...ssePairRoutes(endpoint, '/sse', '/messages')],
    authenticator,
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 1_000_000,
    peerRatePerSecond: 0,
    maxConnections: 2_000,
    maxConnectionsPerPeer: 2_000,
    onFault: (error) => faults.push(error),
    ...options.http,
  });
  await door.start();
  const { port } = door.address();
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });

  const raw = (
    method: string,
    headers: Record<string, string>,
    body?: string | Buffer,
    signal?: AbortSignal,
    onMessage?: (message: Loose, stop: () => void) => void,
  ): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const req = request(
        {
          host: '127.0.0.1',
          port,
          path: '/mcp',
          method,
          agent,
          headers: { authorization: 'Bearer ada-token', ...headers },
          ...(signal && { signal }),
        },
        (res) => {
          const chunks: Buffer[] = [];
          const messages: Loose[] = [];
          const isStream = res.headers['content-type'] === 'text/event-stream';
          const reader = sseReader(10_000_000);
          let over = false;
          const finish = (): void => {
            if (over) return;
            over = true;
            const text = Buffer.concat(chunks).toString('utf8');
            let json: Loose = messages.at(-1);
            if (!isStream) {
              try {
                json = JSON.parse(text);
                messages.push(json);
              } catch {}
            }
            resolve({ status: res.statusCode ?? 0, headers: res.headers, text, json, messages });
          };
          res.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            if (!isStream) return;
            for (const event of reader.push(chunk) ?? []) {
              if (event.data === '') continue;
              messages.push(JSON.parse(event.data));
              onMessage?.(messages.at(-1), () => req.destroy());
            }
          });
          res.on('end', finish).on('error', finish).on('close', finish);
        },
      );
      req.on('error', (error) =>
        signal?.aborted || req.destroyed
          ? resolve({ status: 0, headers: {}, text: '', json: undefined, messages: [] })
          : reject(error),
      );
      req.end(body);
    });

  let nextId = 1;
  /** A well-formed modern request; parts of it may be overridden to be wrong. */
  const modern = async (
    method: string,
    params: JsonObject = {},
    over: {
      id?: Loose;
      capabilities?: JsonObject;
      meta?: JsonObject;
      headers?: Record<string, string>;
      as?: string;
      signal?: AbortSignal;
      onMessage?: (message: Loose, stop: () => void) => void;
    } = {},
  ): Promise<Answered> => {
    const body = { ...params, _meta: { ...envelope(over.capabilities, over.meta) } };
    const answer = await raw(
      'POST',
      {
        ...requestHeaders(method, body, modernVersion),
        ...(over.as && { authorization: `Bearer ${over.as}-token` }),
        ...over.headers,
      },
      JSON.stringify({ jsonrpc: '2.0', id: over.id ?? nextId++, method, params: body }),
      over.signal,
      over.onMessage,
    );
    for (const message of answer.messages) checked(modernVersion, message, method);
    return answer;
  };

  /** Opens a legacy session. */
  const session = async (version = '2025-11-25', capabilities: JsonObject = {}, as = 'ada') => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${as}-token`,
    };
    const opened = await raw(
      'POST',
      headers,
      JSON.stringify({
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } },
      }),
    );
    const id = String(opened.headers['mcp-session-id']);
    checked(version, opened.json, 'initialize');
    const inSession = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': version };
    const send = async (message: Loose, onMessage?: (message: Loose, stop: () => void) => void): Promise<Answered> => {
      const answer = await raw('POST', inSession, JSON.stringify(message), undefined, onMessage);
      for (const sent of answer.messages.flat()) checked(version, sent, message.method);
      return answer;
    };
    let next = 1;
    const call = (
      method: string,
      params: JsonObject = {},
      onMessage?: (message: Loose, stop: () => void) => void,
    ): Promise<Answered> => send({ jsonrpc: '2.0', id: next++, method, params }, onMessage);
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return { id, headers: inSession, send, call, opened: opened.json };
  };

  return {
    ...made,
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    endpoint,
    faults,
    raw,
    modern,
    session,
    async close() {
      agent.destroy();
      await endpoint.close();
      await door.stop(AbortSignal.abort());
    },
  };
}

const open: { close(): Promise<void> }[] = [];
/** The same, closed when the test is over. */
export async function aDoor(...args: Parameters<typeof served>) {
  const made = await served(...args);
  open.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** A real gateway behind a pair of pipes. */
export async function piped(sources: readonly ToolSource[], options: ServedOptions = {}) {
  const faults: unknown[] = [];
  const made = await aGateway(sources, { faults, ...(options.confirm && { confirm: options.confirm }) });
  const input = new PassThrough();
  const output = new PassThrough();
  let ended: () => void = () => {};
  const end = new Promise<void>((resolve) => (ended = resolve));
  const transport = stdioTransport(made.gate, {
    identity,
    principal: ada,
    input,
    output,
    onEnd: ended,
    onBug: (error) => faults.push(error),
    ...options.mcp,
  });
  await transport.start();
  const waiting = new Map<string, (message: Loose) => void>();
  const messages: Loose[] = [];
  let rest = '';
  const watchers = new Set<() => void>();
  const asked = new Map<string, { readonly method: string; readonly modern: boolean }>();
  let version = '2025-11-25';
  /** Every message on the pipe is held against the schema of the revision it was said in. */
  const conforms = (message: Loose): void => {
    const question = message.method === undefined ? asked.get(JSON.stringify(message.id)) : undefined;
    const isModern = question?.modern ?? message.params?._meta?.[metaKeys.subscriptionId] !== undefined;
    if (question) asked.delete(JSON.stringify(message.id));
    checked(isModern ? modernVersion : version, message, question?.method);
  };
  const chunks: string[] = [];
  output.setEncoding('utf8').on('data', (chunk: string) => {
    chunks.push(chunk);
    rest += chunk;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message: Loose = JSON.parse(line);
      messages.push(message);
      for (const each of [message].flat()) conforms(each);
      if (message.method === undefined) waiting.get(JSON.stringify(message.id))?.(message);
    }
    for (const look of watchers) look();
  });
  const write = (message: Loose): void =>
    void input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  let nextId = 1;
  const call = (method: string, params: JsonObject = {}, id: Loose = nextId++): Promise<Loose> =>
    new Promise((resolve) => {
      waiting.set(JSON.stringify(id), resolve);
      const meta = params['_meta'];
      asked.set(JSON.stringify(id), {
        method,
        modern: typeof meta === 'object' && meta !== null && metaKeys.protocolVersion in meta,
      });
      if (method === 'initialize') version = String(params['protocolVersion']);
      write({ jsonrpc: '2.0', id, method, params });
    });
  /** Resolves with the first message that fits, past or to come. */
  const seen = (fits: (message: Loose) => boolean): Promise<Loose> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = messages.find(fits);
        if (found === undefined) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  const initialize = (version = '2025-11-25', capabilities: JsonObject = {}) =>
    call('initialize', { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } });
  const modern = (method: string, params: JsonObject = {}, capabilities: JsonObject = {}, meta: JsonObject = {}) =>
    call(method, { ...params, _meta: envelope(capabilities, meta) });
  return { ...made, transport, input, output, write, call, modern, initialize, seen, messages, chunks, faults, end };
}
