import { ownerToken } from './access/bearer.js';
import { tokenFromFile } from './access/token-file.js';
import { isLoopback } from './config/checks.js';
import type { Good } from './config/load.js';
import { load } from './config/load.js';
import { noteLine, problemLine } from './config/problem.js';
import type { Config } from './config/schema.js';
import { redacted } from './config/redacted.js';
import { watchConfig } from './config/watch.js';
import type { Identity, Transport } from './core/gateway.js';
import type { Log } from './observe/log.js';
import { health } from './serve/health.js';
import type { Gate } from './serve/gate.js';
import { openGate } from './serve/gate.js';
import type { Home } from './serve/home.js';
import { homeOf } from './serve/home.js';
import { openApiRoute } from './transports/http/openapi.js';
import { opsRoutes } from './transports/http/ops.js';
import { restRoutes } from './transports/http/rest.js';
import type { Route } from './transports/http/route.js';
import { httpDoor } from './transports/http/server.js';
import { version } from './version.js';

export const identity: Identity = { name: 'toolgate', title: 'Toolgate', version };

/** A gateway that listens. */
export interface Serving {
  readonly gate: Gate;
  readonly home: Home;
  /** Where HTTP callers find it; absent on stdio. */
  readonly url?: string;
  readonly tokenFile?: string;
  /** Stops taking calls, lets running ones end within the grace, then ends the rest; no process survives. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly loaded: Good;
  readonly env: NodeJS.ProcessEnv;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly log: Log;
}

/** Config in, running gateway out; the only file that knows everyone. */
export async function serve({ loaded, env, argv, cwd, log }: ServeOptions): Promise<Serving> {
  const { config } = loaded;
  const home = homeOf(env, config.state.directory);
  log.event('server.starting', { version, transport: config.server.transport });
  for (const note of loaded.notes) if (note.event === 'config.clamped') log.event('config.clamped', { ...note });
  const gate = await openGate({ loaded, home, log, env });
  const door = await openDoor(gate, config, home, env);
  const watching = loaded.file === undefined ? undefined : watchConfig(loaded.file, {
    now: config,
    load: () => load({ env, argv, cwd }),
    async onGood(next, changed, notes) {
      await gate.reload(next);
      log.event('config.reloaded', { changed, notes: notes.map(noteLine) });
    },
    onBad: (problems) => log.event('config.rejected', { problems: problems.map(problemLine), kept: 'the last good configuration' }),
  });
  log.event('server.started', { url: door.url });

  let stopping: Promise<void> | undefined;
  return {
    gate, home, ...door,
    stop: () => (stopping ??= shutDown(gate, door.transport, () => watching?.close(), config.server.shutdown_grace_period * 1000)),
  };
}

interface Door {
  readonly transport: Transport;
  readonly url?: string;
  readonly tokenFile?: string;
}

async function openDoor(gate: Gate, config: Config, home: Home, env: NodeJS.ProcessEnv): Promise<Door> {
  const { server, auth } = config;
  const tokenFile = auth.token_file ?? home.token;
  const token = tokenFromFile(tokenFile);
  gate.log.hide([token]);
  const watched = health(gate);
  const routes: Route[] = [
    ...restRoutes({ gateway: gate.gateway, trace: () => undefined }),
    ...opsRoutes({
      health: () => watched.report(),
      notReady: () => undefined,
      metricsText: () => gate.metrics.text(),
      metricsJson: () => gate.metrics.json(),
      config: () => redacted(gate.config()),
      openMetrics: server.open_metrics,
      openHealth: server.open_health,
    }),
  ];
  routes.push(openApiRoute(gate.gateway, identity, () => routes));
  const door = httpDoor({
    host: server.host,
    port: server.port,
    routes,
    authenticator: ownerToken(token),
    allowedHosts: isLoopback(server.host) ? server.allowed_hosts : [server.host, ...server.allowed_hosts],
    allowedOrigins: server.allowed_origins,
    corsOrigins: server.cors_origins,
    maxBodyBytes: server.max_body_bytes,
    peerRatePerSecond: server.peer_rate_per_second,
    maxConnections: 10_000,
    onFault: (error) => gate.log.event('server.fault', { error: error instanceof Error ? error.message : String(error) }),
  });
  await door.start();
  const { port } = door.address();
  void env;
  return { transport: door, url: `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${port}`, tokenFile };
}

async function shutDown(gate: Gate, transport: Transport, unwatch: () => void, graceMs: number): Promise<void> {
  gate.log.event('server.stopping', { active: gate.gateway.active() });
  unwatch();
  gate.gateway.close();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), graceMs);
  over.signal.addEventListener('abort', () => gate.log.event('server.shutdown_forced', { active: gate.gateway.active(), grace_ms: graceMs }));
  await transport.stop(over.signal);
  clearTimeout(timer);
  await gate.close(2_000);
  gate.log.event('server.stopped');
}
