import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedConfig } from '../config/load.js';
import { noteLine } from '../config/problem.js';
import { lockFile } from '../lib/lock-file.js';
import { describeSystemError } from '../lib/system-error.js';
import type { Log } from '../observe/log/log.js';
import type { Serving } from '../serve.js';
import { serve } from '../serve.js';
import { homeOf, makeHome } from '../serve/home.js';
import { environmentHash, identityOf, namedVariables } from '../running/identity.js';
import { gatesIn } from '../running/records.js';
import type { Sharing } from '../serve/shared-door.js';
import { sourceKinds } from '../sources/index.js';
import { gateKey, logVariable } from './attach/start-gate.js';
import { failure } from './command-line.js';
import { serveBanner } from './serve-banner.js';
import type { Io } from './io.js';
import { serveLog } from './serve-log.js';

/** How the gate of this process is reached. */
export interface GateMode {
  /** `alone`: by the assistant that started it; `http`: by all; `background`: by assistants that attach. */
  readonly mode: 'alone' | 'http' | 'background';
  readonly replaces?: string;
}

/** Runs a gate in this process until a signal arrives or its last client is gone. */
export async function serveGate(
  loaded: LoadedConfig,
  argv: readonly string[],
  { mode, replaces }: GateMode,
  io: Io,
): Promise<number> {
  const cwd = process.cwd();
  const { config } = loaded;
  const home = homeOf(io.env, config.state.directory);
  const identity = identityOf(loaded.file, { argv, env: io.env, cwd });
  // Replaced once the lock is held, so that the `finally` below can call it in every case.
  let release = (): void => {};
  if (mode === 'background') {
    makeHome(home);
    // Only the owner: connecting to a socket in it is acting as the owner.
    mkdirSync(home.gates, { recursive: true, mode: 0o700 });
    const key = gateKey(identity, environmentHash(namedVariables(config, sourceKinds), io.env));
    const locked = lockFile(join(home.gates, `${key}.lock`));
    // Another gate for the same assistants is up or coming up, and the relay that started this one attaches to it.
    if (!locked.ok) return 0;
    release = () => locked.lock.release();
  }
  const log = serveLog(loaded, argv, io);
  // A person who sees the banner also sees which sources come later; a program reads the log.
  let isAnnounced = false;
  const announce: Log['event'] = (name, fields) => {
    log.event(name, fields);
    if (isAnnounced && mode === 'http' && io.isTTY && io.json !== true && name === 'source.ready')
      io.out(`  ready      ${String(fields?.['source'])}: ${String(fields?.['tools'])} tools\n`);
  };
  const logFile = io.env[logVariable];
  const sharing: Sharing | undefined =
    // Windows has no Unix sockets with file permissions, so gates are not shared there.
    mode === 'alone' || process.platform === 'win32'
      ? undefined
      : {
          mode,
          identity,
          env: io.env,
          ...(mode === 'background' && logFile !== undefined && { logFile }),
          ...(replaces !== undefined && { replaces }),
        };
  try {
    let serving: Serving;
    try {
      serving = await serve({
        loaded,
        env: io.env,
        argv,
        cwd,
        log: { ...log, event: announce },
        ...(sharing && { sharing }),
      });
    } catch (error) {
      // Other errors are bugs or failures with their own message and end in the top-level handler.
      if (!isListenError(error)) throw error;
      return failure('serve', describeListenError(error, loaded, home.gates), io);
    }
    if (mode === 'http' && serving.url !== undefined)
      io.out(
        io.json === true
          ? `${JSON.stringify({ url: serving.url, pid: process.pid, token_file: serving.tokenFile, audit: serving.home.audit })}\n`
          : serveBanner(serving, loaded.notes.map(noteLine)),
      );
    isAnnounced = true;
    const reload = (): void => void serving.reload();
    process.on('SIGHUP', reload);
    // SIGHUP reloads, as with other daemons; SIGINT and SIGTERM arrive through the signal of `io`.
    await Promise.race([untilAborted(io.signal), serving.ended]);
    process.off('SIGHUP', reload);
    // The reason is logged, so that the end of a gate can be explained later.
    await serving.stop(String(io.signal.aborted ? io.signal.reason : 'closed'));
    return 0;
  } finally {
    release();
  }
}

/** Whether the listener could not be opened, as opposed to any other failure of the start. */
const isListenError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind');

/** Names the gate of this home that holds the port, if it is one. */
function describeListenError(error: unknown, { config }: LoadedConfig, gates: string): string {
  const { host, port } = config.server;
  const holder = gatesIn(gates).find(({ url }) => url !== undefined && new URL(url).port === String(port));
  const problem = `cannot listen on ${host}:${port}: ${describeSystemError(error)}`;
  return holder === undefined
    ? `${problem}; set another address with --host or --port`
    : `${problem} by gate ${holder.pid} of this home (started ${holder.started}, ${holder.file ?? 'no configuration file'}); stop it with toolgate stop, or set another port with --port`;
}

/** Resolves when the signal fires, also if it has fired already: `addEventListener` alone would wait forever. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
