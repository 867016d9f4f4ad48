import type { SourceKind } from '../kind.js';
import type { HttpConfig } from './config.js';

/** A web API described by hand, or a function server. */
export const http: SourceKind<HttpConfig, 'outbound' | 'tool'> = {
  kind: 'http',
  config: async () => (await import('./config.js')).config,
  // Other groups of settings do not concern it, so that their changes never rebuild the source.
  reads: ['outbound', 'tool'],
  describedBy: 'operator',
  prefix: (id, { prefix }) => (prefix === 'source' ? `${id}__` : ''),
  open: async (id, entry, context) => (await import('./open.js')).openHttp(id, entry, context),
  // A function server is asked for its functions, which fails without the network and withholds them.
  listsOffline: () => true,
  references: ({ base_url: url, allowed_domains: domains }) => ({
    domains: { allowed_domains: domains },
    addresses: { base_url: { url, ...(domains && { domains }) } },
  }),
};
