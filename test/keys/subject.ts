import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.js';
import type { ReloadReport } from '../../src/config/reload-report.js';
import type { EmbeddedGate } from '../../src/embed/create-gate.js';
import { createGate } from '../../src/embed/create-gate.js';
import { log } from '../../src/observe/log/log.js';
import { temporaryFolder } from '../support/temporary.js';
import type { Loose } from '../support/mcp.js';
import { labSource } from './lab-source.js';
import { merged } from './row.js';

/** Variables that the rows refer to. */
export const env = {
  PATH: process.env['PATH'] ?? '',
  LAB_A: 'alpha-value-of-at-least-32-characters-01',
  LAB_B: 'bravo-value-of-at-least-32-characters-02',
};
const meta = (capabilities: object = {}): object => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'keys', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; of an event stream, its last message. */
  readonly json: Loose;
}
export interface Sending {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bearer token; that of the owner by default, none if null. */
  readonly token?: string | null;
}

/** A gateway inside of the test, whose configuration is changed as by a changed file. */
export interface Subject {
  readonly folder: string;
  readonly embedded: EmbeddedGate;
  /** Everything logged so far. */
  log(): string;
  journal(): readonly Loose[];
  send(path: string, sending?: Sending): Promise<Answer>;
  /** Calls a tool; `code` is `ok` or the code of the refusal. */
  call(tool: string, args?: object, sending?: Sending): Promise<{ code: string; text: string; answer: Answer }>;
  /** One request of the stateless protocol. */
  mcp(
    method: string,
    params?: object,
    sending?: Sending & { readonly capabilities?: object; readonly path?: string; readonly meta?: object },
  ): Promise<Loose>;
  reload(config: object): Promise<ReloadReport>;
  /** Closes the gateway and starts it again with a configuration, in the same folder unless that is configured. */
  restart(config: object): Promise<void>;
  /** Starts it again after it was closed, with the last configuration. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const textOf = (json: Loose): string =>
  JSON.stringify(json?.structured ?? '') + String(json?.stdout ?? '') + JSON.stringify(json?.content ?? '');

/** Starts a gateway with this configuration. */
export async function aSubject(first: object): Promise<Subject> {
  const folder = temporaryFolder('keys');
  const whole = (config: object): object =>
    merged(
      // Port 0: another program may hold the default one.
      { commands: { builtins: false }, server: { port: 0 }, state: { directory: join(folder, 'home') } },
      config,
    );
  let lines: string[] = [];
  const open = (config: object): Promise<EmbeddedGate> => {
    lines = [];
    return createGate({
      config: whole(config),
      env,
      base: folder,
      sources: [labSource()],
      log: log({ write: (line) => void lines.push(String(line)) }),
    });
  };
  let embedded = await open(first);
  let last = first;

  const send: Subject['send'] = async (path, { method, body, headers, token = embedded.token } = {}) => {
    const response = await embedded.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
  return {
    folder,
    get embedded() {
      return embedded;
    },
    log: () => lines.join(''),
    journal() {
      const audit = join(embedded.gate.config().state.directory ?? folder, 'audit');
      return readdirSync(audit, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) => readFileSync(join(audit, name), 'utf8').split('\n'))
        .filter((line) => line !== '')
        .map((line): Loose => JSON.parse(line));
    },
    send,
    async call(tool, args = {}, sending = {}) {
      const answer = await send(`/tools/${tool}/execute`, { body: args, ...sending });
      const { json } = answer;
      const refusal = json?.error?.code ?? json?.error_context?.code ?? json?.error_code ?? json?.code;
      return {
        code: answer.status === 200 && !refusal ? 'ok' : String(refusal ?? answer.status),
        text: textOf(json),
        answer,
      };
    },
    async mcp(method, params = {}, { capabilities, headers, path = '/mcp', meta: more, ...sending } = {}) {
      const { name, uri } = params as { name?: string; uri?: string };
      const answer = await send(path, {
        body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...meta(capabilities), ...more } } },
        ...sending,
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...((name ?? uri) !== undefined && { 'mcp-name': name ?? uri ?? '' }),
          ...headers,
        },
      });
      return answer.json?.result ?? answer.json;
    },
    async reload(config) {
      const loaded = await loadConfig({ env, cwd: folder, object: whole(config) });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
      last = config;
      return embedded.gate.reload(loaded.config);
    },
    async restart(config) {
      await embedded.close();
      last = config;
      embedded = await open(config);
    },
    async reopen() {
      embedded = await open(last);
    },
    close: () => embedded.close(),
  };
}

function parsed(text: string): Loose {
  const data = text.startsWith('event:') || text.startsWith('data:') || text.startsWith(':') ? lastData(text) : text;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

const lastData = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .at(-1)
    ?.slice(6) ?? '';
