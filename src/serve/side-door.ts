import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/schema.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';

/** The way in for operators on this machine, whichever door callers use. */
export interface SideDoor {
  /** Opens it where the configuration may ask for consent, else when the first ticket is there. */
  start(): Promise<void>;
  stop(signal: AbortSignal): Promise<void>;
}

/** A path that the kernel takes as the name of a socket has fewer bytes. */
const longestPath = 100;

/**
 * A socket below the home, which only its owner can enter, with the routes for approvals and nothing else; who comes needs a
 * token there as anywhere. It is HTTP, so that REST and this are one way of answering.
 */
export function sideDoor(gate: Gate, home: Home): SideDoor {
  let opening: Promise<{ stop(signal: AbortSignal): Promise<void> } | undefined> | undefined;
  const open = async (): Promise<void> => {
    opening ??= opened(gate, home).catch((error: unknown) => {
      gate.log.event('server.problem', {
        message: `Tickets can be answered by nobody: ${error instanceof Error ? error.message : String(error)}`,
      });
      return undefined;
    });
    await opening;
  };
  return {
    async start() {
      if (mayAsk(gate.config())) return open();
      // A reload may bring rules that ask.
      void gate.asked.then(open);
    },
    async stop(signal) {
      await (await opening)?.stop(signal);
    },
  };
}

const mayAsk = ({ policy, flows }: Config): boolean =>
  policy.confirmation.effects.length > 0 ||
  policy.rules.some(({ action }) => action === 'confirm') ||
  flows.rules.some(({ action }) => action === 'confirm');

async function opened(gate: Gate, home: Home): Promise<{ stop(signal: AbortSignal): Promise<void> }> {
  // Most gateways never ask; those over stdio do not pay for a listener then.
  const [{ httpDoor }, { approvalRoutes }, { tokenFromFile }] = await Promise.all([
    import('../transports/http/server.js'),
    import('../transports/http/approvals.js'),
    import('../access/token-file.js'),
  ]);
  const token = tokenFromFile(gate.config().auth.token_file ?? home.token);
  gate.log.hide([token]);
  const place = placeIn(home.approvals);
  const listener = httpDoor({
    host: '',
    port: 0,
    socketPath: place.socket,
    routes: approvalRoutes(gate.approvals),
    // Whoever comes without a token is refused by the routes: nobody in particular is no approver.
    authenticator: { authenticate: (authorization) => gate.callers().authenticate(token, authorization) },
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 1_024,
    peerRatePerSecond: 50,
    maxConnections: 20,
    onFault: (error) =>
      gate.log.event('server.fault', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  });
  await listener.start();
  chmodSync(place.socket, 0o600);
  return {
    async stop(signal) {
      await listener.stop(signal);
      place.clear();
    },
  };
}

/** A name of our own in a folder that is closed to others; what gateways that died left there is taken away. */
function placeIn(folder: string): { readonly socket: string; clear(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder)) if (isLeft(name)) rmSync(join(folder, name), { force: true });
  const named = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.sock`);
  if (Buffer.byteLength(named) <= longestPath) return { socket: named, clear: () => rmSync(named, { force: true }) };
  // A long path has a short one beside it, in a folder that is ours alone, and a link that leads there.
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

function isLeft(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
  if (pid === 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
