import { z } from 'zod';
import { defaults } from '../defaults.js';
import { atStart, stringList, identifier } from '../../lib/config-fields.js';

/** Defaults of these sections. */
const b = defaults.circuit_breaker;
const r = defaults.rate_limit;
const s = defaults.security;

/** Circuit breaker of a failing tool. */
export const circuitBreaker = z
  .strictObject({
    failure_threshold: z.int().default(b.failure_threshold).describe('Consecutive failures that open the breaker.'),
    recovery_timeout: z.number().default(b.recovery_timeout).describe('Seconds a breaker stays open before one probe.'),
    backoff_factor: z.number().default(b.backoff_factor).describe('Factor by which each further open period grows.'),
    max_recovery_timeout: z.number().default(b.max_recovery_timeout).describe('Longest open period in seconds.'),
    jitter: z.number().default(b.jitter).describe('Random share of the open period, plus or minus.'),
  })
  .prefault({})
  .describe('Circuit breaker of a failing tool.');

/** How often a caller may use a tool. */
export const rateLimit = z
  .strictObject({
    requests: z
      .exactOptional(z.number())
      .describe(
        'Calls per minute, for each principal and tool; 0 for no limit. By default 10 for command tools and 600 for all others.',
      ),
    burst: z.int().optional().describe('Calls allowed in a burst; by default as many as the tool allows per minute.'),
    max_keys: z
      .int()
      .default(r.max_keys)
      .describe('Maximum number of tracked pairs of principal and tool; the oldest is evicted first.'),
  })
  .prefault({})
  .describe('How often a caller may use a tool.');

/** A network policy; `deny` overrides every other list. */
const networkPolicySection = z.strictObject({
  allow: z
    .array(z.enum(['rfc1918', 'loopback', 'public']))
    .default([])
    .describe('Address sets allowed by name.'),
  cidrs: stringList([]).describe('Addresses allowed, as CIDR.'),
  hosts: stringList([]).describe(
    'Host names allowed, as `name` or `*.suffix`; each is resolved and its addresses are checked.',
  ),
  deny: stringList([]).describe('CIDRs or names denied even if allowed above.'),
});

/** What tools may reach and do. */
export const security = z
  .strictObject({
    allow_intrusive: z
      .boolean()
      .default(s.allow_intrusive)
      .describe('Allow flags and scripts that are marked as intrusive.'),
    best_effort_sandbox: atStart(
      z
        .boolean()
        .default(s.best_effort_sandbox)
        .describe('Run a tool even if a resource limit cannot be set. Off: such a call is refused.'),
    ),
    default_policy: identifier
      .default(s.default_policy)
      .describe(
        'Default network policy of tools: `rfc1918`, `loopback`, `local` (both), `public` or one of `network_policies`.',
      ),
    network_policies: z.record(identifier, networkPolicySection).default({}).describe('Policies by name.'),
  })
  .prefault({})
  .describe('What tools may reach and do.');
