import { join, resolve } from 'node:path';
import type { SourceHealth } from '../../core/source.js';
import type { SecretText } from '../../lib/secret-text.js';
import type { Processes } from '../../processes/processes.js';
import type { SourceContext } from '../kind.js';
import { sourceIdentity } from './admission.js';
import type { ChannelEnd, OpenChannel } from './channels/channel.js';
import { localChannel, type LaunchCommand } from './channels/local-channel.js';
import type { McpConfig } from './config.js';
import { npmCommand, type PackageLock } from './packages/npm-package.js';
import { packageLock } from './packages/package-lock.js';
import { uvCommand } from './packages/python-package.js';
import { remoteOf } from './remote.js';
import { describeSandbox, serverSandbox } from './sandbox.js';
import { mcpSource, type McpSource } from './source.js';

/** Opens the source of one `mcp` entry. */
export function openMcp(id: string, config: McpConfig, options: SourceContext<'networks'>): McpSource {
  const { onEvent, admission } = options;
  const remote = config.url !== undefined;
  const source = mcpSource({
    id,
    remote,
    onEvent,
    identity: sourceIdentity(config),
    ...(config.prefix !== 'none' && { prefix: config.prefix ?? id }),
    open: config.url === undefined ? plugin(id, config, options) : remoteOf(id, config.url, config, options),
    era: config.era,
    clientInfo: options.client,
    limits: {
      limits: {
        timeoutMs: config.timeout * 1000,
        maxTimeoutMs: config.max_timeout * 1000,
        concurrency: config.concurrency,
        maxOutputBytes: config.max_output_bytes,
      },
      // A burst as large as the slots waits instead of failing with `busy`.
      ranges: { queue: [config.concurrency, Number.MAX_SAFE_INTEGER] },
    },
    // A token belongs to one principal, so its connection must not be shared with others (confused deputy).
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
    ...(admission && { admit: admission.definitions(id, config) }),
  });
  const sandbox = remote ? {} : { sandbox: describeSandbox(config.sandbox) };
  return {
    ...source,
    // A server under another sandbox is another server: it never serves for its successor.
    identity: `${sourceIdentity(config)} ${JSON.stringify(config.sandbox)}`,
    health: () => ({
      ...withUnregistered(source.health?.() ?? { status: 'healthy' }, admission?.unregisteredTools(id) ?? []),
      ...sandbox,
    }),
  };
}

/** Health of a source, degraded if it offers tools that its code does not register. */
function withUnregistered(health: SourceHealth, tools: readonly string[]): SourceHealth {
  if (health.status !== 'healthy' || tools.length === 0) return health;
  return {
    status: 'degraded',
    detail: `offers tools that its code does not register: ${tools.slice(0, 5).join(', ')}${tools.length > 5 ? ' …' : ''}`,
  };
}

/** Whether each caller uses a separate OAuth token. */
const ownTokens = ({ oauth }: McpConfig): boolean =>
  oauth !== undefined && oauth.grant === 'authorization_code' && !oauth.shared;

function plugin(
  id: string,
  config: McpConfig,
  { base, env, processes, packages, admission, onEvent }: SourceContext<never>,
): OpenChannel {
  const lock = packageLock(resolve(base, 'toolgate.lock.json'));
  return localChannel({
    id,
    processes,
    async command() {
      const command = await commandOf(config, { env, processes, packages, lock });
      return 'message' in command ? command : ((await admission?.admit(id, config, command)) ?? command);
    },
    env: () => environmentOf(config, env),
    ...serverSandbox(config, base, env),
    onInvalidLine: (what) => onEvent('upstream.stderr', { source: id, problem: what }),
  });
}

interface PackageParts {
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
  readonly packages: string;
  readonly lock: PackageLock;
}

async function commandOf(
  { command, runtime, args, package: packaged, sandbox }: McpConfig,
  { env, processes, packages, lock }: PackageParts,
): Promise<LaunchCommand | ChannelEnd> {
  if (command !== undefined) return { program: command, args };
  const manager = {
    processes,
    lock,
    env: managerEnv(env),
    tier: sandbox.tier === 'none' ? 'none' : 'prlimit',
    ...(env['PATH'] !== undefined && { searchPath: env['PATH'] }),
  } as const;
  if (packaged !== undefined && runtime === 'npx')
    return npmCommand(packaged, args, { ...manager, folder: join(packages, 'npm') });
  if (packaged !== undefined) return uvCommand(packaged, args, { ...manager, folder: join(packages, 'pypi') });
  if (runtime === 'node') return { program: process.execPath, args };
  if (runtime === 'docker') return { program: 'docker', args: ['run', '--rm', '-i', '--init', ...args] };
  return { program: 'python3', args };
}

/** Environment of a package manager: its own settings and proxies, without secrets of the gateway. */
function managerEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined &&
      (/^(npm_config_.*|uv(_.*)?|ssl_cert_(file|dir)|node_extra_ca_certs|https?_proxy|no_proxy)$/i.test(name) ||
        name === 'HOME'),
  );
  return Object.fromEntries(own) as Record<string, string>; // undefined values are filtered out above
}

/** Declared variables only; the environment of the gateway, with its secrets, is not inherited. */
function environmentOf(
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
