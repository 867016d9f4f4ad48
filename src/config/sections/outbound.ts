import { z } from 'zod';
import { defaults } from '../defaults.js';
import { list } from './words.js';

const d = defaults.outbound;

/** What tools that call over HTTP may do unless they say otherwise. */
export const outbound = z
  .strictObject({
    allowed_domains: list(d.allowed_domains).describe(
      'Hosts that HTTP functions may call, each with its subdomains. `*` needs `--insecure-dev`.',
    ),
    max_response_bytes: z.int().default(d.max_response_bytes).describe('Largest decoded answer.'),
    retries: z.int().default(d.retries).describe('Attempts in all, for calls that may be repeated.'),
    timeout: z
      .number()
      .default(d.timeout)
      .describe('Seconds one attempt may take; the whole call, retries and waits included, gets half as much again.'),
    circuit_breaker: z
      .strictObject({
        failure_threshold: z
          .int()
          .default(d.circuit_breaker.failure_threshold)
          .describe('Failures in a row that open the breaker of an address.'),
        recovery_timeout: z
          .number()
          .default(d.circuit_breaker.recovery_timeout)
          .describe('Seconds it rests before one probe.'),
      })
      .prefault({})
      .describe('The breaker of each address called.'),
  })
  .prefault({})
  .describe('What tools that call over HTTP may do unless they say otherwise.');
