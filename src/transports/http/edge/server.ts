import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Transport } from '../../../core/gateway.js';
import type { Authenticator } from './authenticate.js';
import { trackConnections } from './connections.js';
import type { AuthRefusal, EdgeObserver, CompiledEdge, EdgeOptions } from './edge.js';
import { compileEdge, edgeHandler } from './edge.js';
import { directPeers } from './peers.js';
import { EngineDown } from '../../../state/engine.js';
import { sendError, sendProblem } from './respond.js';
import type { Route } from './route.js';
import { securedResponse } from './secured-response.js';

/** Listener options; the limits protect the process before any route runs. */
export interface HttpOptions extends EdgeOptions {
  readonly host: string;
  readonly port: number;
  /** Unix socket to listen on instead of host and port. */
  readonly socketPath?: string;
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  /** Edge options of the active configuration, asked for each request; by default the ones given here. */
  readonly current?: () => EdgeOptions;
  readonly maxConnections: number;
  /** Connections of one peer; by default a quarter of all. */
  readonly maxConnectionsPerPeer?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** Called with every accepted connection. */
  readonly onConnection?: (socket: Duplex) => void;
  readonly onRefused?: (refusal: AuthRefusal) => void;
  readonly observer?: EdgeObserver;
  readonly onFault: (error: unknown) => void;
}

/** How long a client may take. */
interface Timeouts {
  /** For its headers, from the connection on; short, against slow-header attacks (Slowloris). */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** Without reading a byte of a response. */
  readonly writeMs: number;
  /** How often the first two are checked. */
  readonly checkMs: number;
}

const defaultTimeouts: Timeouts = { headersMs: 15_000, requestMs: 60_000, writeMs: 30_000, checkMs: 5_000 };

/** The HTTP transport; `address` is known after `start`. */
export interface HttpDoor extends Transport {
  address(): AddressInfo;
  /** Serves a connection that was made inside of this process; the listener need not be started. */
  connect(stream: Duplex): void;
}

/** HTTP listener: bounds its connections and hands every request to the edge. */
export function httpDoor(options: HttpOptions): HttpDoor {
  const { current = () => options, maxConnections } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  let compiled: CompiledEdge = compileEdge(current(), directPeers);
  const edge = (): CompiledEdge => {
    const latest = current();
    if (latest !== compiled.options) compiled = compileEdge(latest, directPeers);
    return compiled;
  };
  const handle = edgeHandler({
    routes: options.routes,
    authenticator: options.authenticator,
    current: edge,
    onRefused: options.onRefused,
    observer: options.observer,
  });
  let stopping = false;

  const server = createServer(
    {
      maxHeaderSize: 32_768,
      requestTimeout: timeouts.requestMs,
      headersTimeout: timeouts.headersMs,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: timeouts.checkMs,
      ServerResponse: securedResponse(() => stopping),
    },
    (req, res) => {
      if (!connections.use(req.socket, res)) return;
      handle(req, res).catch((error: unknown) => {
        // State that replicas share cannot be read or changed at the moment; no fault of this process.
        if (error instanceof EngineDown)
          return sendError(res, { code: 'state_unavailable', message: error.message, retryAfterMs: 1_000 });
        options.onFault(error);
        return sendProblem(res, 500, 'unknown', 'Internal error of the gateway; see its log');
      });
    },
  );
  if (options.onConnection !== undefined) server.on('connection', options.onConnection);
  const connections = trackConnections(server, {
    maxConnections,
    maxPerPeer: options.maxConnectionsPerPeer ?? Math.ceil(maxConnections / 4),
    peers: () => edge().peers,
    writeTimeoutMs: timeouts.writeMs,
  });

  return {
    name: 'http',
    connect: (stream) => void server.emit('connection', stream),
    address() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The HTTP listener is not started');
      return address;
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(
          options.socketPath === undefined ? { port: options.port, host: options.host } : { path: options.socketPath },
          () => {
            server.off('error', reject);
            server.on('error', options.onFault);
            resolve();
          },
        );
      }),
    stop: (signal) =>
      new Promise((resolve) => {
        stopping = true;
        // After the grace period open connections are closed, which aborts the calls that run on them.
        const force = (): void => connections.closeAll();
        signal.addEventListener('abort', force, { once: true });
        // Keep-alive connections become idle at any time and would delay the shutdown until their client closes them.
        const idleTimer = setInterval(() => connections.closeIdle(), 50);
        server.close(() => {
          void connections.allClosed().then(() => {
            clearInterval(idleTimer);
            signal.removeEventListener('abort', force);
            resolve();
          });
        });
        if (signal.aborted) force();
        else connections.closeIdle();
      }),
  };
}
