import { z } from 'zod';
import { defaults } from '../defaults.js';
import { stringList } from '../../lib/config-fields.js';

/** Defaults of this section. */
const d = defaults.outbound;

/** Defaults for tools that call over HTTP. */
export const outbound = z
  .strictObject({
    allowed_domains: stringList(d.allowed_domains).describe(
      'Hosts that HTTP functions may call, each with its subdomains. `*` needs `--insecure-dev`.',
    ),
    metadata_addresses: stringList(d.metadata_addresses).describe(
      'Cloud metadata addresses that functions may call, such as 169.254.169.254; they hand out credentials of this machine, and `allowed_domains` alone does not open them.',
    ),
    max_response_bytes: z.int().default(d.max_response_bytes).describe('Largest decoded response.'),
    retries: z.int().default(d.retries).describe('Total attempts, for calls that may be retried.'),
    timeout: z
      .number()
      .default(d.timeout)
      .describe('Seconds one attempt may take; the whole call, with retries and waits, may take 1.5 times as long.'),
    circuit_breaker: z
      .strictObject({
        failure_threshold: z
          .int()
          .default(d.circuit_breaker.failure_threshold)
          .describe('Consecutive failures that open the breaker of an origin.'),
        recovery_timeout: z
          .number()
          .default(d.circuit_breaker.recovery_timeout)
          .describe('Seconds it stays open before one probe.'),
      })
      .prefault({})
      .describe('Circuit breaker per origin.'),
  })
  .prefault({})
  .describe('Defaults for tools that call over HTTP.');
