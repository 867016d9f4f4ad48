import type { Config } from './schema.js';

/** A URL that tools call, its key in the configuration, and the domains it must belong to. */
interface CalledAddress {
  readonly path: string;
  readonly url: string;
  readonly domains: readonly string[];
}

/** All URLs that HTTP functions and `http` sources call. */
export function calledAddresses({ outbound, mcp_tools: functions, sources }: Config): readonly CalledAddress[] {
  const shared = outbound.allowed_domains;
  return [
    ...Object.entries(functions).map(([name, { url }]) => ({ path: `mcp_tools.${name}.url`, url, domains: shared })),
    ...Object.entries(sources).flatMap(([id, source]) =>
      source.kind === 'http'
        ? [{ path: `sources.${id}.base_url`, url: source.base_url, domains: source.allowed_domains ?? shared }]
        : [],
    ),
  ];
}
