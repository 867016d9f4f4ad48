import { z } from 'zod';
import { atStart, secretField } from '../../lib/config-fields.js';

/** Several replicas as one gateway; absent by default. */
export const cluster = atStart(
  z.exactOptional(
    z
      .strictObject({
        secret: z
          .exactOptional(secretField)
          .describe(
            'Secret that all replicas share, at least 32 characters; session ids, approvals and messages are sealed with it.',
          ),
        previous_secret: z
          .exactOptional(secretField)
          .describe('Former secret during a rotation: what it sealed is still accepted.'),
        postgres: z
          .exactOptional(secretField)
          .describe('URL of PostgreSQL 15 or later, for what must not be lost: tickets, tasks, grants, audit.'),
        valkey: z
          .exactOptional(secretField)
          .describe('URL of Valkey or Redis 7 or later, for what must be fast: rates, budgets, flow labels, messages.'),
        // Part of messages and audit records, hence no separators.
        replica: z
          .string()
          .regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1 to 32 letters, digits or -')
          .default('auto')
          .describe('Name of this replica in audit and messages; `auto` chooses one at each start.'),
        limits_on_failure: z
          .enum(['share', 'refuse'])
          .default('share')
          .describe(
            'Rate limits while Valkey is down: `share` allows each replica its part, `refuse` rejects the calls.',
          ),
        max_stale_seconds: z
          .number()
          .int()
          .min(1)
          .max(86_400)
          .default(300)
          .describe('How long keys are accepted from memory while PostgreSQL is down; afterwards they are rejected.'),
        peer: z
          .exactOptional(
            z.strictObject({
              listen: z
                .string()
                // The port is required: other replicas dial it, so that a random one is useless.
                .regex(/^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/, 'must be host:port')
                .describe(
                  'Address and port of the listener for the other replicas, on a network that callers cannot reach.',
                ),
              advertise: z
                .exactOptional(z.url({ protocol: /^http$/ }))
                .describe('URL under which other replicas reach it; that of the listener by default.'),
            }),
          )
          .describe(
            'Listener for the other replicas: they continue calls and read results that this one holds. Without it these count as expired elsewhere.',
          ),
        sticky: z
          .boolean()
          .default(false)
          .describe('The balancer sends a client to the same replica; needed for `server.legacy_sse` only.'),
      })
      .describe('Several replicas as one gateway.'),
  ),
);
