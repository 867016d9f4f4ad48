import type { SourceKind } from '../kind.js';
import type { OpenApiConfig } from './config.js';

/** Whether the document must be fetched. */
const isRemote = (document: string): boolean => /^https?:\/\//i.test(document);

/** The operations of an OpenAPI or Swagger document. */
export const openapi: SourceKind<OpenApiConfig, 'networks' | 'outbound'> = {
  kind: 'openapi',
  config: async () => (await import('./config.js')).config,
  reads: ['networks', 'outbound'],
  describedBy: 'operator',
  prefix: (id, { prefix }) => (prefix === 'none' ? '' : `${id}__`),
  open: async (id, entry, context) => (await import('./open.js')).openOpenApi(id, entry, context),
  listsOffline: ({ document }) => !isRemote(document),
  references: ({ network, allowed_hosts: hosts }) => ({ policies: { network }, domains: { allowed_hosts: hosts } }),
  async lints(id, entry, base) {
    // `check` sends no requests, so remote documents are not linted.
    if (isRemote(entry.document)) return [];
    return (await import('./lints.js')).documentFindings(id, entry, base);
  },
};
