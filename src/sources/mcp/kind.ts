import type { SourceKind } from '../kind.js';
import type { McpConfig } from './config.js';

/** An upstream MCP server: a local program, a package, or a URL. */
export const mcp: SourceKind<McpConfig, 'networks' | 'registry'> = {
  kind: 'mcp',
  config: async () => (await import('./config.js')).config,
  reads: ['networks', 'registry'],
  describedBy: 'untrusted',
  prefix: (id, { prefix }) => (prefix === 'none' ? '' : `${prefix ?? id}__`),
  open: async (id, entry, context) => (await import('./open.js')).openMcp(id, entry, context),
  listsOffline: () => false,
  lints: async (_, entry) => (await import('./sandbox-lint.js')).sandboxFindings(entry),
  references: ({ network_policy: policy }) => ({ policies: { network_policy: policy } }),
  login: async (entry, options, context) =>
    (await import('./oauth/source-login.js')).sourceLogin(entry, options, context),
};
