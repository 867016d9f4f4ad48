import type { Duplex } from 'node:stream';
import { metadataPath, wellKnown } from '../access/identity/protected-resource.js';
import { oidcFlows } from '../access/identity/oidc-flow.js';
import { tokenFromFile } from '../access/identity/token-file.js';
import { effectiveConfig, redactConfig } from '../config/redact-config.js';
import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import { isAdmin } from '../core/principal.js';
import { identity } from '../identity.js';
import { traceContext } from '../lib/trace-context.js';
import { stageLog } from '../observe/stage-log.js';
import { eventStream } from '../observe/event-stream.js';
import type { SampleFilter } from '../observe/metrics/metric-families.js';
import { samplesOfTools } from '../observe/metrics/metric-families.js';
import { consoleLoginRoutes } from '../transports/http/console/login.js';
import { issuerLoginRoutes } from '../transports/http/console/oidc.js';
import { consolePageRoutes } from '../transports/http/console/pages.js';
import { approvalRoutes } from '../transports/http/approvals.js';
import { eventsRoute } from '../transports/http/events.js';
import { explainRoute } from '../transports/http/explain.js';
import { meRoute } from '../transports/http/me.js';
import { openApiRoute } from '../transports/http/openapi.js';
import { opsRoutes } from '../transports/http/ops.js';
import { protectedResourceRoutes } from '../transports/http/protected-resource.js';
import { restRoutes } from '../transports/http/rest.js';
import type { Route } from '../transports/http/edge/route.js';
import { anonymous } from '../transports/http/edge/route.js';
import { gateControlRoutes, type GateControl } from '../transports/http/gate-control.js';
import { httpDoor, type HttpDoor } from '../transports/http/edge/server.js';
import { unreadyEngine } from '../observe/engine-check.js';
import { sessionKeys } from '../state/session-keys.js';
import type { Bus } from '../state/bus.js';
import type { SessionChannel } from '../transports/mcp/legacy/session-relay.js';
import type { SessionVaultOptions } from '../transports/mcp/legacy/session-vault.js';
import { sessionVault } from '../transports/mcp/legacy/session-vault.js';
import { mcpEndpoint } from '../transports/mcp/http/endpoint.js';
import type { McpOptions } from '../transports/mcp/dispatcher.js';
import { mcpRoutes, ssePairRoutes } from '../transports/mcp/http/routes.js';
import { hiddenReason } from '../access/configured/hidden-reason.js';
import { consoleLogin, servesConsole } from '../access/configured/console-login.js';
import { operatorRoutes } from './operator-routes.js';
import { consoleFiles } from '../transports/configured/console-files.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';
import type { UnopenedDoor } from './door.js';

/** The HTTP door, with further ways to serve the same routes. */
interface HttpDoorParts extends UnopenedDoor {
  readonly tokenFile: string;
  /** A further listener with the same routes. */
  listen(where: { readonly host: string; readonly port: number; readonly socketPath?: string }): HttpDoor;
  /** Serves a connection that was made inside of this process. */
  connect(stream: Duplex): void;
}

/** HTTP listener with the REST, MCP, events and health routes; loaded only if configured. */
export function http(
  gate: Gate,
  config: Config,
  home: Home,
  protocol: McpOptions,
  shared?: { readonly control: GateControl; readonly onConnection: (socket: Duplex) => void },
): HttpDoorParts {
  const { server, auth } = config;
  const tokenFile = auth.token_file ?? home.token;
  // Created at the first start, with mode 0600.
  const token = tokenFromFile(tokenFile);
  // The log redacts it from here on.
  gate.log.hide([token]);
  const mcp = mcpEndpoint(gate.gateway, {
    ...protocol,
    vault: sessionVault({
      keys: gate.shared?.keysFor('session') ?? sessionKeys(home.sessionKeys),
      // Sessions survive a restart in the state, and in a cluster a change of the replica.
      open: () => gate.shared?.fast ?? gate.state.open(),
      ...(gate.shared && { channel: endedSessions(gate.shared.bus) }),
      onProblem: (error) => gate.log.event('server.problem', { message: `Session state: ${String(error)}` }),
    }),
    channel: gate.shared && sessionChannel(gate.shared.bus),
    sessions: { max: server.max_sessions, idleMs: server.session_idle_seconds * 1000 },
    // A profile that was removed by a reload ends the sessions that use it.
    isUsableView: (view) => view.profile === undefined || gate.rules().profiles.usable(view),
  });
  const feed = eventStream({
    bus: gate.events,
    health: () => ({ status: gate.health.report().status }),
    metrics: () => ({ ...gate.metrics.totals() }) satisfies JsonObject,
    // Stages cost some microseconds a call (bench/console.mjs), so they are recorded only while a client watches, or if configured.
    onWatched: (watched) => {
      isWatched = watched;
      observeStages();
    },
  });
  const stages = stageLog();
  let isWatched = false;
  let stopRecording: (() => void) | undefined;
  // Called at the start, when a subscriber comes or goes, and after a reload.
  const observeStages = (): void => {
    stopRecording?.();
    stopRecording = isWatched || gate.config().audit.stages ? gate.stages.add(stages) : undefined;
  };
  observeStages();
  gate.onReload(observeStages);
  // Without a credential the routes decide: the operator opened them to everybody, or they show the status only.
  const seesAll = (principal: Principal): boolean => isAdmin(principal) || principal === anonymous;
  // Series of hidden tools would reveal their names and their use.
  const seriesOf = (principal: Principal): SampleFilter | undefined =>
    seesAll(principal)
      ? undefined
      : samplesOfTools(new Set(gate.gateway.statuses({ principal }).map(({ tool }) => tool.name)));
  const consoleIsOn = (): boolean => servesConsole(gate.config(), () => gate.keys.list().length > 0);
  const desk = consoleLogin({
    sessions: gate.sessions,
    onChange: (action, session, by) => gate.record(action, session.id, by, 'console'),
  });
  const flows = oidcFlows(() => gate.callers().logins);
  // Read by the readiness probe, so that a balancer stops sending requests before the listener closes.
  let draining = false;
  const routes: Route[] = [
    ...restRoutes({
      gateway: gate.gateway,
      trace: traceContext,
      onUnreadable: (message) => gate.edge.unreadable(message),
      isUsableView: (view) => gate.rules().profiles.usable(view),
    }),
    ...opsRoutes({
      health: (principal) =>
        Promise.resolve(
          seesAll(principal) ? gate.health.report() : gate.health.reportFor(gate.gateway.statuses({ principal })),
        ),
      notReady: () => (draining ? 'The gateway is stopping' : unreadyEngine(gate.shared)),
      metricsText: (principal) => gate.metrics.text(seriesOf(principal)),
      metricsJson: (principal) => gate.metrics.json(seriesOf(principal)),
      config: () => ({ ...effectiveConfig(gate.config()), reload: redactConfig(gate.configStatus.report()) }),
      get openMetrics() {
        return gate.config().server.open_metrics;
      },
      get openHealth() {
        return gate.config().server.open_health;
      },
    }),
    eventsRoute(feed),
    ...(shared === undefined
      ? []
      : gateControlRoutes(shared.control, (action, by) => gate.record(action, 'gate', by, 'cli'))),
    meRoute(identity, gate.approvals.mayAnswer),
    ...consoleLoginRoutes(desk, consoleIsOn),
    ...issuerLoginRoutes(
      {
        names: flows.names,
        begin: flows.begin,
        async finish(answer) {
          const result = await flows.finish(answer);
          // A problem of the issuer's login is passed on as it is; the page shows it.
          if ('problem' in result) return result;
          return desk.codeFor(result.principal, result.binding) ?? { problem: 'busy' };
        },
      },
      consoleIsOn,
      (host) => ownOrigin(gate.config().auth.resource, host),
    ),
    ...consolePageRoutes(consoleFiles(), consoleIsOn),
    ...operatorRoutes(gate, home, stages),
    ...approvalRoutes(gate.approvals),
    explainRoute({
      gateway: gate.gateway,
      explain: (supposed) => gate.rules().explain(supposed),
      findPrincipal: (id) => gate.callers().known(id),
      whyHidden: (view, tool) => hiddenReason(tool, view, gate.registry, gate.rules()),
    }),
    ...protectedResourceRoutes(
      wellKnown,
      // Clients derive the metadata path from the URL they were given (RFC 9728), so that each URL has one.
      [...new Set([metadataPath('/'), metadataPath(server.mcp_path), metadataPath(profilePath(server.mcp_path))])],
      () => gate.callers().resource,
    ),
    ...mcpRoutes(mcp, server.mcp_path),
    ...(server.legacy_sse ? ssePairRoutes(mcp, '/sse', '/messages') : []),
    ...mcpRoutes(mcp, profilePath(server.mcp_path)),
  ];
  // After the built-in routes, whose checks must not be replaced.
  addRoutes(routes, gate.routes);
  // Last: the document describes every route, also added ones.
  routes.push(openApiRoute(gate.gateway, identity, () => routes));
  const listenOn: HttpDoorParts['listen'] = (where) =>
    httpDoor({
      ...where,
      ...(shared && { onConnection: shared.onConnection }),
      routes,
      authenticator: {
        authenticate: (authorization) => gate.callers().authenticate(authorization),
        // A kept-alive connection checks its credential again when the generation changes.
        generation: () => gate.current().generation,
      },
      ...gate.current().edge,
      current: () => gate.current().edge,
      // Above this the operating system's limits decide; the share per peer is enforced below it.
      maxConnections: 10_000,
      onRefused: (refusal) => gate.edge.credential(refusal),
      observer: {
        refused: (request) => gate.edge.request(request),
        wantsRequests: () => gate.log.writes('debug'),
        finished: (request) => gate.log.event('http.request', request),
      },
      onFault: (error) =>
        gate.log.event('server.fault', {
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    });
  const listener = listenOn({ host: server.host, port: server.port });
  return {
    tokenFile,
    listen: listenOn,
    connect: (stream) => listener.connect(stream),
    // A listener never ends by itself.
    ended: new Promise(() => {}),
    address: () => `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${listener.address().port}`,
    transport: {
      name: listener.name,
      start: () => listener.start(),
      async drain() {
        draining = true;
        const { drain_delay: seconds } = gate.config().server;
        // The balancer needs this long to notice that the replica is not ready (connection draining).
        if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      },
      async stop(signal) {
        // Open streams would keep the listener alive until the end of the grace period.
        feed.close();
        // Not awaited yet: closing the sessions ends the requests that the listener waits for.
        const closed = listener.stop(signal);
        await mcp.close();
        await closed;
      },
    },
  };
}

/** Where browsers reach this gateway: as configured, else the checked Host header. */
const ownOrigin = (resource: string | undefined, host: string): string =>
  resource === undefined ? `http://${host}` : new URL(resource).origin;

/** Path of the MCP endpoint for one profile. */
const profilePath = (mcpPath: string): string => `${mcpPath.replace(/\/$/, '')}/p/{profile}`;

/** Adds the routes of the embedding program; none may replace a route of the gateway, whose checks callers rely on. */
function addRoutes(routes: Route[], added: readonly Route[]): void {
  for (const route of added) {
    if (routes.some(({ method, path }) => method === route.method && path === route.path))
      throw new Error(`the route ${route.method} ${route.path} exists already`);
    routes.push(route);
  }
}

/** Replies, cancellations and resumed streams, between replicas. */
const sessionChannel = (bus: Bus): SessionChannel => ({
  replica: bus.replica,
  publish: (message, to) => bus.publish('session', message, to),
  subscribe: (listener) => bus.subscribe('session', listener),
  replicas: () => bus.replicas(),
});

/** Deleted sessions, announced to all replicas. */
const endedSessions = (bus: Bus): NonNullable<SessionVaultOptions['channel']> => ({
  publish: (session) => bus.publish('session-ended', session),
  subscribe: (listener) =>
    bus.subscribe('session-ended', (session) => typeof session === 'string' && listener(session)),
});
