import type { JsonObject } from '../../../core/json.js';
import { lru } from '../../../lib/lru.js';
import type { Egress } from '../../../net/egress/egress-types.js';
import { isJsonObject } from '../../../wire/message.js';

/** Result of a registry lookup; `unknown` means the registry was unreachable, which does not block the source. */
export type RegistryListing =
  | { readonly verdict: 'listed'; readonly status: string; readonly versions: readonly string[] }
  | { readonly verdict: 'not listed' }
  | { readonly verdict: 'unknown'; readonly why: string };

/** Pages of a search. */
const maxPages = 10;
/** Metadata that the official registry adds. */
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
  // Bounded: names come from configurations, but lookups go over the network.
  const cache = lru<string, { readonly at: number; readonly known: RegistryListing }>(1_000);
  const ask = (path: string) =>
    egress.request({
      url: `${url.replace(/\/$/, '')}/v0.1/servers${path}`,
      headers: { accept: 'application/json' },
      timeoutMs: 5_000,
      maxResponseBytes: 1_048_576,
    });
  /** Searches page by page; only an exact match counts, since the search also returns similar names (typosquatting). */
  const search = async (name: string): Promise<RegistryListing> => {
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      const answer = await ask(`?search=${encodeURIComponent(name)}&version=latest&limit=100${cursor}`);
      const body = bodyOf(answer);
      if (!body.ok) return { verdict: 'unknown', why: body.why };
      const { servers, metadata } = body.value;
      const own = Array.isArray(servers)
        ? servers.filter(isJsonObject).find(({ server }) => isJsonObject(server) && server['name'] === name)
        : undefined;
      if (own !== undefined) return toListing(own);
      const next = isJsonObject(metadata) ? (metadata['nextCursor'] ?? metadata['next_cursor']) : undefined;
      // The end of the list: the name is certainly not there.
      if (typeof next !== 'string' || next === '') return { verdict: 'not listed' };
      // The cursor comes from the registry and becomes part of a URL.
      cursor = `&cursor=${encodeURIComponent(next.slice(0, 500))}`;
    }
    return { verdict: 'unknown', why: `the name is not on the first ${maxPages} pages of the search` };
  };
  const lookUp = async (name: string): Promise<RegistryListing> => {
    const answer = await ask(`/${encodeURIComponent(name)}/versions/latest`);
    // A registry without this route answers 404 as well, so that the search decides.
    if (answer.kind === 'response' && answer.status === 404) return search(name);
    const body = bodyOf(answer);
    if (!body.ok) return { verdict: 'unknown', why: body.why };
    const { server } = body.value;
    return isJsonObject(server) && server['name'] === name ? toListing(body.value) : search(name);
  };
  return async (name) => {
    const cached = cache.get(name);
    if (cached && now() - cached.at < keepMs) return cached.known;
    const known = await lookUp(name);
    // Failures are not cached: the next start asks again.
    if (known.verdict !== 'unknown') cache.set(name, { at: now(), known });
    return known;
  };
}

/** Response of the egress guard. */
type LookupAnswer = Awaited<ReturnType<Egress['request']>>;

/** The JSON object of an answer, or why there is none. */
function bodyOf(
  answer: LookupAnswer,
): { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly why: string } {
  if (answer.kind !== 'response') return { ok: false, why: answer.message };
  if (answer.status !== 200) return { ok: false, why: `the registry answered with status ${answer.status}` };
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    if (isJsonObject(value)) return { ok: true, value };
  } catch {
    // Reported below, like a value that is no object.
  }
  return { ok: false, why: 'the registry answered with invalid JSON' };
}

/** Listing of a server with its latest version. */
function toListing({ server, _meta: meta }: JsonObject): RegistryListing {
  const official = isJsonObject(meta) ? meta[officialMetaKey] : undefined;
  const status = isJsonObject(official) ? official['status'] : undefined;
  const version = isJsonObject(server) ? server['version'] : undefined;
  return {
    verdict: 'listed',
    // Texts of the registry are shown to operators, so they are cut.
    status: typeof status === 'string' ? status.slice(0, 64) : 'unknown',
    versions: typeof version === 'string' ? [version.slice(0, 64)] : [],
  };
}
