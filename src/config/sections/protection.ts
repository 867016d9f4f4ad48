import { z } from 'zod';
import { defaults } from '../defaults.js';
import { list, name } from './words.js';

const b = defaults.circuit_breaker;
const r = defaults.rate_limit;
const s = defaults.security;

/** When a failing tool rests. */
export const circuitBreaker = z
  .strictObject({
    failure_threshold: z.int().default(b.failure_threshold).describe('Failures in a row that open the breaker.'),
    recovery_timeout: z
      .number()
      .default(b.recovery_timeout)
      .describe('Seconds an open breaker rests before one probe.'),
    backoff_factor: z.number().default(b.backoff_factor).describe('How much longer each further rest is.'),
    max_recovery_timeout: z.number().default(b.max_recovery_timeout).describe('Longest rest in seconds.'),
    jitter: z.number().default(b.jitter).describe('Share of the rest that is random, both ways.'),
  })
  .prefault({})
  .describe('When a failing tool rests.');

/** How often a caller may use a tool. */
export const rateLimit = z
  .strictObject({
    requests: z.number().default(r.requests).describe('Calls per minute, for each principal and tool.'),
    burst: z.int().default(r.burst).describe('Calls that may come at once.'),
    max_keys: z
      .int()
      .default(r.max_keys)
      .describe('Pairs of principal and tool remembered; the oldest is forgotten first.'),
  })
  .prefault({})
  .describe('How often a caller may use a tool.');

const policy = z.strictObject({
  allow: z
    .array(z.enum(['rfc1918', 'loopback', 'public']))
    .default([])
    .describe('Whole sets allowed by name.'),
  cidrs: list([]).describe('Addresses allowed, as CIDR.'),
  hosts: list([]).describe('Names allowed, as `name` or `*.suffix`; each is resolved and vetted.'),
  deny: list([]).describe('CIDRs or names refused even where allowed above.'),
});

/** What tools may reach and do. */
export const security = z
  .strictObject({
    allow_intrusive: z
      .boolean()
      .default(s.allow_intrusive)
      .describe('Allow flags and scripts that are marked as intrusive.'),
    best_effort_sandbox: z
      .boolean()
      .default(s.best_effort_sandbox)
      .describe('Run a tool even where a resource limit cannot be set. Off: such a call is refused.'),
    default_policy: name
      .default(s.default_policy)
      .describe(
        'Network policy of tools that name none: `rfc1918`, `loopback`, `local` (both), `public` or one of `network_policies`.',
      ),
    network_policies: z.record(name, policy).default({}).describe('Policies by name.'),
  })
  .prefault({})
  .describe('What tools may reach and do.');
