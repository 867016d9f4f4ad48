import type { SourceKind } from '../kind.js';
import type { McpConfig } from './config.js';

/** An upstream MCP server: a local program, a package, or a URL. */
export const mcp: SourceKind<McpConfig, 'networks' | 'registry'> = {
  kind: 'mcp',
  config: async () => (await import('./config.js')).config,
  reads: ['networks', 'registry'],
  // Its definitions are the server's own statements, so they are pinned, cleaned and scanned.
  describedBy: 'untrusted',
  prefix: (id, { prefix }) => (prefix === 'none' ? '' : `${prefix ?? id}__`),
  open: async (id, entry, context) => (await import('./open.js')).openMcp(id, entry, context),
  // A server must run to list its tools; `check` starts none.
  listsOffline: () => false,
  lints: async (_, entry, base) => [
    ...(await import('./sandbox-lint.js')).sandboxFindings(entry),
    ...(await (await import('./missing-program.js')).programFindings(entry, base)),
  ],
  references: ({ network_policy: policy, pass_env: passed, required_env: required, placement = 'each' }) => ({
    ...(placement !== 'each' && { peers: 'placement' }),
    policies: { network_policy: policy },
    variables: [...passed, ...required],
  }),
  login: async (entry, options, context) =>
    (await import('./oauth/source-login.js')).sourceLogin(entry, options, context),
};
