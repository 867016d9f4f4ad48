import { chmodSync, statSync, copyFileSync, truncateSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { localUser } from '../access/configured/local-user.js';
import type { Config } from '../config/schema.js';
import type { Transport } from '../core/gateway.js';
import type { JsonObject } from '../core/json.js';
import { sourceKinds } from '../sources/index.js';
import type { GateControl } from '../transports/http/gate-control.js';
import type { HttpDoor } from '../transports/http/edge/server.js';
import type { McpOptions } from '../transports/mcp/dispatcher.js';
import { version } from '../version.js';
import type { OpenDoor } from './door.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';
import { http } from './http-door.js';
import { attachSocket } from '../running/attach-socket.js';
import { environmentHash, fileDigest, namedVariables, type GateIdentity } from '../running/identity.js';
import { idleWatch } from '../running/idle-watch.js';
import { attachProtocol, gateFilesIn, type GateRecord } from '../running/records.js';

/** How a gate is shared between clients on this machine. */
export interface Sharing {
  readonly mode: GateRecord['mode'];
  readonly identity: GateIdentity;
  readonly env: NodeJS.ProcessEnv;
  /** Log file of a background gate. */
  readonly logFile?: string;
  /** The older gate that this one takes over from. */
  readonly replaces?: string;
}

/** Largest log file of a background gate; one older file is kept. */
const maxLogBytes = 16_777_216;

/**
 * Opens a gate for all clients of this machine: HTTP, if configured, a Unix socket with the same routes, and one that assistants attach
 * to. Publishes it in the home, and ends a background gate when it is idle.
 */
export async function openSharedDoor(
  gate: Gate,
  config: Config,
  home: Home,
  protocol: McpOptions,
  sharing: Sharing,
): Promise<OpenDoor> {
  const isBackground = sharing.mode === 'background';
  const files = gateFilesIn(home.gates);
  const started = new Date().toISOString();
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  // Set when a newer release takes over: no new clients, and the end with the last one.
  let isRetired = false;
  let url: string | undefined;
  const idle = idleWatch({
    // A retired gate ends as soon as it is unused.
    idleMs: () => (isRetired ? 0 : gate.config().server.background.idle_seconds * 1000),
    isBusy: () => gate.gateway.active() > 0,
    onIdle() {
      gate.log.event('gate.idle', { seconds: gate.config().server.background.idle_seconds });
      end();
    },
  });
  // Every connection keeps a background gate alive until it closes.
  const track = (socket: Duplex): void => {
    if (!isBackground) return;
    const release = idle.hold();
    socket.once('close', release);
  };

  const control: GateControl = {
    status: () => ({
      ...shownRecord(record()),
      clients: attach.clients(),
      active_calls: gate.gateway.active(),
      uptime_seconds: Math.round(process.uptime()),
      ...(isRetired && { retired: true }),
    }),
    // After the response: the connection that asks must get its answer.
    stop: () => setImmediate(end),
    retire() {
      if (isRetired) return;
      isRetired = true;
      // Withdrawn, so that new clients find the newer gate.
      files.withdraw();
      gate.log.event('gate.retired', { clients: attach.clients() });
      idle.look();
    },
    // One listener, however many requests come at once.
    listen: () => (opening ??= openListener()),
  };
  const door = http(gate, config, home, protocol, { control, onConnection: track });
  let opening: Promise<string> | undefined;
  const openListener = async (): Promise<string> => {
    if (url !== undefined) return url;
    // Port 0 on loopback: opened on demand for the console, so it must not conflict with anything.
    const opened = door.listen({ host: '127.0.0.1', port: 0 });
    await opened.start();
    extra.push(opened);
    url = `http://127.0.0.1:${opened.address().port}`;
    publish();
    return url;
  };
  const extra: HttpDoor[] = [];
  // The same routes over a socket with file permissions, for the command line.
  const rest = door.listen({ host: '', port: 0, socketPath: files.rest });
  const attach = attachSocket({
    gateway: gate.gateway,
    protocol,
    path: files.attach,
    env: sharing.env,
    authenticate: async (authorization) => gate.callers().authenticate(authorization),
    principal: () => localUser(gate.config()),
    graceMs: () => gate.config().server.shutdown_grace_period * 1000,
    onConnection: track,
    onEvent: (event, fields) => gate.log.event(event, fields),
  });

  let names = namedVariables(config, sourceKinds);
  let digest = sharing.identity.digest;
  const record = (): GateRecord => ({
    ...sharing.identity,
    digest,
    protocol: attachProtocol,
    version,
    pid: process.pid,
    started,
    mode: sharing.mode,
    names,
    environment: environmentHash(names, sharing.env),
    attach: files.attach,
    rest: files.rest,
    tokenFile: door.tokenFile,
    ...(url !== undefined && { url }),
    ...(sharing.logFile !== undefined && { log: sharing.logFile }),
  });
  const publish = (): void => {
    // A retired gate must not appear in the home again.
    if (!isRetired) files.write(record());
  };
  const onReload = (): void => {
    const next = namedVariables(gate.config(), sourceKinds);
    const differs = next.join('\n') !== names.join('\n');
    names = next;
    // The file may have changed; clients compare this digest before they attach.
    digest = fileDigest(sharing.identity.file ?? undefined);
    publish();
    // Clients attached for the variables known then; about new ones they have to be asked again.
    if (differs) void attach.detachAll();
  };
  const logTimer = sharing.logFile === undefined ? undefined : boundLog(sharing.logFile);

  const start = async (): Promise<void> => {
    if (!isBackground) {
      await door.transport.start();
      url = door.address?.();
    }
    await Promise.all([rest.start(), attach.start()]);
    // Connecting to it is acting as the owner.
    chmodSync(files.rest, 0o600);
    if (isBackground && config.server.background.http) await control.listen();
    // Published last: a record means that both sockets answer.
    publish();
    if (sharing.replaces !== undefined) gate.log.event('gate.replaces', { older: sharing.replaces });
    if (isBackground) idle.look();
  };
  const transport: Transport = {
    name: door.transport.name,
    start,
    drain: async () => door.transport.drain?.(),
    async stop(signal) {
      // First: no client may attach to a gate that is ending.
      files.withdraw();
      clearInterval(logTimer);
      idle.stop();
      const others = [rest, ...extra].map((one) => one.stop(signal));
      await Promise.all([door.transport.stop(signal), attach.stop(signal), ...others]);
      files.clear();
    },
  };
  try {
    await start();
  } catch (error) {
    // Aborted at once: nothing is in flight yet.
    await transport.stop(AbortSignal.abort());
    throw error;
  }
  return {
    transport,
    ended,
    onReload,
    tokenFile: door.tokenFile,
    ...(url !== undefined && { url }),
  };
}

/** The record without the hashes, from which weak secrets could be guessed. */
function shownRecord(record: GateRecord): JsonObject {
  const { pid, version: its, started, mode, file, names, attach, rest, tokenFile, url, log } = record;
  return { pid, version: its, started, mode, file, names, attach, rest, token_file: tokenFile, url, log };
}

/** Keeps the log file of a gate within its bound; the file is opened for appending, so it can be truncated in place. */
function boundLog(path: string): NodeJS.Timeout {
  const timer = setInterval(() => {
    try {
      if (statSync(path).size <= maxLogBytes) return;
      // Copied and truncated in place, because the process holds the file open and a rename would follow it.
      copyFileSync(path, `${path}.1`);
      truncateSync(path);
    } catch {
      // Removed by its owner, or a full disk: the next look tries again.
    }
  }, 60_000);
  // The timer alone must not keep the process alive.
  return timer.unref();
}
