import { join, resolve } from 'node:path';
import type { SourceHealth } from '../../core/source.js';
import type { SecretText } from '../../lib/text/secret-text.js';
import type { Processes } from '../../processes/processes.js';
import type { SourceContext } from '../kind.js';
import { sourceIdentity, sourceProgram } from './admission.js';
import type { ChannelEnd, OpenChannel } from './channels/channel.js';
import { localChannel, type LaunchCommand } from './channels/local-channel.js';
import type { McpConfig } from './config.js';
import { installInJob } from './packages/install-job.js';
import { npmCommand, type PackageLock } from './packages/npm-package.js';
import { managerEnv } from './packages/manager-env.js';
import { packageLock } from './packages/package-lock.js';
import { uvCommand } from './packages/python-package.js';
import { missingProgram } from './missing-program.js';
import { remoteOf } from './remote.js';
import { describeSandbox, sandboxChoice, serverSandbox } from './sandbox.js';
import { preparation, type OnPhase } from '../preparation.js';
import { mcpSource, type McpSource } from './source.js';

/** Opens the source of one `mcp` entry. */
export function openMcp(id: string, config: McpConfig, options: SourceContext<'networks'>): McpSource {
  const { onEvent, admission } = options;
  const remote = config.url !== undefined;
  const prepared = preparation(id, onEvent);
  const source = mcpSource({
    id,
    remote,
    onEvent,
    identity: sourceIdentity(config),
    program: sourceProgram(config),
    ...(config.prefix !== 'none' && { prefix: config.prefix ?? id }),
    preparation: prepared,
    open:
      config.url === undefined
        ? plugin(id, config, options, prepared.enter)
        : remoteOf(id, config.url, config, options),
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
    // With one login per caller the list is read with the login of the local user.
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
    peers: options.peers,
    placement: config.placement ?? (config.sharing === 'session' && !remote ? 'session' : 'each'),
    ...(admission && {
      admit: admission.definitions(id, config),
      admitPersonal: admission.personalDefinitions(config),
    }),
  });
  // A fresh process has its masks again; running calls end on the old one.
  const unwatch =
    // Only the `bwrap` tier has masks that can be lost.
    remote || sandboxChoice(config.sandbox).tier !== 'bwrap'
      ? undefined
      : options.processes.onMaskLost(serverSandbox(config, options.base, options.env).guarded?.masked ?? [], (path) => {
          onEvent('upstream.mask_lost', { source: id, path });
          source.restart?.();
        });
  const sandbox = remote ? {} : { sandbox: describeSandbox(config.sandbox) };
  return {
    ...source,
    identity: successionIdentity(config, options.settings.networks),
    health: () => ({
      ...withUnregistered(source.health?.() ?? { status: 'healthy' }, admission?.unregisteredTools(id) ?? []),
      ...sandbox,
    }),
    async close() {
      unwatch?.();
      await source.close?.();
    },
  };
}

/** Keys that say how a server is served, not what it is or what it may do. */
const serviceKeys: ReadonlySet<string> = new Set([
  'description',
  'timeout',
  'max_timeout',
  'connect_timeout',
  'startup_budget',
  'concurrency',
  'max_output_bytes',
  'lifecycle',
  'idle_seconds',
  'max_age_seconds',
  'max_calls',
  'max_connections',
] satisfies readonly (keyof McpConfig)[]);

/**
 * Identity under which a replaced server may serve until its successor is listed. A server with another sandbox, network, credential
 * or admission is another server: otherwise a restriction that stops the new one would leave the old one in service, unrestricted.
 */
const successionIdentity = (config: McpConfig, networks: unknown): string =>
  JSON.stringify([Object.entries(config).filter(([key]) => !serviceKeys.has(key)), config.url && networks]);

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

/** Channel to a local server: installs its package, has it admitted and starts it in its sandbox. */
function plugin(
  id: string,
  config: McpConfig,
  { base, env, processes, packages, admission, onEvent }: SourceContext<never>,
  onPhase: OnPhase,
): OpenChannel {
  const sandbox = serverSandbox(config, base, env);
  // The lock file is beside the configuration, so that it can be committed with it.
  const lock = packageLock(resolve(base, 'toolgate.lock.json'));
  return localChannel({
    id,
    processes,
    async command(signal) {
      const command = await commandOf(config, {
        env,
        processes,
        packages,
        lock,
        signal,
        onInstall: () => onPhase('install', config.package),
      });
      if ('message' in command) return command;
      // Before the scan: a scan of nothing would pass, and the reason would come last.
      const missing = await missingProgram(command, sandbox.cwd ?? base);
      if (missing !== undefined) return { message: missing };
      // Phases are reported before the work, so that a slow scan is visible.
      if (admission && config.admission !== 'open') onPhase('scan');
      const admitted = (await admission?.admit(id, config, command)) ?? command;
      if (!('message' in admitted)) onPhase('start');
      return admitted;
    },
    env: () => environmentOf(config, env),
    ...sandbox,
    onInvalidLine: (what) => onEvent('upstream.stderr', { source: id, problem: what }),
    onStderrLine: (line) => onEvent('upstream.stderr', { source: id, line }),
  });
}

/** What starting a package needs. */
interface PackageParts {
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
  readonly packages: string;
  readonly lock: PackageLock;
  readonly signal: AbortSignal | undefined;
  readonly onInstall: () => void;
}

/** The command line of a server; packages are installed first, with their exact version. */
async function commandOf(
  { command, runtime, args, package: packaged, sandbox }: McpConfig,
  { env, processes, packages, lock, signal, onInstall }: PackageParts,
): Promise<LaunchCommand | ChannelEnd> {
  if (command !== undefined) return { program: command, args };
  const manager = {
    processes,
    lock,
    signal,
    onInstall,
    install: installInJob,
    env: managerEnv(env),
    tier: sandbox.tier === 'none' ? 'none' : 'prlimit',
    ...(env['PATH'] !== undefined && { searchPath: env['PATH'] }),
  } as const;
  if (packaged !== undefined && runtime === 'npx')
    return npmCommand(packaged, args, { ...manager, folder: join(packages, 'npm') });
  if (packaged !== undefined) return uvCommand(packaged, args, { ...manager, folder: join(packages, 'pypi') });
  if (runtime === 'node') return { program: process.execPath, args };
  // `--init` reaps zombies, and `--rm` leaves no stopped container behind.
  if (runtime === 'docker') return { program: 'docker', args: ['run', '--rm', '-i', '--init', ...args] };
  return { program: 'python3', args };
}

/** Declared variables only; the environment of the gateway, with its secrets, is not inherited. */
function environmentOf(
  { env: declared, pass_env: passed, required_env: required }: McpConfig,
  env: NodeJS.ProcessEnv,
): { readonly values: Record<string, string>; readonly secrets: string[]; readonly missing: string[] } {
  const values: Record<string, string> = {};
  const secrets: string[] = [];
  const missing: string[] = [];
  // Only variables that the entry names are passed on.
  for (const name of passed) if (env[name] !== undefined) values[name] = env[name];
  for (const [name, text] of Object.entries<SecretText>(declared)) {
    const resolved = text.resolve(env);
    if (!resolved.ok) missing.push(...resolved.unset);
    else {
      values[name] = resolved.value;
      // The parts too: a server may print a token without the text around it.
      if (!text.isLiteral) secrets.push(resolved.value, ...text.storedValues());
    }
  }
  // An empty required variable counts as missing: servers fail later and less clearly.
  for (const name of required) if (values[name] === undefined || values[name] === '') missing.push(name);
  return { values, secrets, missing: [...new Set(missing)] };
}
