import type { UnseenRow } from '../row.js';

/** Several keys that one test proves. */
const proved = (keys: readonly string[], why: string, file: string, title: string): readonly UnseenRow[] =>
  keys.map((key) => ({ key, why, test: [file, title] }));

const mcp = 'sources.*.(mcp)';
const elsewhere = 'test/keys/elsewhere.test.ts';

/** Keys that need a process, a time or a service of their own. */
export const unseen: readonly UnseenRow[] = [
  ...proved(
    ['server.transport'],
    'stdio takes the pipes of the process',
    'test/e2e/shared-gate.test.ts',
    'a gate over HTTP is attached to',
  ),
  ...proved(
    ['server.drain_delay'],
    'it is a part of stopping a process',
    'test/e2e/edge.test.ts',
    'at shutdown /readyz fails first',
  ),
  ...proved(
    ['server.session_idle_seconds'],
    'a session stays valid when it leaves the memory',
    'src/transports/mcp/legacy/legacy.test.ts',
    'sessionTable({ idleMs: 100',
  ),
  ...proved(
    ['server.background.idle_seconds'],
    'it ends a process in the background',
    'test/e2e/shared-gate.test.ts',
    'it ends when idle and leaves nothing behind',
  ),
  ...proved(
    ['server.background.http'],
    'it needs a process in the background',
    elsewhere,
    'a gate in the background listens',
  ),
  ...proved(
    ['access.local_profile'],
    'the local user has no door of the embedded gateway',
    elsewhere,
    'the local user has the profile',
  ),
  ...proved(
    ['audit.on_failure'],
    'a disk that fails cannot be had here',
    'src/guards/audit.test.ts',
    'an operator may choose to go on without records',
  ),
  ...proved(
    ['audit.sync'],
    'what the disk has can be seen only after a power failure',
    elsewhere,
    'the journal is synced to disk',
  ),
  ...proved(
    ['secrets.timeout'],
    'a helper that is too slow rejects the file',
    elsewhere,
    'a secret helper that takes too long',
  ),
  ...proved(
    ['outbound.allowed_domains', 'sources.*.(http).allowed_domains'],
    'a URL outside the domains rejects the file',
    'src/sources/http/source.test.ts',
    "MCP URL host 'api.example.com' not in allowed domains",
  ),
  ...proved(
    ['outbound.metadata_addresses'],
    'it needs the metadata service of a cloud',
    'src/sources/http/egress-routes.test.ts',
    'a metadata address needs its own key beside the domains',
  ),
  ...proved(
    ['sources.*.(http).resource_interval'],
    'it needs a subscription and the clock',
    'src/sources/http/reload-and-changes.test.ts',
    'a subscribed resource is compared at an interval',
  ),
  ...proved(
    ['sources.*.(openapi).auth.*.(object).external'],
    'it has one value only and excludes the other keys',
    'src/sources/openapi/daily-use.test.ts',
    'a proxy that authenticates makes them callable',
  ),
  ...proved(
    [`sources.*.(openapi).refresh`],
    'the shortest interval is ten seconds',
    elsewhere,
    'a remote document is fetched again',
  ),
  ...proved(
    [`${mcp}.package`],
    'it is installed from a registry',
    'test/e2e/npm-servers.test.ts',
    'servers from npm are installed once',
  ),
  ...proved(
    [`${mcp}.sandbox.processes`],
    'root is limited by a cgroup only',
    'src/processes/limits.test.ts',
    'a process count is promised to root only with a cgroup',
  ),
  ...proved(
    [`${mcp}.oauth.grant`, `${mcp}.oauth.client_id`, `${mcp}.oauth.client_secret`, `${mcp}.oauth.scopes`],
    'it needs an authorization server',
    'src/sources/mcp/oauth/oauth.test.ts',
    'a client with its own credentials gets one token',
  ),
  ...proved(
    [`${mcp}.oauth.shared`],
    'it needs an authorization server',
    'src/sources/mcp/oauth/oauth.test.ts',
    'each caller uses their own token',
  ),
  ...proved(
    [`${mcp}.oauth.issuer`],
    'it needs an authorization server',
    'src/sources/mcp/oauth/oauth.test.ts',
    'a token of one issuer is not used once another one is configured',
  ),
  ...proved(
    ['critical', 'high', 'medium', 'low', 'capabilities', 'unknown'].map((each) => `${mcp}.scan.${each}`),
    'a scan takes seconds; the table of decisions is complete',
    'src/admission/decision.test.ts',
    'what is decided by default',
  ),
  ...proved(
    [`${mcp}.scan.path`],
    'a scan takes seconds',
    'src/admission/code-location.test.ts',
    'what the configuration names is read instead',
  ),
  ...proved([`${mcp}.scan.timeout`], 'a scan takes seconds', 'src/admission/scan/runner.test.ts', 'timeout'),
  ...proved(
    [`${mcp}.scan.memory_mb`],
    'a scan takes seconds',
    'test/e2e/admission.test.ts',
    'code that cannot be read within its memory is unknown',
  ),
  ...proved(
    [`${mcp}.scan.unlisted`, `${mcp}.registry_name`, 'mcp_registry.url', 'mcp_registry.network_policy'],
    'it needs a registry of servers',
    'test/e2e/admission.test.ts',
    'the configured registry is asked about the name of a server',
  ),
  ...proved(
    ['secret', 'previous_secret'].map((each) => `cluster.${each}`),
    'it needs PostgreSQL and Valkey',
    'src/state/engines.test.ts',
    'a replica with another secret is refused; a rotation with the former one is not',
  ),
  ...proved(
    ['cluster.postgres', 'cluster.valkey'],
    'it needs PostgreSQL and Valkey',
    'src/state/engines.test.ts',
    'an engine that cannot be reached is named at the start',
  ),
  ...proved(
    ['cluster.limits_on_failure'],
    'it needs several replicas',
    'src/state/engines.test.ts',
    'a stopped engine costs a call less than 150 ms',
  ),
  ...proved(
    ['cluster.replica', 'cluster.sticky'],
    'it needs several replicas',
    elsewhere,
    'a replica has the name of the configuration',
  ),
  ...proved(
    [`${mcp}.placement`],
    'it needs several replicas',
    'src/sources/mcp/placed-server.test.ts',
    '`one` runs a server on one replica, which lists it and runs the calls of all',
  ),
  ...proved(
    ['cluster.peer.listen', 'cluster.peer.advertise'],
    'it needs several replicas',
    elsewhere,
    'the peer door of a replica needs an address that others can reach',
  ),
  ...proved(
    ['client_id', 'client_secret', 'scopes', 'token_url'].map((each) => `auth.issuers.[].console.${each}`),
    'it needs an issuer and a browser',
    'test/console/issuer-login.test.ts',
    'people log in at an issuer; its tokens never reach the page, and roles come from its claims',
  ),
  ...proved(
    ['url', 'secret'].map((each) => `policy.confirmation.webhook.${each}`),
    'it needs a receiver',
    'src/access/approvals/webhook.test.ts',
    'a request and its decision arrive in order, signed over id, time and body',
  ),
  ...proved(
    ['policy.confirmation.webhook.network_policy'],
    'it needs a receiver',
    'src/access/approvals/webhook.test.ts',
    'an address that the network policy forbids gets nothing (SSRF)',
  ),
  ...proved(
    ['policy.confirmation.webhook.attempts'],
    'it needs a receiver that fails',
    'src/access/approvals/webhook.test.ts',
    'lead to %i attempts with one id',
  ),
  ...proved(
    ['audit.ack'],
    'it needs PostgreSQL',
    'src/cluster/fleet-audit.test.ts',
    'while PostgreSQL is away a shipped record is refused in time and a local one is not',
  ),
  ...proved(
    ['cluster.max_stale_seconds'],
    'it needs PostgreSQL and Valkey',
    'src/cluster/shared-stores.test.ts',
    'keys of a copy that is too old are rejected',
  ),
];
