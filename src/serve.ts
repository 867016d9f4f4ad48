import { basename } from 'node:path';
import type { LoadedConfig } from './config/load.js';
import { loadConfig } from './config/load.js';
import { noteLine, problemLine } from './config/problem.js';
import { secretSources } from './config/secrets/stored-values.js';
import { watchConfig } from './config/watch.js';
import type { Log } from './observe/log/log.js';
import type { OpenDoor } from './serve/door.js';
import { openDoor } from './serve/door.js';
import type { Gate } from './serve/gate.js';
import { startGate } from './serve/gate.js';
import type { Home } from './serve/home.js';
import { homeOf } from './serve/home.js';
import type { Sharing } from './serve/shared-door.js';
import { version } from './version.js';

/** A running gateway. */
export interface Serving extends Omit<OpenDoor, 'transport' | 'onReload'> {
  readonly gate: Gate;
  readonly home: Home;
  /** Rejects new calls, drains running ones within the grace period, then kills the rest; no process survives. */
  stop(signal?: string): Promise<void>;
  /** Loads the configuration file again; without a file there is nothing to load. */
  reload(): Promise<void>;
}

interface ServeOptions {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly log: Log;
  /** Shares the gate with other clients of this machine. */
  readonly sharing?: Sharing;
}

/** Starts a gateway from a loaded configuration. */
export async function serve({ loaded, env, argv, cwd, log, sharing }: ServeOptions): Promise<Serving> {
  const { config } = loaded;
  const home = homeOf(env, config.state.directory);
  log.event('server.starting', { version, transport: config.server.transport });
  log.event('config.loaded', { file: loaded.file === undefined ? null : basename(loaded.file) });
  for (const note of loaded.notes)
    if (note.event === 'config.clamped')
      log.event('config.clamped', { param: note.param, original: note.given, new: note.used, range: [...note.range] });
    else log.event('config.remark', { param: note.param, message: note.message });
  const gate = await startGate({ loaded, home, log, env });
  let door: OpenDoor | undefined;
  try {
    // A stdio client is answered while sources are still being listed; an HTTP listener opens once they are listed.
    if (config.server.transport !== 'stdio' && sharing?.mode !== 'background') await gate.ready;
    door = await openDoor(gate, config, home, sharing);
    await gate.ready;
  } catch (error) {
    await door?.transport.stop(AbortSignal.abort());
    await gate.close(0);
    throw error;
  }
  const watching =
    loaded.file === undefined
      ? undefined
      : watchConfig(loaded.file, {
          current: config,
          load: () => loadConfig({ env, argv, cwd }),
          alsoWatched: (active) => secretSources(active, env),
          async onChange(next, changed, notes) {
            const { applied, needs_restart } = await gate.reload(next);
            log.event('config.reloaded', { changed, applied, needs_restart, notes: notes.map(noteLine) });
            gate.events.publish('config', { changed, applied: [...applied], needs_restart: [...needs_restart] });
            door?.onReload?.();
            await gate.health.refresh();
          },
          onRejected(problems) {
            const lines = problems.map(problemLine);
            log.event('config.rejected', { problems: lines, kept: 'the last good configuration' });
            gate.events.publish('config', { problems: lines });
            gate.configStatus.rejected(lines);
            void gate.health.refresh();
          },
        });
  log.event('server.started', { url: door.url });

  const { transport, onReload: _, ...found } = door;
  let stopping: Promise<void> | undefined;
  const stop = async (signal: string): Promise<void> => {
    log.event('server.stopping', { active: gate.gateway.active(), signal });
    watching?.close();
    // Load balancers see /readyz fail before connections are refused.
    await transport.drain?.();
    gate.gateway.close();
    const graceMs = gate.config().server.shutdown_grace_period * 1000;
    const over = new AbortController();
    over.signal.addEventListener('abort', () =>
      log.event('server.shutdown_forced', { active: gate.gateway.active(), grace_ms: graceMs }),
    );
    const timer = setTimeout(() => over.abort(), graceMs);
    await transport.stop(over.signal);
    clearTimeout(timer);
    await gate.close(2_000);
    log.event('server.stopped');
  };
  return {
    gate,
    home,
    ...found,
    stop: (signal = 'none') => (stopping ??= stop(signal)),
    reload: async () => watching?.reload(),
  };
}
