import { z } from 'zod';
import { defaults } from '../defaults.js';
import { list } from './words.js';

const d = defaults.server;

/** How the gateway is reached. */
export const server = z
  .strictObject({
    transport: z
      .enum(['stdio', 'http'])
      .default(d.transport)
      .describe('Which door `toolgate serve` opens; `--http` and `--stdio` decide it on the command line.'),
    host: z
      .string()
      .min(1)
      .default(d.host)
      .describe('Address to listen on. Anything but loopback needs `auth.required`.'),
    // A clamped port would listen where nobody asked, so this one number is refused instead.
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(d.port)
      .describe('Port to listen on; 0 takes a free one. A number out of range is refused, not clamped.'),
    mcp_path: z
      .string()
      .regex(/^\/[A-Za-z0-9/_.-]*$/, 'must be a path that begins with /')
      .default(d.mcp_path)
      .describe('Where MCP over HTTP is served.'),
    allowed_hosts: list(d.allowed_hosts).describe(
      'Further `Host` values to accept besides the loopback names and the bound address (DNS rebinding).',
    ),
    allowed_origins: list(d.allowed_origins).describe('Further `Origin` values to accept.'),
    cors_origins: list(d.cors_origins).describe(
      'Origins that browsers may call from; none by default, and `*` is refused.',
    ),
    trusted_proxies: list(d.trusted_proxies).describe('Addresses or CIDRs whose `X-Forwarded-For` is believed.'),
    max_body_bytes: z.int().default(d.max_body_bytes).describe('Largest request body read.'),
    peer_rate_per_second: z
      .number()
      .default(d.peer_rate_per_second)
      .describe('Coarse limit per peer address, before anything is parsed.'),
    shutdown_grace_period: z
      .number()
      .default(d.shutdown_grace_period)
      .describe('Seconds that running calls get to end at shutdown.'),
    open_metrics: z.boolean().default(d.open_metrics).describe('Serve `/metrics` without a token.'),
    open_health: z.boolean().default(d.open_health).describe('Serve health details without a token.'),
    legacy_sse: z
      .boolean()
      .default(d.legacy_sse)
      .describe('Offer the old HTTP+SSE transport of protocol 2024-11-05 as well.'),
    max_sessions: z.int().default(d.max_sessions).describe('Most MCP sessions kept at once.'),
    session_idle_seconds: z
      .number()
      .default(d.session_idle_seconds)
      .describe('Seconds after which an unused MCP session is dropped.'),
  })
  .prefault({})
  .describe('How the gateway is reached.');
