import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LiveItem, LiveServer } from '../../scanner/live-surface.js';
import type { InputSchema } from '../../scanner/surface/report.js';

type Json = Readonly<Record<string, unknown>>;

/** Bounds of one answer and of one list: the server is untrusted and may never stop. */
const maxBytes = 16_000_000;
const maxPages = 50;
const maxOffered = 5_000;
const timeoutMs = 20_000;
/** A name that no server can have allowed: the reserved top-level domain `.invalid`. */
const foreignOrigin = 'https://toolgate-probe.invalid';

/** One answer of the server. */
interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly message: Json | undefined;
}

/** Connection to a running server. */
interface Connection {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads what a running server shows a model and what its transport allows; calls no tool. Returns the reason on failure. */
export async function readLive(
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LiveServer | { readonly refused: string }> {
  const connection: Connection = { url: new URL(address), headers, signal };
  try {
    const hello = await call(connection, 1, 'initialize', helloParams, {});
    // Credentials are the user's to give; the scanner does not start a login.
    if (hello.status === 401 || hello.status === 403)
      return { refused: `the server at ${address} answered ${hello.status}; pass credentials with --header` };
    const result = resultOf(hello);
    if (!result)
      return {
        refused: `the server at ${address} did not answer initialize as an MCP server (status ${hello.status})`,
      };
    const session = hello.headers['mcp-session-id'];
    // A legacy server assigns a session in a header, which every later request must repeat.
    const more = {
      'mcp-protocol-version': textOf(result['protocolVersion']) || protocolVersion,
      ...(typeof session === 'string' ? { 'mcp-session-id': session } : {}),
    };
    await call(connection, undefined, 'notifications/initialized', {}, more);
    const offers = isRecord(result['capabilities']) ? result['capabilities'] : {};
    const cut: string[] = [];
    const list = async (what: string, method: string): Promise<readonly Json[]> =>
      // Only what the server declares is requested: others may answer with an error or not at all.
      what in offers ? listAll(connection, method, what, more, cut) : [];
    // One after another: some servers handle one request of a session at a time.
    const [tools, prompts, resources] = [
      await list('tools', 'tools/list'),
      await list('prompts', 'prompts/list'),
      await list('resources', 'resources/list'),
    ];
    return {
      url: address,
      tools: tools.map(toItem),
      prompts: prompts.map(toItem),
      resources: resources.map(toItem),
      instructions: textOf(result['instructions']),
      // Probed last, because an `initialize` without the session could end it on some servers.
      transport: await probe(connection),
      cut,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    return { refused: `cannot read the server at ${address}: ${why}` };
  }
}

const protocolVersion = '2025-06-18';
const helloParams = {
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'toolgate-scan', version: '1' },
};

async function listAll(
  connection: Connection,
  method: string,
  what: string,
  headers: Readonly<Record<string, string>>,
  cut: string[],
): Promise<readonly Json[]> {
  const found: Json[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && found.length < maxOffered; page += 1) {
    const result = resultOf(await call(connection, 10 + page, method, cursor === undefined ? {} : { cursor }, headers));
    const items = result?.[what];
    // A page of another shape ends the list; what was found so far is still reported as cut.
    if (!Array.isArray(items)) break;
    found.push(...items.filter(isRecord));
    cursor = typeof result?.['nextCursor'] === 'string' ? result['nextCursor'] : undefined;
    if (cursor === undefined) return found;
  }
  // Reached only if the bound of pages or items ended the loop.
  cut.push(what);
  return found.slice(0, maxOffered);
}

function toItem(item: Json): LiveItem {
  const schema = isRecord(item['inputSchema']) ? item['inputSchema'] : undefined;
  return {
    name: textOf(item['name']),
    title: typeof item['title'] === 'string' ? item['title'] : undefined,
    description: textOf(item['description']),
    uri: textOf(item['uri']) || undefined,
    schema: schema && toSchema(schema),
  };
}

const toSchema = (schema: Json): InputSchema => ({
  type: 'object',
  properties: isRecord(schema['properties']) ? schema['properties'] : {},
});

const isLoopback = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

/** Tries what an attacker would: no credentials, and a request from a foreign web page. */
async function probe(connection: Connection): Promise<LiveServer['transport']> {
  const found: { rule: string; message: string }[] = [];
  const anonymous = await call({ ...connection, headers: {} }, 1, 'initialize', helloParams, {});
  // Loopback servers are commonly without authentication; there the Origin check matters instead.
  if (resultOf(anonymous) && !isLoopback(connection.url.hostname))
    found.push({ rule: 'TG-HTTP-NO-AUTH', message: 'The server answers over the network without credentials' });
  const foreign = await call(connection, 1, 'initialize', helloParams, { origin: foreignOrigin });
  if (resultOf(foreign))
    found.push({
      rule: 'TG-NO-ORIGIN-CHECK',
      message: 'The server accepts requests with a foreign Origin header (DNS rebinding)',
    });
  // Either form lets a page of any origin read the answer: the wildcard, or the Origin reflected.
  const allowed = foreign.headers['access-control-allow-origin'];
  if (allowed === '*' || allowed === foreignOrigin)
    found.push({ rule: 'TG-CORS-ANY', message: 'The server lets web pages of any origin read its answers' });
  return found;
}

const resultOf = ({ message }: Answer): Json | undefined =>
  isRecord(message?.['result']) ? message['result'] : undefined;

/** Sends one JSON-RPC message; follows no redirect, and reads a bounded answer. */
function call(
  { url, headers, signal }: Connection,
  id: number | undefined,
  method: string,
  params: Json,
  more: Readonly<Record<string, string>>,
): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params });
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const sent = send(
      url,
      { method: 'POST', headers: { ...accepted, ...headers, ...more }, signal, timeout: timeoutMs },
      (response) => {
        let text = '';
        const end = (): void => {
          // The stream may stay open; without this the request would hold the process until its timeout.
          sent.destroy();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, message: messageIn(text, id) });
        };
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
          // An event stream may stay open after the answer.
          if (text.length > maxBytes || (id !== undefined && text.includes('\n\n') && messageIn(text, id))) end();
        });
        response.on('end', end);
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The answer with this id, in a JSON body or in an event stream. */
function messageIn(text: string, id: number | undefined): Json | undefined {
  // `data:` lines of an event stream; a plain JSON body has none.
  const events = [...text.matchAll(/^data: ?(.*)$/gm)].map((match) => match[1] ?? '');
  for (const candidate of events.length > 0 ? events : [text]) {
    try {
      const value: unknown = JSON.parse(candidate);
      // Other messages, such as notifications, may come before the answer.
      if (isRecord(value) && value['id'] === id) return value;
    } catch {
      continue;
    }
  }
  return undefined;
}
