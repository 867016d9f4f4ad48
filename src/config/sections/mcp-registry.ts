import { z } from 'zod';
import { name } from './words.js';

/** The registry that is asked about the names of servers; without it nobody is asked. */
export const mcpRegistry = z
  .exactOptional(
    z.strictObject({
      url: z.url({ protocol: /^https?$/ }).describe('Its address; https unless it is on this machine.'),
      network_policy: z
        .exactOptional(name)
        .describe('Which addresses it may have; `public`, or `loopback` on this machine, unless told.'),
    }),
  )
  .describe(
    'An MCP registry that is asked whether it lists the `registry_name` of a source; the answer is evidence, and a registry that is down hinders nothing.',
  );
