import { loadConfig } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { Principal } from '../core/principal.js';
import { log as makeLog, type Log } from '../observe/log/log.js';
import type { Gate } from '../serve/gate.js';
import { openGate } from '../serve/gate.js';
import { homeOf, type Home } from '../serve/home.js';
import { localUser } from '../access/configured/local-user.js';
import { reportConfigProblems } from './command-line.js';
import type { Io } from './io.js';
import { allowsColour } from './terminal.js';

interface LocalGateOptions {
  /** Changes the loaded configuration. */
  readonly configure?: (config: Config) => Config;
  readonly onEvent?: Log['event'];
}

/** Opens a gate in this process, with all guards and the audit, for verbs that need no running gateway. */
export async function localGate(
  argv: readonly string[],
  io: Io,
  { configure = (config) => config, onEvent }: LocalGateOptions = {},
): Promise<
  | {
      readonly ok: true;
      readonly gate: Gate;
      readonly home: Home;
      readonly user: Principal;
      readonly rest: readonly string[];
    }
  | { readonly ok: false }
> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    reportConfigProblems(loaded.problems, io);
    return { ok: false };
  }
  const config = configure(loaded.config);
  // The verb prints its own messages, so the log is limited to errors by default.
  const level = config.log.level === 'info' ? 'error' : config.log.level;
  const quiet = makeLog({ level, format: 'text', colour: allowsColour(io.showsProgress, io.env) });
  const log: Log = onEvent === undefined ? quiet : { ...quiet, event: onEvent };
  const home = homeOf(io.env, config.state.directory);
  // The changed configuration takes the place of the loaded one; file and notes stay, because messages refer to them.
  const gate = await openGate({ loaded: { ...loaded, config }, home, log, env: io.env });
  return { ok: true, gate, home, user: localUser(config), rest: loaded.rest };
}
