import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../core/json.js';
import { sha256 } from '../../../lib/hash.js';
import type { Processes } from '../../../processes/index.js';
import { fixedPath, resolveProgram } from '../../../processes/index.js';
import { isJsonObject } from '../../../wire/message.js';
import type { ChannelEnd } from '../channels/channel.js';
import { installOnce } from './install-once.js';
import type { LaunchCommand } from '../channels/local-channel.js';

/** Lock entry of one package: integrity hashes of the package and of all its dependencies. */
export interface LockedPackage {
  readonly integrity: string;
  /** The npm tree without URLs, or the hashes of all Python requirements; enough to install the same on another machine. */
  readonly packages: JsonObject;
}

/** The lock file. */
export interface PackageLock {
  get(name: string): LockedPackage | undefined;
  put(name: string, locked: LockedPackage): void;
}

/** How packages are installed. */
export interface PackageOptions {
  readonly processes: Pick<Processes, 'run'>;
  readonly folder: string;
  readonly lock: PackageLock;
  /** Environment of the package manager (registry, proxy); never passed on to the package. */
  readonly env: Readonly<Record<string, string>>;
  /** `PATH` of the gateway: uv is searched there last. */
  readonly searchPath?: string;
  /** Tier of the package manager; `prlimit` by default. */
  readonly tier?: 'prlimit' | 'none';
  readonly timeoutMs?: number;
  /** Runs an installation as a job that outlives this process; by default it runs here. */
  readonly install?: (request: InstallRequest, signal?: AbortSignal) => Promise<string | undefined>;
  /** Ends the wait for an installation. */
  readonly signal?: AbortSignal | undefined;
  /** Called before an installation that has to happen. */
  readonly onInstall?: () => void;
}

/** An installation, as plain data: another process can carry it out. */
export interface InstallRequest {
  readonly kind: 'npm' | 'pypi';
  readonly spec: string;
  /** Folder of the installed package, which exists once it is complete. */
  readonly folder: string;
  readonly cacheRoot: string;
  readonly expectedLock?: LockedPackage;
  readonly env: Readonly<Record<string, string>>;
  readonly searchPath?: string;
  readonly tier: 'prlimit' | 'none';
  readonly timeoutMs: number;
}

/** The request of a package's options. */
export const installRequest = (
  wanted: Pick<InstallRequest, 'kind' | 'spec' | 'folder'>,
  expectedLock: LockedPackage | undefined,
  { folder: cacheRoot, env, searchPath, tier = 'prlimit', timeoutMs = 300_000 }: PackageOptions,
): InstallRequest => ({
  ...wanted,
  cacheRoot,
  env,
  tier,
  timeoutMs,
  ...(expectedLock && { expectedLock }),
  ...(searchPath !== undefined && { searchPath }),
});

/** A name and an exact version; ranges and tags would change under the lock. */
const npmSpec = /^((?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+)@([0-9][A-Za-z0-9.+_-]*)$/i;

/** Splits `name@1.2.3`; undefined if the version is not exact. */
function parseNpmSpec(spec: string): { readonly name: string; readonly version: string } | undefined {
  const [, name, version] = npmSpec.exec(spec) ?? [];
  return name === undefined || version === undefined || name.includes('..') ? undefined : { name, version };
}

/**
 * Installs a package once, without install scripts, and returns how to start it. The resolved tree is recorded in the
 * lock at first use and compared with it later: a difference means the published package changed (supply-chain attack).
 */
export async function npmCommand(
  spec: string,
  args: readonly string[],
  options: PackageOptions,
): Promise<LaunchCommand | ChannelEnd> {
  const parts = parseNpmSpec(spec);
  if (!parts) return { message: `${spec} has no exact version` };
  // A slash of a scope would be a folder.
  const folder = join(options.folder, `${parts.name.replaceAll('/', '+')}@${parts.version}`);
  const expectedLock = options.lock.get(`npm:${spec}`);
  const request = installRequest({ kind: 'npm', spec, folder }, expectedLock, options);
  const problem = await installOnce(folder, () => {
    options.onInstall?.();
    return options.install?.(request, options.signal) ?? installNpm(request, options.processes);
  });
  if (problem !== undefined) return { message: problem };
  const locked = await readNpmLock(folder, parts.name);
  // Without integrity hashes a later change could not be found.
  if (!locked) return { message: `${spec} is installed without a record of its integrity` };
  if (expectedLock && treeDigest(expectedLock.packages) !== treeDigest(locked.packages))
    return { message: `${spec} is not the package that was locked` };
  if (!expectedLock) options.lock.put(`npm:${spec}`, locked);
  const bin = await findBin(join(folder, 'node_modules', parts.name), parts.name);
  return bin === undefined
    ? { message: `${spec} has no program to start` }
    : {
        program: process.execPath,
        args: [bin, ...args],
        readable: [folder],
        code: join(folder, 'node_modules', parts.name),
      };
}

/** Installs into a staging folder and renames it, so that the folder is complete or absent. */
export async function installNpm(
  { spec, folder, cacheRoot, expectedLock, env, tier, timeoutMs }: InstallRequest,
  processes: PackageOptions['processes'],
): Promise<string | undefined> {
  const { name, version } = parseNpmSpec(spec) ?? {};
  if (name === undefined || version === undefined) return `${spec} has no exact version`;
  const npm = await resolveProgram('npm');
  if (npm.kind === 'problem') return 'npm is not installed';
  // The process id keeps two installers apart.
  const stagingFolder = `${folder}.${process.pid}.new`;
  await mkdir(stagingFolder, { recursive: true, mode: 0o700 });
  const wanted = { dependencies: { [name]: version } };
  await writeFile(join(stagingFolder, 'package.json'), JSON.stringify({ private: true, ...wanted }));
  // With a lock, `npm ci` installs exactly its content or fails.
  if (expectedLock)
    await writeFile(
      join(stagingFolder, 'package-lock.json'),
      JSON.stringify({ lockfileVersion: 3, requires: true, packages: { '': wanted, ...expectedLock.packages } }),
    );
  try {
    const result = await processes.run(
      {
        file: npm.found,
        cwd: stagingFolder,
        tier,
        network: 'host',
        limits: { openFiles: 1024 },
        // Install scripts would run untrusted code outside the sandbox.
        args: [
          expectedLock ? 'ci' : 'install',
          '--ignore-scripts',
          '--no-audit',
          '--no-fund',
          '--prefix',
          stagingFolder,
        ],
        env: {
          PATH: fixedPath,
          npm_config_cache: join(cacheRoot, 'cache'),
          npm_config_update_notifier: 'false',
          ...env,
        },
      },
      { timeoutMs, maxStdoutBytes: 65_536, maxStderrBytes: 65_536, onCap: 'drain' },
    );
    if (result.kind === 'refused') return result.message;
    if (result.timedOut) return `npm could not install ${spec}: it did not end within ${timeoutMs / 1000} s`;
    // Warnings about the settings of the user would hide the error behind them.
    const errors = result.stderr.toString('utf8').replaceAll(/^npm warn .*\n?/gim, '');
    if (result.code !== 0) return `npm could not install ${spec}: ${errors.trim().slice(-300)}`;
    // Another process may have been faster; its folder is as good.
    if (!existsSync(folder)) await rename(stagingFolder, folder);
    return undefined;
  } finally {
    await rm(stagingFolder, { recursive: true, force: true });
  }
}

/** A JSON file that may be missing or broken. */
async function readJsonObject(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Lock entry of an installed tree; URLs are left out, because mirrors differ. */
async function readNpmLock(folder: string, name: string): Promise<LockedPackage | undefined> {
  const packages = (await readJsonObject(join(folder, 'node_modules/.package-lock.json')))?.['packages'];
  if (!isJsonObject(packages)) return undefined;
  const own = packages[`node_modules/${name}`];
  const integrity = isJsonObject(own) ? own['integrity'] : undefined;
  if (typeof integrity !== 'string') return undefined;
  const entries = Object.entries(packages).map(
    ([path, entry]) => [path, isJsonObject(entry) ? omitKey(entry, 'resolved') : entry] as const,
  );
  return { integrity, packages: Object.fromEntries(entries) };
}

/** A copy without one key. */
const omitKey = (entry: JsonObject, left: string): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => key !== left));

/** Digest over paths, versions and hashes, independent of their order. */
const treeDigest = (packages: JsonObject): string =>
  sha256(
    Object.entries(packages)
      .map(([path, entry]) =>
        isJsonObject(entry) ? `${path} ${String(entry['version'])} ${String(entry['integrity'])}` : path,
      )
      .sort()
      .join('\n'),
  );

/** Program of a package: the one named like it, else the first. */
async function findBin(folder: string, name: string): Promise<string | undefined> {
  const bin = (await readJsonObject(join(folder, 'package.json')))?.['bin'];
  const bins = isJsonObject(bin) ? bin : {};
  const short = name.slice(name.indexOf('/') + 1);
  const file = typeof bin === 'string' ? bin : (bins[short] ?? Object.values(bins)[0]);
  // Path traversal: `bin` must stay inside its package.
  if (typeof file !== 'string' || file.startsWith('/') || file.split('/').includes('..')) return undefined;
  return join(folder, file);
}
