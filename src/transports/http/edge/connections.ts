import type { Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Peers } from './peers.js';
import { sendProblem } from './respond.js';
import { securityHeaders } from './secured-response.js';

interface ConnectionOptions {
  readonly maxConnections: number;
  /** Largest number of connections of one peer. */
  readonly maxPerPeer: number;
  readonly peers: () => Peers;
  /** A connection whose peer takes no byte of a response for this long is destroyed. */
  readonly writeTimeoutMs: number;
}

/** The connections of one listener. */
interface Connections {
  /** Called with each request, before it is answered; false if its connection was refused already. */
  use(socket: Socket, res: ServerResponse): boolean;
  /** Closes connections that wait for nothing; half a request is answered 408. For use while the listener stops. */
  closeIdle(): void;
  /** Destroys every connection, also those made inside of this process, which Node's listener does not count. */
  closeAll(): void;
  /** Resolves when no connection is left, as `closeAll` counts them. */
  allClosed(): Promise<void>;
}

interface Connection {
  /** Responses that are not finished; more than one only if the client pipelines. */
  open: number;
  last: ServerResponse | undefined;
}

/** Time for the client to read an error before the connection is destroyed; closing at once would reset it unread. */
const lingerMs = 1_000;

/** Bounds what a peer can hold: its number of connections, half requests, and responses that it does not read. */
export function trackConnections(server: Server, options: ConnectionOptions): Connections {
  const connections = new Map<Socket, Connection>();
  const perPeer = new Map<string, number>();
  const refused = new WeakSet<Duplex>();
  const waiting: (() => void)[] = [];

  /** Sends an error below HTTP and destroys the connection: half-closed it would last as long as its client likes (FIN_WAIT2). */
  const refuse = (socket: Duplex, status: number): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable) return void socket.destroy();
    socket.end(rawResponse(status));
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
  };

  /** Answers a request that was not sent completely. */
  const refuseHalf = (socket: Duplex, status: number, connection: Connection | undefined): void => {
    const res = connection?.last;
    if (connection === undefined || connection.open === 0 || res === undefined) return refuse(socket, status);
    // A raw answer in the middle of another response would be read as a part of it (response splitting).
    if (connection.open > 1 || res.headersSent || res.req.complete) return void socket.destroy();
    refused.add(socket);
    res.shouldKeepAlive = false; // Node destroys the connection after the response
    return sendProblem(res, status, status === 408 ? 'timeout' : 'bad_request', 'The request was not sent completely');
  };

  server.maxConnections = options.maxConnections;
  server.timeout = options.writeTimeoutMs;
  server.on('timeout', (socket) => {
    // No byte moved: the client does not read (slow-read attack), or the connection is idle. A running call is neither.
    if (socket.writableLength > 0 || (connections.get(socket)?.open ?? 0) === 0) socket.destroy();
  });
  server.on('connection', (socket) => {
    const address = socket.remoteAddress;
    connections.set(socket, { open: 0, last: undefined });
    socket.once('close', () => {
      connections.delete(socket);
      if (connections.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
    // Unix sockets have no address; their folder decides who can connect.
    const peers = options.peers();
    if (address === undefined || peers.isProxy(address)) return;
    const peer = peers.groupOf(address);
    const count = (perPeer.get(peer) ?? 0) + 1;
    perPeer.set(peer, count);
    socket.once('close', () => {
      const left = (perPeer.get(peer) ?? 1) - 1;
      if (left === 0) perPeer.delete(peer);
      else perPeer.set(peer, left);
    });
    if (count > options.maxPerPeer) refuse(socket, 503);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseHalf(socket, statusOf(error), connections.get(socket as Socket)),
  ); // without TLS every stream of the listener is a Socket

  return {
    use(socket, res) {
      const connection = connections.get(socket);
      if (connection === undefined || refused.has(socket)) return false;
      connection.open += 1;
      connection.last = res;
      res.once('close', () => {
        connection.open -= 1;
        if (connection.last === res) connection.last = undefined;
      });
      return true;
    },
    closeAll() {
      for (const socket of connections.keys()) socket.destroy();
    },
    allClosed: () =>
      connections.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push(resolve)),
    closeIdle() {
      server.closeIdleConnections();
      for (const [socket, connection] of connections) {
        if (socket.destroyed) continue;
        // Preconnected sockets without a request do not count as idle for Node.
        if (connection.open === 0 && socket.bytesRead === 0) socket.destroy();
        else if (connection.open === 0 || connection.last?.req.complete === false) refuseHalf(socket, 408, connection);
      }
    },
  };
}

const statusOf = ({ code }: NodeJS.ErrnoException): number =>
  code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? 408
    : code === 'HPE_HEADER_OVERFLOW'
      ? 431
      : code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
        ? 413
        : 400;

const rawResponse = (status: number): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    ...(status === 503 ? ['retry-after: 5'] : []),
    'connection: close',
    'content-length: 0',
    '\r\n',
  ].join('\r\n');
