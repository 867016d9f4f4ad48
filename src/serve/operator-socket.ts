import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/schema.js';
import { isLeftBehind } from '../lib/process-alive.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';

/** Local access for operators, independent of the transport that callers use. */
interface OperatorSocket {
  /** Opens the socket if the configuration may require approval, else with the first ticket. */
  start(): Promise<void>;
  stop(signal: AbortSignal): Promise<void>;
}

/** The kernel limits the path of a Unix socket to 104 or 108 bytes. */
const maxSocketPathBytes = 100;

/**
 * Unix socket in the state folder (0700) that serves only the approval routes, and still requires a token. It uses HTTP, so that
 * REST and the socket share one implementation.
 */
export function operatorSocket(gate: Gate, home: Home): OperatorSocket {
  let opening: Promise<{ stop(signal: AbortSignal): Promise<void> } | undefined> | undefined;
  const open = async (): Promise<void> => {
    // A failure is logged and not thrown: calls that need no approval must still work.
    opening ??= openSocket(gate, home).catch((error: unknown) => {
      gate.log.event('server.problem', {
        message: `Cannot open the operator socket, so no operator can decide tickets: ${error instanceof Error ? error.message : String(error)}`,
      });
      return undefined;
    });
    await opening;
  };
  return {
    async start() {
      if (mayRequireApproval(gate.config())) return open();
      // A reload may add rules that require approval.
      void gate.approvalRequested.then(open);
    },
    async stop(signal) {
      // Waits for an opening in progress: a socket that opens after the stop would be left behind.
      await (await opening)?.stop(signal);
    },
  };
}

/** Whether any rule can require approval. */
const mayRequireApproval = ({ policy, flows }: Config): boolean =>
  policy.confirmation.effects.length > 0 ||
  policy.rules.some(({ action }) => action === 'confirm') ||
  flows.rules.some(({ action }) => action === 'confirm');

async function openSocket(gate: Gate, home: Home): Promise<{ stop(signal: AbortSignal): Promise<void> }> {
  // Loaded on demand: most gateways over stdio never require approval and need no HTTP listener.
  const [{ httpDoor }, { approvalRoutes }, { tokenFromFile }] = await Promise.all([
    import('../transports/http/edge/server.js'),
    import('../transports/http/approvals.js'),
    import('../access/identity/token-file.js'),
  ]);
  // The same token as over HTTP: file permissions alone are no authentication.
  const token = tokenFromFile(gate.config().auth.token_file ?? home.token);
  gate.log.hide([token]);
  const place = allocateSocket(home.approvals);
  const listener = httpDoor({
    host: '',
    port: 0,
    socketPath: place.socket,
    routes: approvalRoutes(gate.approvals),
    // Anonymous callers have no approver role, so the routes refuse them.
    authenticator: {
      authenticate: (authorization) => gate.callers().authenticate(authorization),
      generation: () => gate.current().generation,
    },
    // No Host and no Origin is allowed besides those of a local client: pages in a browser cannot reach a socket anyway.
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    // Decisions are short, and an operator sends few of them.
    maxBodyBytes: 4_096,
    peerRatePerSecond: 50,
    maxConnections: 20,
    onRefused: (refusal) => gate.edge.credential(refusal),
    onFault: (error) =>
      gate.log.event('server.fault', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  });
  await listener.start();
  // The folder is private already; this also holds if its mode is changed later.
  chmodSync(place.socket, 0o600);
  return {
    async stop(signal) {
      await listener.stop(signal);
      place.clear();
    },
  };
}

/** Allocates a socket path in a private folder and removes sockets of dead gateways. */
function allocateSocket(folder: string): { readonly socket: string; clear(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An existing folder keeps its mode in mkdir, so it is set explicitly.
  chmodSync(folder, 0o700);
  // Sockets of gateways that crashed.
  for (const name of readdirSync(folder)) if (isLeftBehind(name)) rmSync(join(folder, name), { force: true });
  // Random as well as the pid: a reused pid must not collide with a socket that is still there.
  const named = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.sock`);
  if (Buffer.byteLength(named) <= maxSocketPathBytes)
    return { socket: named, clear: () => rmSync(named, { force: true }) };
  // A path over the kernel limit: listen in a private temporary folder and link to it.
  const short = mkdtempSync(join(tmpdir(), 'toolgate-'));
  symlinkSync(join(short, 's'), named);
  return {
    socket: join(short, 's'),
    clear() {
      rmSync(named, { force: true });
      rmSync(short, { recursive: true, force: true });
    },
  };
}
