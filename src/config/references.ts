import { kindOf, type SourceKind } from '../sources/kind.js';
import type { Config } from './schema.js';

/** What a configuration refers to, with the key of each reference. */
export interface ConfigReferences {
  readonly policies: readonly (readonly [path: string, policy: string])[];
  /** Allow-lists of hosts. */
  readonly domains: readonly (readonly [path: string, domains: readonly string[]])[];
  /** URLs that tools call, and the allow-list their host must be in. */
  readonly addresses: readonly { readonly path: string; readonly url: string; readonly domains: readonly string[] }[];
  /** Keys that, in a cluster, need replicas that reach one another. */
  readonly peers: readonly string[];
}

/** All references of a configuration: those of its sections, and those that the kinds find in the entries of `sources`. */
export function referencesOf(config: Config, kinds: readonly SourceKind[]): ConfigReferences {
  const { outbound, security, tool, mcp_tools: functions, mcp_registry: registry } = config;
  // The list that holds for functions without their own.
  const shared = outbound.allowed_domains;
  const found = Object.entries(config.sources).map(([id, entry]) => ({
    at: `sources.${id}`,
    ...kindOf(entry, kinds).references?.(entry),
  }));
  // Kinds return keys relative to their entry; problems need the path from the root.
  const inSources = <T>(at: string, values: Readonly<Record<string, T | undefined>> = {}): (readonly [string, T])[] =>
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[`${at}.${key}`, value] as const]));
  return {
    peers: found.flatMap(({ at, peers }) => (peers === undefined ? [] : [`${at}.${peers}`])),
    policies: [
      ['security.default_policy', security.default_policy],
      ...found.flatMap(({ at, policies }) => inSources(at, policies)),
      ...inSources('mcp_registry', { network_policy: registry?.network_policy }),
      ...Object.entries(tool.overrides).flatMap(([name, { policy }]) =>
        inSources(`tool.overrides.${name}`, { policy }),
      ),
    ],
    domains: [['outbound.allowed_domains', shared], ...found.flatMap(({ at, domains }) => inSources(at, domains))],
    addresses: [
      ...Object.entries(functions).map(([name, { url }]) => ({ path: `mcp_tools.${name}.url`, url, domains: shared })),
      ...found.flatMap(({ at, addresses }) =>
        inSources(at, addresses).map(([path, { url, domains = shared }]) => ({ path, url, domains })),
      ),
    ],
  };
}
