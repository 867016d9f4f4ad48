import { lru } from '../../../lib/lru.js';
import type { Egress } from '../../../net/egress-types.js';
import { isJsonObject } from '../../../wire/message.js';

/** Result of a registry lookup; `unknown` means the registry was unreachable, which does not block the source. */
export type RegistryListing =
  | { readonly verdict: 'listed'; readonly status: string; readonly versions: readonly string[] }
  | { readonly verdict: 'not listed' }
  | { readonly verdict: 'unknown'; readonly why: string };

const officialMetaKey = 'io.modelcontextprotocol.registry/official';

/** Looks up server names in an MCP registry through the egress guard; results are cached for an hour. */
export function registryLookup({
  url,
  egress,
  now = Date.now,
  keepMs = 3_600_000,
}: {
  readonly url: string;
  readonly egress: Pick<Egress, 'request'>;
  readonly now?: () => number;
  readonly keepMs?: number;
}): (name: string) => Promise<RegistryListing> {
  const cache = lru<string, { readonly at: number; readonly known: RegistryListing }>(1_000);
  const lookUp = async (name: string): Promise<RegistryListing> => {
    const answer = await egress.request({
      url: `${url.replace(/\/$/, '')}/v0.1/servers?query=${encodeURIComponent(name)}`,
      headers: { accept: 'application/json' },
      timeoutMs: 5_000,
      maxResponseBytes: 1_048_576,
    });
    if (answer.kind !== 'response') return { verdict: 'unknown', why: answer.message };
    if (answer.status !== 200) return { verdict: 'unknown', why: `the registry answered with status ${answer.status}` };
    let body: unknown;
    try {
      body = JSON.parse(answer.body.toString('utf8'));
    } catch {
      return { verdict: 'unknown', why: 'the registry answered with invalid JSON' };
    }
    const servers = isJsonObject(body) && Array.isArray(body['servers']) ? body['servers'].filter(isJsonObject) : [];
    // The search also returns similar names (typosquatting); only an exact match counts.
    const own = servers.filter(({ server }) => isJsonObject(server) && server['name'] === name);
    const [first] = own;
    if (!first) return { verdict: 'not listed' };
    const meta = isJsonObject(first['_meta']) ? first['_meta'][officialMetaKey] : undefined;
    const status = isJsonObject(meta) && typeof meta['status'] === 'string' ? meta['status'].slice(0, 64) : 'unknown';
    return {
      verdict: 'listed',
      status,
      versions: own.flatMap(({ server }) =>
        isJsonObject(server) && typeof server['version'] === 'string' ? [server['version'].slice(0, 64)] : [],
      ),
    };
  };
  return async (name) => {
    const cached = cache.get(name);
    if (cached && now() - cached.at < keepMs) return cached.known;
    const known = await lookUp(name);
    if (known.verdict !== 'unknown') cache.set(name, { at: now(), known });
    return known;
  };
}
