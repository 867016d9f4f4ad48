import { join, resolve } from 'node:path';
import type { Config } from '../config/schema.js';
import type { SecretText } from '../config/secrets.js';
import type { JsonObject } from '../core/json.js';
import type { SourceHealth } from '../core/source.js';
import { identity } from '../identity.js';
import type { Processes } from '../processes/processes.js';
import type { Ended, OpenChannel } from '../sources/mcp/channel.js';
import { npmCommand, type PackageLock } from '../sources/mcp/packages.js';
import { uvCommand } from '../sources/mcp/python-packages.js';
import { identityOf } from './admission.js';
import { remoteOf } from './mcp-remote.js';
import { packageLock } from './package-lock.js';
import { pluginChannel, type Command } from '../sources/mcp/plugin.js';
import type { Screening } from './screening/evidence.js';
import type { Screens } from './screening/screening.js';
import { mcpSource, type Admit, type McpSource } from '../sources/mcp/source.js';

export type McpConfig = Extract<Config['sources'][string], { readonly kind: 'mcp' }>;

export interface McpSourcesOptions {
  readonly config: Config;
  readonly base: string;
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
  /** The folder into which packages are installed. */
  readonly packages: string;
  /** The folder in which tokens of remote servers are kept. */
  readonly grants: string;
  /** Who decides whether a local server is started at all. */
  readonly screens?: Screens | undefined;
  /** Who decides what of a source is offered. */
  readonly admit?: (id: string, config: McpConfig) => Admit;
  onEvent(event: string, fields: JsonObject): void;
}

/** The upstream MCP servers a configuration names. */
export function mcpSourcesOf(options: McpSourcesOptions): readonly McpSource[] {
  return Object.entries(options.config.sources).flatMap(([id, config]) =>
    config.kind === 'mcp' && config.enabled ? [mcpSourceOf(id, config, options)] : [],
  );
}

/** One upstream server as its entry describes it. */
export function mcpSourceOf(id: string, config: McpConfig, options: McpSourcesOptions): McpSource {
  const { config: whole, onEvent, admit, screens } = options;
  const remote = config.url !== undefined;
  const source = mcpSource({
    id,
    remote,
    onEvent,
    identity: identityOf(config),
    ...(config.prefix !== 'none' && { prefix: config.prefix ?? id }),
    open: config.url === undefined ? plugin(id, config, options) : remoteOf(id, config.url, config, options),
    era: config.era,
    clientInfo: { name: identity.name, version: identity.version },
    limits: {
      timeoutMs: config.timeout * 1000,
      maxTimeoutMs: config.max_timeout * 1000,
      concurrency: config.concurrency,
      queue: Math.max(whole.tool.queue_length, config.concurrency),
      queueTimeoutMs: whole.tool.queue_timeout * 1000,
      ratePerMinute: whole.rate_limit.requests,
      maxOutputBytes: config.max_output_bytes,
    },
    // A token is one person's: nobody else may speak through a connection that bears it.
    sharing: ownTokens(config) && config.sharing === 'all' ? 'principal' : config.sharing,
    ...(ownTokens(config) && { listAs: 'local' }),
    connectMs: config.connect_timeout * 1000,
    startupMs: config.startup_budget * 1000,
    pool: {
      lifecycle: config.lifecycle,
      idleMs: config.idle_seconds * 1000,
      maxAgeMs: config.max_age_seconds * 1000,
      maxCalls: config.max_calls,
      maxSessions: config.max_connections,
    },
    ...(admit && { admit: admit(id, config) }),
  });
  return { ...source, health: () => withDifferences(source.health?.() ?? { status: 'healthy' }, screens?.of(id)) };
}

/** How a source stands, and that it offers what its code does not have where it does. */
function withDifferences(health: SourceHealth, screening: Screening | undefined): SourceHealth {
  const hidden =
    screening?.differences
      .filter(({ kind, severity }) => kind === 'not-in-source' && severity === 'high')
      .map(({ tool }) => tool) ?? [];
  if (health.status !== 'healthy' || hidden.length === 0) return health;
  return {
    status: 'degraded',
    detail: `offers what nothing in its code registers: ${hidden.slice(0, 5).join(', ')}${hidden.length > 5 ? ' …' : ''}`,
  };
}

/** Whether each caller has a token of their own. */
const ownTokens = ({ oauth }: McpConfig): boolean =>
  oauth !== undefined && oauth.grant === 'authorization_code' && !oauth.shared;

function plugin(
  id: string,
  config: McpConfig,
  { base, env, processes, packages, screens, onEvent }: McpSourcesOptions,
): OpenChannel {
  const lock = packageLock(resolve(base, 'toolgate.lock.json'));
  const { sandbox } = config;
  const path = (given: string): string => resolve(base, given);
  return pluginChannel({
    id,
    processes,
    async command() {
      const command = await commandOf(config, { env, processes, packages, lock });
      return 'message' in command ? command : ((await screens?.admit(id, config, command)) ?? command);
    },
    env: () => environmentOf(config, env),
    ...cwdOf(config, base),
    tier: sandbox.tier,
    network: sandbox.network ?? (sandbox.tier === 'bwrap' ? 'none' : 'host'),
    readable: sandbox.readable.map(path),
    writable: sandbox.writable.map(path),
    limits: {
      openFiles: sandbox.open_files,
      ...(sandbox.memory_mb !== undefined && { memoryBytes: sandbox.memory_mb * 1024 * 1024 }),
      ...(sandbox.cpu_seconds !== undefined && { cpuSeconds: sandbox.cpu_seconds }),
      ...(sandbox.processes !== undefined && { processes: sandbox.processes }),
    },
    onNoise: (what) => onEvent('upstream.stderr', { source: id, problem: what }),
  });
}

/** Where it runs: beside the configuration unless told, and where it is not let see that folder, wherever its tier puts it. */
function cwdOf({ cwd, sandbox: { tier, readable, writable } }: McpConfig, base: string): { readonly cwd?: string } {
  if (cwd !== undefined) return { cwd: resolve(base, cwd) };
  const sees = [...readable, ...writable].some((folder) =>
    `${base}/`.startsWith(`${resolve(base, folder)}/`.replace('//', '/')),
  );
  return tier === 'bwrap' && !sees ? {} : { cwd: base };
}

interface PackageParts {
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
  readonly packages: string;
  readonly lock: PackageLock;
}

async function commandOf(
  { command, runtime, args, package: packaged }: McpConfig,
  { env, processes, packages, lock }: PackageParts,
): Promise<Command | Ended> {
  if (command !== undefined) return { program: command, args };
  if (packaged !== undefined && runtime === 'npx')
    return npmCommand(packaged, args, { processes, lock, folder: join(packages, 'npm'), env: managerEnv(env) });
  if (packaged !== undefined)
    return uvCommand(packaged, args, { processes, lock, folder: join(packages, 'pypi'), env: managerEnv(env) });
  if (runtime === 'node') return { program: process.execPath, args };
  if (runtime === 'docker') return { program: 'docker', args: ['run', '--rm', '-i', '--init', ...args] };
  return { program: 'python3', args };
}

/** What a package manager may know of our environment: where its settings are, and nothing that is not its own. */
function managerEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined &&
      (/^(npm_config_.*|uv(_.*)?|ssl_cert_(file|dir)|node_extra_ca_certs|https?_proxy|no_proxy)$/i.test(name) ||
        name === 'HOME'),
  );
  return Object.fromEntries(own) as Record<string, string>; // undefined values were left out
}

/** Exactly the declared variables; the gateway's own environment stays behind. */
export function environmentOf(
  { env: declared, pass_env: passed, required_env: required }: McpConfig,
  env: NodeJS.ProcessEnv,
): { readonly values: Record<string, string>; readonly secrets: string[]; readonly missing: string[] } {
  const values: Record<string, string> = {};
  const secrets: string[] = [];
  const missing: string[] = [];
  for (const name of passed) if (env[name] !== undefined) values[name] = env[name];
  for (const [name, text] of Object.entries<SecretText>(declared)) {
    const resolved = text.resolve(env);
    if (!resolved.ok) missing.push(...resolved.unset);
    else {
      values[name] = resolved.value;
      if (!text.isLiteral) secrets.push(resolved.value);
    }
  }
  for (const name of required) if (values[name] === undefined || values[name] === '') missing.push(name);
  return { values, secrets, missing: [...new Set(missing)] };
}
