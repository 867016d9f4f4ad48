import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { GuardedProfile, ProcessLimits, Tier } from '../../processes/index.js';
import type { McpConfig } from './config.js';

/** Sandbox of a local server, as its process is started. */
interface ServerSandbox {
  readonly tier: Tier;
  /** Set in the `guarded` profile. */
  readonly guarded?: GuardedProfile;
  readonly network: 'host' | 'none';
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly limits: ProcessLimits;
  readonly cwd?: string;
}

/** Tier, profile and network of an entry, with its defaults. */
interface SandboxChoice {
  readonly tier: Tier;
  readonly profile?: 'guarded' | 'strict';
  readonly network: 'host' | 'none';
}

/**
 * Applies the defaults: `bwrap` with the `guarded` profile. In earlier versions `tier: bwrap` showed only
 * listed folders and no network; alone it stays `strict`, since an update must not widen a sandbox.
 */
export function sandboxChoice(sandbox: McpConfig['sandbox']): SandboxChoice {
  const { tier = 'bwrap', network, profile = sandbox.tier === undefined ? 'guarded' : 'strict' } = sandbox;
  if (tier !== 'bwrap') return { tier, network: network ?? 'host' };
  return { tier, profile, network: network ?? (profile === 'strict' ? 'none' : 'host') };
}

/** One line about the sandbox of an entry, for listings. */
export function describeSandbox(sandbox: McpConfig['sandbox']): string {
  const { tier, profile, network } = sandboxChoice(sandbox);
  if (tier === 'none') return 'unsandboxed';
  if (tier === 'prlimit') return 'resource limits only (prlimit): it can read your files and the token of the gateway';
  return `${tier} ${profile}, ${network === 'host' ? 'host network' : 'no network'}`;
}

/** Settings of the process of a local server; paths are relative to the configuration, `~` is the home of the user. */
export function serverSandbox(config: McpConfig, base: string, env: NodeJS.ProcessEnv): ServerSandbox {
  const { sandbox } = config;
  const { tier, profile, network } = sandboxChoice(sandbox);
  const home = env['HOME'] ?? homedir();
  const path = (given: string): string =>
    given === '~' || given.startsWith('~/') ? join(home, given.slice(1)) : resolve(base, given);
  const [readable, writable] = [sandbox.readable.map(path), sandbox.writable.map(path)];
  const isVisible = (folder: string): boolean =>
    profile !== 'strict' ||
    [...readable, ...writable].some((listed) => `${folder}/`.startsWith(`${listed}/`.replace('//', '/')));
  const cwd = config.cwd !== undefined ? path(config.cwd) : isVisible(base) ? base : undefined;
  return {
    tier,
    network,
    readable: cwd === undefined || isVisible(cwd) ? readable : [...readable, cwd],
    writable,
    ...(profile === 'guarded' && {
      guarded: {
        masked: sandbox.masked.map(path),
        unmasked: [...sandbox.unmasked.map(path), ...containerSockets(config, home, env)],
      },
    }),
    limits: {
      openFiles: sandbox.open_files,
      ...(sandbox.memory_mb !== undefined && { memoryBytes: sandbox.memory_mb * mebibyte }),
      ...(sandbox.cpu_seconds !== undefined && { cpuSeconds: sandbox.cpu_seconds }),
      ...(sandbox.processes !== undefined && { processes: sandbox.processes }),
      ...(sandbox.tmp_mb !== undefined && { tmpBytes: sandbox.tmp_mb * mebibyte }),
    },
    ...(cwd !== undefined && { cwd }),
  };
}

const mebibyte = 1024 * 1024;

/**
 * Sockets and settings of the Docker client, for an entry that runs it: the server is then the container. Any other program
 * with this socket could start a container that mounts the whole machine.
 */
function containerSockets({ runtime, command }: McpConfig, home: string, env: NodeJS.ProcessEnv): readonly string[] {
  if (runtime !== 'docker' && !/^(?:docker|podman)$/.test(basename(command ?? ''))) return [];
  const runtimeFolder = env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`;
  return [
    '/run/docker.sock',
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
    join(runtimeFolder, 'docker.sock'),
    join(runtimeFolder, 'podman/podman.sock'),
    env['DOCKER_CONFIG'] ?? join(home, '.docker'),
    join(home, '.config/containers'),
  ];
}
