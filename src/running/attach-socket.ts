import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { chmodSync } from 'node:fs';
import { isAdmin, type Principal } from '../core/principal.js';
import type { Gateway, Transport } from '../core/gateway.js';
import type { JsonObject } from '../core/json.js';
import type { AuthResult } from '../transports/http/edge/authenticate.js';
import type { McpOptions } from '../transports/mcp/dispatcher.js';
import { stdioTransport } from '../transports/stdio/stdio.js';
import { version } from '../version.js';
import { environmentHash } from './identity.js';
import { attachProtocol } from './records.js';

/** First line that an assistant's side sends. */
export interface Hello {
  readonly attach: number;
  readonly token: string;
  /** Variables named by its configuration, and the hash of their values in its environment. */
  readonly names: readonly string[];
  readonly environment: string;
  /** Process id of the client, for log and audit. */
  readonly pid: number;
}

/** The gate's answer, one line. */
export type Welcome =
  | { readonly ok: true; readonly version: string; readonly pid: number }
  | {
      readonly ok: false;
      readonly why: 'protocol' | 'token' | 'environment' | 'busy' | 'stopping';
      readonly message: string;
    };

/** Listener for assistants that attach; each connection is one stdio client with a separate session. */
interface AttachSocket extends Transport {
  clients(): number;
  /** Ends every connection after its running calls; clients attach again with their next message. */
  detachAll(): Promise<void>;
}

const maxHelloBytes = 65_536;
const helloTimeoutMs = 10_000;
const maxClients = 256;

interface AttachOptions {
  readonly gateway: Gateway;
  readonly protocol: McpOptions;
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  authenticate(authorization: string): Promise<AuthResult>;
  /** Principal of every client: the owner of the gate. */
  principal(): Principal;
  /** Time for running calls when clients are detached. */
  graceMs(): number;
  onConnection(socket: Socket): void;
  onEvent(event: 'gate.attached' | 'gate.detached', fields: JsonObject): void;
}

/** Serves MCP on a Unix socket (0600): a handshake line with the owner's token, then the messages of stdio. */
export function attachSocket(options: AttachOptions): AttachSocket {
  const { gateway, protocol, path, env } = options;
  const open = new Map<Socket, Transport>();
  let stopping = false;

  const welcome = async (hello: Hello | undefined): Promise<Welcome> => {
    if (hello?.attach !== attachProtocol)
      return { ok: false, why: 'protocol', message: `This gate (version ${version}) has another attach protocol` };
    if (stopping) return { ok: false, why: 'stopping', message: 'The gate is stopping' };
    const result = await options.authenticate(`Bearer ${hello.token}`);
    if ('refused' in result || !isAdmin(result.principal))
      return { ok: false, why: 'token', message: "The owner's token is required; see toolgate token" };
    if (environmentHash(hello.names, env) !== hello.environment)
      return { ok: false, why: 'environment', message: 'The gate was started with other values of these variables' };
    if (open.size >= maxClients) return { ok: false, why: 'busy', message: `${maxClients} clients are attached` };
    return { ok: true, version, pid: process.pid };
  };

  const serveClient = async (socket: Socket, pid: number): Promise<void> => {
    const session = randomUUID();
    const peer = `pid ${pid}`;
    const client = stdioTransport(gateway, {
      ...protocol,
      principal: options.principal(),
      session,
      peer,
      input: socket,
      output: socket,
      onEnd: () => socket.end(),
    });
    open.set(socket, client);
    options.onEvent('gate.attached', { client: peer, clients: open.size });
    socket.once('close', () => {
      open.delete(socket);
      // Cancels the calls of a killed client: their results cannot be delivered.
      void client.stop(AbortSignal.abort());
      options.onEvent('gate.detached', { client: peer, clients: open.size });
    });
    await client.start();
    // Paused by the handshake; a listener alone does not start it again.
    socket.resume();
  };

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    options.onConnection(socket);
    socket.on('error', () => socket.destroy());
    readHello(socket)
      .then(async (hello) => {
        const answer = await welcome(hello);
        socket.write(`${JSON.stringify(answer)}\n`);
        if (!answer.ok) socket.end();
        else if (!socket.destroyed) await serveClient(socket, hello?.pid ?? 0);
      })
      .catch(() => socket.destroy());
  });

  const endAll = async (signal: AbortSignal): Promise<void> => {
    await Promise.all(
      [...open].map(async ([socket, client]) => {
        await client.stop(signal);
        socket.end();
        socket.destroySoon();
      }),
    );
  };

  return {
    name: 'attach',
    clients: () => open.size,
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, () => {
          chmodSync(path, 0o600);
          resolve();
        });
      }),
    detachAll: () => endAll(AbortSignal.timeout(options.graceMs())),
    async stop(signal) {
      stopping = true;
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await endAll(signal);
      await closed;
    },
  };
}

/** Reads the first line, bounded in size and time; undefined if it is not a handshake. Later bytes stay in the socket. */
function readHello(socket: Socket): Promise<Hello | undefined> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const finish = (hello: Hello | undefined, rest?: Buffer): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('end', onClose);
      socket.pause();
      if (rest !== undefined && rest.length > 0) socket.unshift(rest);
      resolve(hello);
    };
    const onClose = (): void => finish(undefined);
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf(0x0a);
      if (end >= 0) finish(parseHello(bytes.toString('utf8', 0, end)), bytes.subarray(end + 1));
      else if (bytes.length > maxHelloBytes) finish(undefined);
    };
    const timer = setTimeout(() => finish(undefined), helloTimeoutMs);
    socket.on('data', onData).on('close', onClose).on('end', onClose);
  });
}

function parseHello(text: string): Hello | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { attach, token, names, environment, pid } = value as Record<string, unknown>; // narrowed below
  if (typeof attach !== 'number' || typeof token !== 'string' || typeof environment !== 'string') return undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return undefined;
  return { attach, token, names, environment, pid: Number.isSafeInteger(pid) ? Number(pid) : 0 };
}
