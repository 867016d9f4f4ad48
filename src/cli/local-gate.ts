import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import type { Principal } from '../core/principal.js';
import { log as makeLog } from '../observe/log.js';
import type { Gate } from '../serve/gate.js';
import { openGate } from '../serve/gate.js';
import { homeOf } from '../serve/home.js';
import { localUser } from '../serve/local-user.js';
import type { Io } from './io.js';

/** A gate in this process, for verbs that need no server; the same guards, the same audit. */
export async function localGate(
  argv: readonly string[],
  io: Io,
): Promise<
  | { readonly ok: true; readonly gate: Gate; readonly user: Principal; readonly rest: readonly string[] }
  | { readonly ok: false }
> {
  const loaded = await load({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    io.err(
      `toolgate: the configuration cannot be used\n${loaded.problems.map((problem) => `  ${problemLine(problem)}\n`).join('')}`,
    );
    return { ok: false };
  }
  const { config } = loaded;
  // A person reads this terminal: what went wrong is told by the verb, so the log keeps to faults.
  const level = config.log.level === 'info' ? 'error' : config.log.level;
  const log = makeLog({ level, format: 'text', colour: process.stderr.isTTY === true });
  const gate = await openGate({ loaded, home: homeOf(io.env, config.state.directory), log, env: io.env });
  return { ok: true, gate, user: localUser(config), rest: loaded.rest };
}
