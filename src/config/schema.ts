import { z } from 'zod';
import { access, flows, output, policy } from './sections/access.js';
import { auth } from './sections/auth.js';
import { mcpTools } from './sections/functions.js';
import { mcpRegistry } from './sections/mcp-registry.js';
import { outbound } from './sections/outbound.js';
import { prompts } from './sections/prompts.js';
import { circuitBreaker, rateLimit, security } from './sections/protection.js';
import { audit, commands, log, state } from './sections/records.js';
import { server } from './sections/server.js';
import { sources } from './sections/sources.js';
import { tool } from './sections/tool.js';
import type { SecretText } from './secrets.js';

// JIT compilation costs more than it saves for a schema that is used once per start.
z.config({ jitless: true });

/** The whole configuration file; every object is strict, so a misspelt key is an error and never a silent default. */
export const schema = z.strictObject({
  server,
  auth,
  access,
  policy,
  flows,
  output,
  tool,
  circuit_breaker: circuitBreaker,
  rate_limit: rateLimit,
  security,
  commands,
  outbound,
  audit,
  state,
  log,
  prompts,
  sources,
  mcp_registry: mcpRegistry,
  mcp_tools: mcpTools,
});

type DeepReadonly<T> = T extends SecretText
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** A validated configuration: keys as in the file, defaults filled in. */
export type Config = DeepReadonly<z.output<typeof schema>>;
