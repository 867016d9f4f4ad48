import { isLoopback } from '../lib/loopback.js';
import type { Config } from '../config/schema.js';
import { egress } from '../net/egress/egress.js';
import { registryLookup, type RegistryListing } from '../sources/mcp/registration/registry-lookup.js';
import { namedPolicies } from '../net/egress/named-policies.js';

/** Client of an MCP registry. */
interface McpRegistry {
  lookup(name: string): Promise<RegistryListing>;
  close(): Promise<void>;
}

/** A failed lookup is remembered this long, so that a start with many sources asks once. */
const askAgainMs = 60_000;

/** Registry client limited to one host by the egress guard; undefined if no network policy allows it. */
export function mcpRegistry(config: Config, url: string, policy?: string): McpRegistry | undefined {
  const { hostname, protocol } = new URL(url);
  const local = isLoopback(hostname);
  const networks = namedPolicies(config.security)[policy ?? (local ? 'loopback' : 'public')];
  // Over plain HTTP an attacker on the way could list any server.
  if (!networks || (protocol !== 'https:' && !local)) return undefined;
  const way = egress({
    networks,
    hosts: [hostname.replaceAll(/^\[|\]$/g, '')],
    ...(local
      ? { ports: 'any' as const, schemes: ['http' as const, 'https' as const] }
      : { schemes: ['https' as const] }),
  });
  return { lookup: registryLookup({ url, egress: way }), close: () => way.close() };
}

/** Client of the currently configured registry; a failed lookup is retried after a minute at the earliest. */
export function configuredRegistry(config: () => Config, now: () => number = Date.now): McpRegistry {
  let current: { readonly url: string; readonly registry: McpRegistry | undefined } | undefined;
  const failed = new Map<string, { readonly at: number; readonly known: RegistryListing }>();
  return {
    async lookup(name) {
      const wanted = config().mcp_registry;
      if (wanted === undefined) return { verdict: 'unknown', why: 'no registry is configured' };
      // A reload may name another registry.
      if (current?.url !== wanted.url) {
        void current?.registry?.close();
        failed.clear();
        current = { url: wanted.url, registry: mcpRegistry(config(), wanted.url, wanted.network_policy) };
      }
      if (!current.registry) return { verdict: 'unknown', why: 'no network policy allows access to the registry' };
      const before = failed.get(name);
      if (before && now() - before.at < askAgainMs) return before.known;
      const known = await current.registry.lookup(name);
      if (known.verdict === 'unknown') failed.set(name, { at: now(), known });
      else failed.delete(name);
      return known;
    },
    close: async () => current?.registry?.close(),
  };
}
