import type { Duplex } from 'node:stream';
import { metadataPath, wellKnown } from '../access/protected-resource.js';
import { tokenFromFile } from '../access/token-file.js';
import { redactConfig } from '../config/redact-config.js';
import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import { isAdmin } from '../core/principal.js';
import { identity } from '../identity.js';
import { traceContext } from '../lib/trace-context.js';
import { eventStream } from '../observe/event-stream.js';
import type { SampleFilter } from '../observe/metric-families.js';
import { samplesOfTools } from '../observe/metric-families.js';
import { approvalRoutes } from '../transports/http/approvals.js';
import { eventsRoute } from '../transports/http/events.js';
import { explainRoute } from '../transports/http/explain.js';
import { openApiRoute } from '../transports/http/openapi.js';
import { opsRoutes } from '../transports/http/ops.js';
import { protectedResourceRoutes } from '../transports/http/protected-resource.js';
import { restRoutes } from '../transports/http/rest.js';
import type { Route } from '../transports/http/route.js';
import { anonymous } from '../transports/http/route.js';
import { httpDoor } from '../transports/http/server.js';
import { mcpEndpoint } from '../transports/mcp/http/endpoint.js';
import type { McpOptions } from '../transports/mcp/dispatcher.js';
import { mcpRoutes, ssePairRoutes } from '../transports/mcp/http/routes.js';
import type { Gate } from './gate.js';
import type { Home } from './home.js';
import type { UnopenedDoor } from './door.js';

export interface HttpDoorParts extends UnopenedDoor {
  readonly tokenFile: string;
  /** Serves a connection that was made inside of this process. */
  connect(stream: Duplex): void;
}

/** HTTP listener with the REST, MCP, events and health routes; loaded only if configured. */
export function http(gate: Gate, config: Config, home: Home, protocol: McpOptions): HttpDoorParts {
  const { server, auth } = config;
  const tokenFile = auth.token_file ?? home.token;
  const token = tokenFromFile(tokenFile);
  gate.log.hide([token]);
  const mcp = mcpEndpoint(gate.gateway, {
    ...protocol,
    sessions: { max: server.max_sessions, idleMs: server.session_idle_seconds * 1000 },
    isUsableView: (view) => view.profile === undefined || gate.rules().profiles.usable(view),
  });
  const feed = eventStream({
    bus: gate.events,
    health: () => ({ status: gate.health.report().status }),
    metrics: () => ({ ...gate.metrics.totals() }) satisfies JsonObject,
  });
  // Without a credential the routes decide: the operator opened them to everybody, or they show the status only.
  const seesAll = (principal: Principal): boolean => isAdmin(principal) || principal === anonymous;
  const seriesOf = (principal: Principal): SampleFilter | undefined =>
    seesAll(principal)
      ? undefined
      : samplesOfTools(new Set(gate.gateway.statuses({ principal }).map(({ tool }) => tool.name)));
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
      notReady: () => (draining ? 'The gateway is stopping' : undefined),
      metricsText: (principal) => gate.metrics.text(seriesOf(principal)),
      metricsJson: (principal) => gate.metrics.json(seriesOf(principal)),
      config: () => ({ ...redactConfig(gate.config()), reload: redactConfig(gate.configStatus.report()) }),
      get openMetrics() {
        return gate.config().server.open_metrics;
      },
      get openHealth() {
        return gate.config().server.open_health;
      },
    }),
    eventsRoute(feed),
    ...approvalRoutes(gate.approvals),
    explainRoute({
      gateway: gate.gateway,
      explain: (supposed) => gate.rules().explain(supposed),
      findPrincipal: (id) => gate.callers().known(id),
    }),
    ...protectedResourceRoutes(
      wellKnown,
      [...new Set([metadataPath('/'), metadataPath(server.mcp_path), metadataPath(profilePath(server.mcp_path))])],
      () => gate.callers().resource,
    ),
    ...mcpRoutes(mcp, server.mcp_path),
    ...(server.legacy_sse ? ssePairRoutes(mcp, '/sse', '/messages') : []),
    ...mcpRoutes(mcp, profilePath(server.mcp_path)),
  ];
  addRoutes(routes, gate.routes);
  routes.push(openApiRoute(gate.gateway, identity, () => routes));
  const listener = httpDoor({
    host: server.host,
    port: server.port,
    routes,
    authenticator: {
      authenticate: (authorization) => gate.callers().authenticate(authorization),
      generation: () => gate.current().generation,
    },
    ...gate.current().edge,
    current: () => gate.current().edge,
    maxConnections: 10_000,
    onRefused: (refusal) => gate.edge.credential(refusal),
    onFault: (error) =>
      gate.log.event('server.fault', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  });
  return {
    tokenFile,
    connect: (stream) => listener.connect(stream),
    ended: new Promise(() => {}),
    address: () => `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${listener.address().port}`,
    transport: {
      name: listener.name,
      start: () => listener.start(),
      async drain() {
        draining = true;
        const { drain_delay: seconds } = gate.config().server;
        if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      },
      async stop(signal) {
        // Open streams would keep the listener alive until the end of the grace period.
        feed.close();
        const closed = listener.stop(signal);
        await mcp.close();
        await closed;
      },
    },
  };
}

const profilePath = (mcpPath: string): string => `${mcpPath.replace(/\/$/, '')}/p/{profile}`;

/** Adds the routes of the embedding program; none may replace a route of the gateway, whose checks callers rely on. */
function addRoutes(routes: Route[], added: readonly Route[]): void {
  for (const route of added) {
    if (routes.some(({ method, path }) => method === route.method && path === route.path))
      throw new Error(`the route ${route.method} ${route.path} exists already`);
    routes.push(route);
  }
}
