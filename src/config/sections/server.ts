import { z } from 'zod';
import { defaults } from '../defaults.js';
import { atStart, stringList } from '../../lib/config-fields.js';

/** Defaults of this section. */
const d = defaults.server;

/** How the gateway is reached. */
export const server = z
  .strictObject({
    transport: atStart(
      z
        .enum(['stdio', 'http'])
        .default(d.transport)
        .describe('Transport of `toolgate serve`; `--http` and `--stdio` override it on the command line.'),
    ),
    host: atStart(
      z.string().min(1).default(d.host).describe('Address to listen on. Anything but loopback needs `auth.required`.'),
    ),
    // A clamped port would listen on an unintended port, so this number is rejected instead.
    port: atStart(
      z
        .int()
        .min(0)
        .max(65_535)
        .default(d.port)
        .describe('Port to listen on; 0 picks a free one. A number out of range is rejected, not clamped.'),
    ),
    mcp_path: atStart(
      z
        // No query, no percent escapes: the path is compared literally with requests.
        .string()
        .regex(/^\/[A-Za-z0-9/_.-]*$/, 'must be a path that begins with /')
        .default(d.mcp_path)
        .describe('Path of MCP over HTTP.'),
    ),
    allowed_hosts: stringList(d.allowed_hosts).describe(
      'Further `Host` values to accept in addition to the loopback names and the bound address (protects against DNS rebinding).',
    ),
    allowed_origins: stringList(d.allowed_origins).describe('Further `Origin` values to accept.'),
    cors_origins: stringList(d.cors_origins).describe(
      'Origins that browsers may call from; none by default, and `*` is refused.',
    ),
    trusted_proxies: z
      .array(z.string().regex(/^[0-9a-f.:]+(?:\/\d{1,3})?$/i, 'must be an address or a CIDR'))
      .default([...d.trusted_proxies])
      .describe(
        'Addresses or CIDRs of reverse proxies. For their connections the client address is read from `X-Forwarded-For` or `Forwarded`, from the right, and used for limits, log and audit.',
      ),
    max_body_bytes: z.int().default(d.max_body_bytes).describe('Largest request body read.'),
    max_inflight_body_bytes: z
      .int()
      .default(d.max_inflight_body_bytes)
      .describe(
        'Largest sum of all request bodies in memory at one time; one caller gets at most half. More are answered 503 with `Retry-After`.',
      ),
    peer_rate_per_second: z
      .number()
      .default(d.peer_rate_per_second)
      .describe('Coarse rate limit per client address, applied before parsing; 0 means no limit.'),
    shutdown_grace_period: z
      .number()
      .default(d.shutdown_grace_period)
      .describe('Seconds that running calls get to finish at shutdown.'),
    drain_delay: z
      .number()
      .default(d.drain_delay)
      .describe(
        'Seconds at shutdown in which `/readyz` answers 503 and calls are still accepted, so that a load balancer can take the gateway out first.',
      ),
    open_metrics: z
      .boolean()
      .default(d.open_metrics)
      .describe('Serve `/metrics` without a token, with the names of all tools.'),
    open_health: z
      .boolean()
      .default(d.open_health)
      .describe('Serve health details without a token, with the names of all tools and sources.'),
    legacy_sse: atStart(
      z.boolean().default(d.legacy_sse).describe('Also offer the HTTP+SSE transport of protocol 2024-11-05.'),
    ),
    console: z
      .exactOptional(z.boolean())
      .describe(
        'Serve the console at `/console`. By default on loopback, and elsewhere if people can log in: with keys, `auth.tokens` or `auth.issuers`.',
      ),
    max_sessions: atStart(z.int().default(d.max_sessions).describe('Maximum number of MCP sessions.')),
    session_idle_seconds: atStart(
      z
        .number()
        .default(d.session_idle_seconds)
        .describe(
          'Seconds after which an unused MCP session is removed from memory. Its id stays valid, for 24 hours from `initialize`.',
        ),
    ),
    background: z
      .strictObject({
        idle_seconds: z
          .number()
          .default(d.background.idle_seconds)
          .describe('Seconds after the last client until a gate in the background ends.'),
        http: atStart(
          z
            .boolean()
            .default(d.background.http)
            .describe(
              'Also listen for HTTP on a free port of 127.0.0.1; `toolgate status` shows the address. Without it, the listener opens when `toolgate console` asks for it.',
            ),
        ),
      })
      .prefault({})
      .describe('The gate that `toolgate serve --stdio` starts in the background and shares between assistants.'),
  })
  .prefault({})
  .describe('How the gateway is reached.');
