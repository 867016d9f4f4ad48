import { loadConfig } from '../config/load.js';
import type { Principal } from '../core/principal.js';
import { log as makeLog } from '../observe/log.js';
import type { Gate } from '../serve/gate.js';
import { openGate } from '../serve/gate.js';
import { homeOf } from '../serve/home.js';
import { localUser } from '../serve/local-user.js';
import { reportConfigProblems } from './command-line.js';
import type { Io } from './io.js';

/** Opens a gate in this process, with all guards and the audit, for verbs that need no running gateway. */
export async function localGate(
  argv: readonly string[],
  io: Io,
): Promise<
  | { readonly ok: true; readonly gate: Gate; readonly user: Principal; readonly rest: readonly string[] }
  | { readonly ok: false }
> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    reportConfigProblems(loaded.problems, io);
    return { ok: false };
  }
  const { config } = loaded;
  // The verb prints its own messages, so the log is limited to errors by default.
  const level = config.log.level === 'info' ? 'error' : config.log.level;
  const log = makeLog({ level, format: 'text', colour: process.stderr.isTTY === true });
  const gate = await openGate({ loaded, home: homeOf(io.env, config.state.directory), log, env: io.env });
  return { ok: true, gate, user: localUser(config), rest: loaded.rest };
}
