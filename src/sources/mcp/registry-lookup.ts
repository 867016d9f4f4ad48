import { lru } from '../../lib/lru.js';
import type { Egress } from '../../net/egress-types.js';
import { isObject } from '../../wire/message.js';

/** What a registry knows about a server's name; `unknown` means that it could not be asked, and hinders nothing. */
export type Known =
  | { readonly verdict: 'listed'; readonly status: string; readonly versions: readonly string[] }
  | { readonly verdict: 'not listed' }
  | { readonly verdict: 'unknown'; readonly why: string };

const official = 'io.modelcontextprotocol.registry/official';

/** Asks an MCP registry about names, through the guard; answers are kept for an hour. */
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
}): (name: string) => Promise<Known> {
  const kept = lru<string, { readonly at: number; readonly known: Known }>(1_000);
  const ask = async (name: string): Promise<Known> => {
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
      return { verdict: 'unknown', why: 'the registry answered with something that is no JSON' };
    }
    const servers = isObject(body) && Array.isArray(body['servers']) ? body['servers'].filter(isObject) : [];
    // A search finds names that only resemble it; those are what this is meant to tell apart.
    const own = servers.filter(({ server }) => isObject(server) && server['name'] === name);
    const [first] = own;
    if (!first) return { verdict: 'not listed' };
    const meta = isObject(first['_meta']) ? first['_meta'][official] : undefined;
    const status = isObject(meta) && typeof meta['status'] === 'string' ? meta['status'].slice(0, 64) : 'unknown';
    return {
      verdict: 'listed',
      status,
      versions: own.flatMap(({ server }) =>
        isObject(server) && typeof server['version'] === 'string' ? [server['version'].slice(0, 64)] : [],
      ),
    };
  };
  return async (name) => {
    const before = kept.get(name);
    if (before && now() - before.at < keepMs) return before.known;
    const known = await ask(name);
    if (known.verdict !== 'unknown') kept.set(name, { at: now(), known });
    return known;
  };
}
