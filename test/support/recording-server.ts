import { createServer as createSecureServer } from 'node:https';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testTls } from './test-tls.js';

/** A real listener that remembers who knocked. */
export interface RecordingServer {
  readonly port: number;
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[];
  /** How many connections were ever opened. */
  readonly connections: () => number;
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

/** Listens on an address of this machine and answers with `answer`, or 200 and "reached". */
export async function recordingServer({
  host = '127.0.0.1',
  port = 0,
  tls = false,
  answer = (_, response) => response.end('reached'),
}: { host?: string; port?: number; tls?: boolean; answer?: RequestListener } = {}): Promise<RecordingServer> {
  const requests: RecordingServer['requests'] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      answer(request, response);
    });
  };
  const server: Server = tls ? createSecureServer(testTls, listener) : createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    forget: () => {
      requests.length = 0;
      connections = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
