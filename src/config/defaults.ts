/** All defaults, without imports: a start without a file loads neither the YAML parser nor the schema. */
export const defaults = {
  server: {
    transport: 'stdio',
    // Loopback: reaching the gateway from a network is a decision of the operator.
    host: '127.0.0.1',
    port: 8080,
    mcp_path: '/mcp',
    allowed_hosts: [],
    allowed_origins: [],
    cors_origins: [],
    trusted_proxies: [],
    max_body_bytes: 4_194_304,
    max_inflight_body_bytes: 67_108_864,
    peer_rate_per_second: 1000,
    shutdown_grace_period: 30,
    drain_delay: 0,
    open_metrics: false,
    open_health: false,
    legacy_sse: false,
    max_sessions: 1000,
    session_idle_seconds: 1800,
    background: { idle_seconds: 600, http: false },
  },
  // A token is required even on loopback, because every local program and web page can reach a port.
  auth: { required: true, tokens: [], issuers: [] },
  access: { profiles: {}, roles: {}, limits: [] },
  policy: {
    rules: [],
    confirmation: { effects: [], ttl_seconds: 300, ticket_seconds: 900, wait_seconds: 0, self_approval: false },
  },
  flows: {
    derive: true,
    labels: {},
    rules: [],
    // Labels belong to one conversation: those of another must not hold this one up.
    conversations: 'session',
    remember_seconds: 3600,
    max_conversations: 10_000,
  },
  output: {
    clean: 'full',
    secrets: true,
    // Suspicious results are marked, not blocked: a false positive must not break a tool.
    injection: 'flag',
    envelope: 'flagged',
    trusted_sources: [],
    keep_seconds: 600,
  },
  tool: {
    queue_length: 16,
    queue_timeout: 30,
    max_args_length: 2048,
    include: [],
    exclude: [],
    search: false,
    overrides: {},
  },
  circuit_breaker: {
    failure_threshold: 5,
    recovery_timeout: 60,
    backoff_factor: 1.5,
    max_recovery_timeout: 300,
    jitter: 0.1,
  },
  rate_limit: { max_keys: 10_000 },
  security: { allow_intrusive: false, best_effort_sandbox: false, default_policy: 'local', network_policies: {} },
  commands: { directories: [], builtins: true, http_fetch: { ports: [80, 443] }, sandbox: { tier: 'auto' } },
  outbound: {
    // Only this machine: functions reach other hosts once the operator names them.
    allowed_domains: ['localhost', '127.0.0.1'],
    metadata_addresses: [],
    max_response_bytes: 10_485_760,
    retries: 3,
    timeout: 10,
    circuit_breaker: { failure_threshold: 5, recovery_timeout: 60 },
  },
  // Without a record a call is refused; losing the audit silently would defeat its purpose.
  audit: { keep_arguments: false, stages: false, on_failure: 'refuse', sync: 'never', max_file_bytes: 67_108_864 },
  state: {},
  secrets: { helper: [], timeout: 10 },
  log: { level: 'info', format: 'json' },
  prompts: [],
  sources: {},
  mcp_tools: {},
} as const;

/** Limits of tools that declare none. Not part of `defaults`: a value that the operator sets also holds for tools that declare one. */
export const toolDefaults = {
  default_timeout: 300,
  default_concurrency: 2,
  max_stdout_bytes: 1_048_576,
  max_stderr_bytes: 262_144,
  max_memory_mb: 512,
  max_file_descriptors: 256,
} as const;
