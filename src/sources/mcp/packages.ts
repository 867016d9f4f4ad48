import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../core/json.js';
import { sha256 } from '../../lib/hash.js';
import type { Processes } from '../../processes/index.js';
import { fixedPath, resolveProgram } from '../../processes/index.js';
import { isObject } from '../../wire/message.js';
import type { Ended } from './channel.js';
import { installed } from './installs.js';
import type { Command } from './plugin.js';

/** What was locked for one package: exactly these bytes, its own and those of everything it needs. */
export interface Locked {
  readonly integrity: string;
  /** The whole tree as npm writes it without addresses, or the hashes of all that a Python package needs: another machine installs the same from it. */
  readonly packages: JsonObject;
}

/** Where locked packages are written down. */
export interface PackageLock {
  get(name: string): Locked | undefined;
  put(name: string, locked: Locked): void;
}

export interface PackageOptions {
  readonly processes: Pick<Processes, 'run'>;
  readonly folder: string;
  readonly lock: PackageLock;
  /** What the package manager itself may know: its registry, its proxy. The package gets none of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const versioned = /^((?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+)@([0-9][A-Za-z0-9.+_-]*)$/i;

/** Name and version of `name@1.2.3`; undefined where it is not that. */
export function nameAndVersion(spec: string): { readonly name: string; readonly version: string } | undefined {
  const [, name, version] = versioned.exec(spec) ?? [];
  return name === undefined || version === undefined || name.includes('..') ? undefined : { name, version };
}

/**
 * Installs a package once, without running any script of it, and says how to start it. What npm resolved is held against
 * the lock: the first time it is written down, later a difference refuses the start.
 */
export async function npmCommand(
  spec: string,
  args: readonly string[],
  options: PackageOptions,
): Promise<Command | Ended> {
  const parts = nameAndVersion(spec);
  if (!parts) return { message: `${spec} names no exact version` };
  const folder = join(options.folder, `${parts.name.replaceAll('/', '+')}@${parts.version}`);
  const known = options.lock.get(`npm:${spec}`);
  const problem = await installed(folder, () => install(parts, folder, known, options));
  if (problem !== undefined) return { message: problem };
  const locked = await lockedOf(folder, parts.name);
  if (!locked) return { message: `${spec} is installed without a record of its integrity` };
  if (known && treeOf(known.packages) !== treeOf(locked.packages))
    return { message: `${spec} is not the package that was locked` };
  if (!known) options.lock.put(`npm:${spec}`, locked);
  const bin = await binOf(join(folder, 'node_modules', parts.name), parts.name);
  return bin === undefined
    ? { message: `${spec} has no program to start` }
    : {
        program: process.execPath,
        args: [bin, ...args],
        readable: [folder],
        code: join(folder, 'node_modules', parts.name),
      };
}

async function install(
  { name, version }: { readonly name: string; readonly version: string },
  folder: string,
  known: Locked | undefined,
  { processes, folder: above, env, timeoutMs = 300_000 }: PackageOptions,
): Promise<string | undefined> {
  const spec = `${name}@${version}`;
  const npm = await resolveProgram('npm');
  if (npm.kind === 'problem') return 'npm is not installed';
  const fresh = `${folder}.${process.pid}.new`;
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  const wanted = { dependencies: { [name]: version } };
  await writeFile(join(fresh, 'package.json'), JSON.stringify({ private: true, ...wanted }));
  // With a lock, npm takes exactly what is in it or fails.
  if (known)
    await writeFile(
      join(fresh, 'package-lock.json'),
      JSON.stringify({ lockfileVersion: 3, requires: true, packages: { '': wanted, ...known.packages } }),
    );
  try {
    const result = await processes.run(
      {
        file: npm.found,
        cwd: fresh,
        tier: 'prlimit',
        network: 'host',
        limits: { openFiles: 1024 },
        // Scripts of packages would be code of strangers outside any sandbox.
        args: [known ? 'ci' : 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', fresh],
        env: { PATH: fixedPath, npm_config_cache: join(above, 'cache'), npm_config_update_notifier: 'false', ...env },
      },
      { timeoutMs, maxStdoutBytes: 65_536, maxStderrBytes: 65_536, onCap: 'drain' },
    );
    if (result.kind === 'refused') return result.message;
    if (result.code !== 0) return `npm could not install ${spec}: ${result.stderr.toString('utf8').trim().slice(-300)}`;
    if (!existsSync(folder)) await rename(fresh, folder);
    return undefined;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function json(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function lockedOf(folder: string, name: string): Promise<Locked | undefined> {
  const packages = (await json(join(folder, 'node_modules/.package-lock.json')))?.['packages'];
  if (!isObject(packages)) return undefined;
  const own = packages[`node_modules/${name}`];
  const integrity = isObject(own) ? own['integrity'] : undefined;
  if (typeof integrity !== 'string') return undefined;
  const kept = Object.entries(packages).map(
    ([path, entry]) => [path, isObject(entry) ? without(entry, 'resolved') : entry] as const,
  );
  return { integrity, packages: Object.fromEntries(kept) };
}

const without = (entry: JsonObject, left: string): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => key !== left));

const treeOf = (packages: JsonObject): string =>
  sha256(
    Object.entries(packages)
      .map(([path, entry]) =>
        isObject(entry) ? `${path} ${String(entry['version'])} ${String(entry['integrity'])}` : path,
      )
      .sort()
      .join('\n'),
  );

async function binOf(folder: string, name: string): Promise<string | undefined> {
  const bin = (await json(join(folder, 'package.json')))?.['bin'];
  const bins = isObject(bin) ? bin : {};
  const short = name.slice(name.indexOf('/') + 1);
  const file = typeof bin === 'string' ? bin : (bins[short] ?? Object.values(bins)[0]);
  // A bin outside its package would be somebody else's file.
  if (typeof file !== 'string' || file.startsWith('/') || file.split('/').includes('..')) return undefined;
  return join(folder, file);
}
