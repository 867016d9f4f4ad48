import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../core/json.js';
import type { PeerRequest } from '../../core/peers.js';
import { maxSkewMs, parseHead, signatureHeader, signLine, verifyRequest, type PeerKeys } from './signature.js';
import { recentNonces } from './nonces.js';

export type PeerHandler = (request: PeerRequest) => Promise<Json>;

interface PeerDoorOptions {
  readonly host: string;
  readonly port: number;
  /** Name and incarnation that requests must be addressed to. */
  readonly to: string;
  readonly keys: PeerKeys;
  readonly find: (verb: string) => PeerHandler | undefined;
  readonly onRefused?: (why: string, address: string) => void;
  readonly onBug?: (error: unknown) => void;
  readonly now?: () => number;
}

export interface PeerDoor {
  readonly port: number;
  close(): Promise<void>;
}

export const peerPath = '/peer';
/** Arguments and answers of one call; twice the largest body that callers may send by default. */
export const maxRequestBytes = 8_388_608;
const maxConnections = 1_024;
const discardMs = 1_000;

/** A line of an answer. */
export type PeerLine = { readonly event: Json } | { readonly answer: Json } | { readonly failed: string };

/**
 * Listener for the other replicas alone, apart from the one for callers. A request counts only if it was signed with the cluster
 * secret, for this start of this replica, within the last seconds, and for the first time; everything else gets the same 401.
 */
export async function peerDoor(options: PeerDoorOptions): Promise<PeerDoor> {
  const { to, keys, find, onRefused = () => {}, onBug = () => {}, now = Date.now } = options;
  // Twice the tolerated difference: a request is acceptable from `-skew` to `+skew` of its time.
  const nonces = recentNonces(2 * maxSkewMs);

  const refuse = (req: IncomingMessage, res: ServerResponse, status: number, why: string): void => {
    onRefused(why, req.socket.remoteAddress ?? '');
    res.writeHead(status, { 'content-length': 0 }).end();
    // The rest of a body is discarded for a moment, so that the sender gets to read the status.
    const cut = setTimeout(() => req.destroy(), discardMs).unref();
    req.resume().once('close', () => clearTimeout(cut));
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const header = req.headers[signatureHeader];
    const head = parseHead(typeof header === 'string' ? header : undefined, now());
    if (req.method !== 'POST' || req.url !== peerPath || head === undefined)
      return refuse(req, res, 401, 'no valid signature, or an old one');
    const length = Number(req.headers['content-length'] ?? NaN);
    if (!(length <= maxRequestBytes)) return refuse(req, res, 413, 'too large, or without a length');
    const body = await readBody(req, length);
    if (body === undefined) return;
    const key = verifyRequest(keys, to, head, body);
    if (key === undefined) return refuse(req, res, 401, 'signed with another secret, or for another replica');
    if (!nonces.use(head.nonce, now())) return refuse(req, res, 401, 'repeated');

    let index = 0;
    const write = (line: PeerLine): void => {
      const text = JSON.stringify(line);
      res.write(`${signLine(key, head.nonce, index, text)} ${text}\n`);
      index += 1;
    };
    const hungUp = new AbortController();
    res.once('close', () => hungUp.abort());
    res.writeHead(200, { 'content-type': 'application/x-ndjson' });
    // Sent at once: the other replica sees that the request was accepted, however long it runs.
    res.flushHeaders();
    try {
      // Authenticated, so written by `askPeer`.
      const { verb, body: given } = JSON.parse(body.toString('utf8')) as { readonly verb: string; readonly body: Json };
      const handler = find(verb);
      if (handler === undefined) write({ failed: `nothing here answers ${verb}` });
      else {
        const emit = (event: Json): void => void (res.writableEnded || write({ event }));
        write({ answer: await handler({ from: head.from, body: given, signal: hungUp.signal, emit }) });
      }
    } catch (error) {
      onBug(error);
      write({ failed: 'the other replica failed' });
    }
    res.end();
  }

  const server = createServer((req, res) => void serve(req, res).catch(onBug));
  server.maxConnections = maxConnections;
  server.headersTimeout = 5_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 30_000;
  await listen(server, options.host, options.port);
  return {
    port: (server.address() as AddressInfo).port, // a TCP listener
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The whole body; undefined if the connection ended before. */
async function readBody(req: IncomingMessage, length: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer); // no encoding is set
  } catch {
    return undefined;
  }
  const body = Buffer.concat(chunks);
  return body.length === length ? body : undefined;
}

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
