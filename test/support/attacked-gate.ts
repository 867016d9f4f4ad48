import { onTestFinished } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json.js';
import type { ToolSource } from '../../src/core/source.js';
import { createGate, type EmbeddedGate } from '../../src/embed/create-gate.js';
import { log } from '../../src/observe/log/log.js';
import { metaKeys, tasksExtension } from '../../src/wire/meta.js';
import type { Loose } from './mcp.js';
import { temporaryFolder } from './temporary.js';

/** Tokens of two users and an operator. */
export const tokens = {
  ada: 'ada-token-of-at-least-32-characters-0001',
  bob: 'bob-token-of-at-least-32-characters-0002',
  eve: 'eve-token-of-at-least-32-characters-0003',
} as const;
export type Caller = keyof typeof tokens;

export interface Received {
  readonly status: number;
  readonly text: string;
  /** The JSON body or the last message of the stream; undefined if there is none. */
  readonly json: Loose;
  readonly headers: Headers;
}

/** Users `ada` and `bob`, and the operator `eve`, with limits that do not end a table of attempts. */
export const attackedConfig = (more: object = {}): object => ({
  commands: { builtins: false },
  rate_limit: { requests: 1_000_000 },
  server: { peer_rate_per_second: 0 },
  auth: {
    tokens: [
      { name: 'ada', token: tokens.ada, roles: ['user'] },
      { name: 'bob', token: tokens.bob, roles: ['user'] },
      { name: 'eve', token: tokens.eve, roles: ['approver'] },
    ],
  },
  ...more,
});

export interface AttackedGate {
  readonly gate: EmbeddedGate;
  send(path: string, caller: Caller, body?: Json | string, headers?: Record<string, string>): Promise<Received>;
  rest(caller: Caller, tool: string, args: Json | string): Promise<Received>;
  /** A request of the 2026 era; `path` selects a profile. */
  modern(caller: Caller, method: string, params: JsonObject, path?: string): Promise<Received>;
  /** Opens a session of the 2025 era. */
  session(
    caller: Caller,
    path?: string,
  ): Promise<{ readonly id: string; call(method: string, params: JsonObject, as?: Caller): Promise<Received> }>;
}

const parse = (text: string): Loose => {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  const body = lines.at(-1)?.slice('data: '.length) ?? text;
  return body.startsWith('{') || body.startsWith('[') ? JSON.parse(body) : undefined;
};

/** A whole gate behind its HTTP edge, in this process; closed when the test ends. */
export async function attackedGate(config: object, sources: readonly ToolSource[]): Promise<AttackedGate> {
  const gate = await createGate({
    log: log({ write: () => {} }),
    config: { state: { directory: temporaryFolder() }, ...attackedConfig(config) },
    sources,
  });
  onTestFinished(() => gate.close());
  let id = 0;
  const send: AttackedGate['send'] = async (path, caller, body, headers = {}) => {
    const response = await gate.fetch(
      new Request(`http://localhost${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${tokens[caller]}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, text, json: parse(text), headers: response.headers };
  };
  const accept = { accept: 'application/json, text/event-stream' };
  return {
    gate,
    send,
    rest: (caller, tool, args) => send(`/tools/${tool}/execute`, caller, args),
    modern: (caller, method, params, path = '/mcp') => {
      const name = params['name'] ?? params['uri'] ?? params['taskId'];
      const more = params['_meta'] as JsonObject | undefined; // tests pass objects only
      const _meta = {
        ...more,
        [metaKeys.protocolVersion]: '2026-07-28',
        [metaKeys.clientInfo]: { name: 'outsider', version: '1' },
        [metaKeys.clientCapabilities]: { elicitation: {}, extensions: { [tasksExtension]: {} } },
      };
      return send(
        path,
        caller,
        { jsonrpc: '2.0', id: (id += 1), method, params: { ...params, _meta } },
        {
          ...accept,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
        },
      );
    },
    session: async (caller, path = '/mcp') => {
      const opened = await send(
        path,
        caller,
        {
          jsonrpc: '2.0',
          id: 0,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'outsider', version: '1' } },
        },
        accept,
      );
      const session = opened.headers.get('mcp-session-id') ?? '';
      const headers = { ...accept, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
      await send(path, caller, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
      return {
        id: session,
        call: (method, params, as = caller) =>
          send(path, as, { jsonrpc: '2.0', id: (id += 1), method, params }, headers),
      };
    },
  };
}

/** A name as the header carries it: text outside of ASCII is encoded. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
