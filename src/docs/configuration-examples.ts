/** One example for each section of the configuration; a test loads every one of them. */
export const configurationExamples: Readonly<Record<string, string>> = {
  server: `server:
  transport: http
  host: 127.0.0.1
  port: 8080
  trusted_proxies: [127.0.0.1/32]   # nginx on this machine
  shutdown_grace_period: 30`,
  auth: `auth:
  resource: https://gate.example.com/mcp
  issuers:
    - name: corp
      issuer: https://login.example.com
      roles_claim: groups
      roles: { platform-team: admin }
  tokens:
    - { name: ci, token: "\${CI_TOKEN}", roles: [user], profile: readonly }
access:
  profiles: { readonly: { tools: [ping, dig] } }`,
  access: `access:
  profiles:
    docs: { sources: ["files*"], exclude: [files__write_file] }
  roles:
    intern: { profiles: [docs] }
  limits:
    - { id: daily, roles: [intern], calls_per_day: 500 }`,
  policy: `policy:
  rules:
    - { id: no-scans-outside, action: deny, tools: [nmap], args: { target: { cidr: [10.20.0.0/16] } } }
    - { id: ask-before-scans, action: confirm, confirm: operator, tools: [nmap], reason: "Scans need an operator's approval" }
    - { id: everything-else, action: allow }
  confirmation: { ticket_seconds: 900 }`,
  flows: `flows:
  labels: { "mail__*": ["reads:private"] }
  rules:
    - { id: no-leaks, after: ["reads:private"], to: ["egress:external"], action: deny }`,
  output: `output:
  injection: block
  envelope: untrusted
  trusted_sources: [mcp_tools]`,
  tool: `tool:
  exclude: [whois]
  overrides:
    ping: { timeout: 10, concurrency: 5 }
    nmap: { enabled: false }`,
  circuit_breaker: `circuit_breaker: { failure_threshold: 5, recovery_timeout: 60 }`,
  rate_limit: `rate_limit: { requests: 60, burst: 20 }`,
  security: `security:
  default_policy: lab
  network_policies:
    lab: { cidrs: [10.20.0.0/16], hosts: ["*.lab.internal"], deny: [10.20.0.1/32] }`,
  commands: `commands:
  directories: [./tools]            # every *.tool.yaml in this folder is a tool
  builtins: true`,
  outbound: `outbound:
  allowed_domains: [localhost, api.example.com]
  timeout: 10
  retries: 3`,
  cluster: `cluster:
  secret: \${CLUSTER_SECRET}
  postgres: \${POSTGRES_URL}
  valkey: \${VALKEY_URL}
  peer: { listen: 10.0.0.5:7070 }   # for the other replicas only
server:
  transport: http
`,
  secrets: `secrets:
  # Asked for names that \`toolgate secret set\` has not stored; {name} is what follows "secret:" in the reference.
  helper: [op, read, "{name}"]
  timeout: 20
`,
  audit: `audit:
  keep_arguments: true
  sync: batch`,
  state: `state: { directory: /var/lib/toolgate }`,
  log: `log: { level: info, format: json }`,
  prompts: `prompts:
  - name: incident
    description: Start an investigation of a host
    arguments: [{ name: host, required: true }]
    messages: [{ text: "Find out why {{host}} does not answer." }]`,
  sources: `sources:
  files: { kind: mcp, runtime: npx, package: "@modelcontextprotocol/server-filesystem@2026.8.31", args: [/srv/docs] }
  search: { kind: mcp, url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer \${SEARCH_TOKEN}" } }
  shop: { kind: openapi, document: "https://api.shop.example/openapi.json", base_url: "https://api.shop.example/v1" }
  weather:
    kind: http
    base_url: https://api.weather.example
    allowed_domains: [api.weather.example]
    tools:
      forecast: { method: GET, path: "/forecast/{city}", description: Forecast of a city, parameters: [{ name: city, required: true }] }`,
  mcp_registry: `mcp_registry: { url: "https://registry.example.com" }`,
  mcp_tools: `mcp_tools:
  get_weather:
    url: http://localhost:9000/run
    description: Weather of a city, now
    parameters: [{ name: city, type: string, required: true }]
    read_only: true`,
};
