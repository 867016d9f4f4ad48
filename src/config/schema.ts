import { z } from 'zod';
import type { DeepReadonly } from '../lib/deep-readonly.js';
import { mcpTools } from '../sources/http/functions-config.js';
import { sourceKinds } from '../sources/index.js';
import type { SourceKind } from '../sources/kind.js';
import { access, flows, output, policy } from './sections/access.js';
import { auth } from './sections/auth.js';
import { cluster } from './sections/cluster.js';
import { mcpRegistry } from './sections/mcp-registry.js';
import { outbound } from './sections/outbound.js';
import { prompts } from './sections/prompts.js';
import { circuitBreaker, rateLimit, security } from './sections/protection.js';
import { audit, commands, log, secrets, state } from './sections/records.js';
import { server } from './sections/server.js';
import { sourcesSection } from './sections/sources.js';
import { tool } from './sections/tool.js';

// JIT compilation costs more than it saves for a schema that is used once per start.
z.config({ jitless: true });

/** Schema of the configuration file; every object is strict, so a misspelt key is an error and never a silent default. */
export async function schemaFor(kinds: readonly SourceKind[]) {
  const sources = sourcesSection(await Promise.all(kinds.map((kind) => kind.config())));
  return z.strictObject({
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
    secrets,
    cluster,
    log,
    prompts,
    sources,
    mcp_registry: mcpRegistry,
    mcp_tools: mcpTools,
  });
}

/** Schema of the file with the built-in kinds of sources. */
export const schema = await schemaFor(sourceKinds);

/** A validated configuration: keys as in the file, defaults filled in. */
export type Config = DeepReadonly<z.output<typeof schema>>;
