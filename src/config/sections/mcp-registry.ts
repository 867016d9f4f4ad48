import { z } from 'zod';
import { identifier } from '../../lib/config-fields.js';

/** MCP registry for server names; without it no lookup is made. */
export const mcpRegistry = z
  .exactOptional(
    z.strictObject({
      url: z.url({ protocol: /^https?$/ }).describe('URL of the registry; https, or http on this machine.'),
      network_policy: z
        .exactOptional(identifier)
        .describe('Network policy for its addresses; by default `public`, or `loopback` on this machine.'),
    }),
  )
  .describe(
    'An MCP registry that is checked for the `registry_name` of a source; the result is evidence, and an unreachable registry does not block the source.',
  );
