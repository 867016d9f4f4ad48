import { tokenFromFile } from '../access/identity/token-file.js';
import { loadConfig } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import { log as openLog, type Log } from '../observe/log/log.js';
import { sourceKinds } from '../sources/index.js';
import { inProcessFetch } from '../transports/http/in-process.js';
import { protocolOf } from '../serve/door.js';
import { startGate, type Extensions, type Gate } from '../serve/gate.js';
import { homeOf } from '../serve/home.js';
import { http } from '../serve/http-door.js';

export interface CreateGateOptions extends Extensions {
  /** Configuration in the shape of `toolgate.yaml`; no file is read. `state.directory` is its state folder. */
  readonly config?: object;
  /** Environment for `${NAME}` in the configuration; that of the process by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Folder that relative paths refer to; the working directory by default. */
  readonly base?: string;
  readonly log?: Log;
}

/** A gateway inside of a program. */
export interface EmbeddedGate {
  /** Handles a request without a socket, through the same edge as HTTP: it needs the same credential. */
  fetch(request: Request): Promise<Response>;
  /** Token of the owner, for the Authorization header. */
  readonly token: string;
  readonly gate: Gate;
  /** Starts the HTTP listener of the configuration; returns its URL. */
  listen(): Promise<string>;
  /** Drains running calls within `server.shutdown_grace_period` and closes everything. */
  close(): Promise<void>;
}

/** Opens a gateway with sources, guards and routes of the calling program; throws the problems of the configuration. */
export async function createGate({
  config: object = {},
  env = process.env,
  base = process.cwd(),
  kinds: added = [],
  log,
  ...extensions
}: CreateGateOptions = {}): Promise<EmbeddedGate> {
  const kinds = added.length === 0 ? sourceKinds : [...sourceKinds, ...added];
  const loaded = await loadConfig({ env, cwd: base, kinds, object });
  if (!loaded.ok) throw new Error(loaded.problems.map(problemLine).join('\n'));
  const { config } = loaded;
  const home = homeOf(env, config.state.directory);
  const gate = await startGate({
    loaded,
    home,
    env,
    log: log ?? openLog({ level: config.log.level }),
    extensions: { ...extensions, kinds },
  });
  let door: ReturnType<typeof http>;
  try {
    await gate.ready;
    door = http(gate, config, home, protocolOf(gate));
  } catch (error) {
    await gate.close(0);
    throw error;
  }
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), gate.config().server.shutdown_grace_period * 1000);
    gate.gateway.close();
    await door.transport.stop(over.signal);
    clearTimeout(timer);
    await gate.close(2_000);
  };
  return {
    gate,
    fetch: inProcessFetch(door.connect),
    token: tokenFromFile(door.tokenFile),
    async listen() {
      await door.transport.start();
      return door.address?.() ?? '';
    },
    close: () => (closed ??= close()),
  };
}
