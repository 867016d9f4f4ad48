import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../core/json.js';
import { canonicalJson } from '../../../lib/json/canonical-json.js';
import { sha256 } from '../../../lib/hash.js';
import { fixedPath, resolveProgram } from '../../../processes/index.js';
import { isJsonObject } from '../../../wire/message.js';
import type { ChannelEnd } from '../channels/channel.js';
import { findUv } from './find-uv.js';
import { installOnce } from './install-once.js';
import { installRequest, type InstallRequest, type LockedPackage, type PackageOptions } from './npm-package.js';
import type { LaunchCommand } from '../channels/local-channel.js';

/** A name with optional extras and an exact version. */
const pythonSpec = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[A-Za-z0-9,_-]+\])?==([0-9][A-Za-z0-9.!+_-]*)$/;
/** A line of a requirements file: exact version and optional markers, no URLs and no options. */
const requirementPattern =
  /^([A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9,_-]+\])?==[A-Za-z0-9.!+_-]+(?: ?; ?[A-Za-z0-9_ .,'"()<>=!~+-]+)?)$/;
/** A hash of one file of a package. */
const fileHash = /^--hash=(sha256:[0-9a-f]{64})$/;

/** Runs the entry point of a package from its folder; the working directory is not on sys.path. */
const bootstrap = [
  'import sys',
  'lib, module, attribute, name = sys.argv[1:5]',
  'sys.path[:] = [lib] + [place for place in sys.path if place]',
  'sys.argv[:] = [name] + sys.argv[5:]',
  'from importlib import import_module',
  'target = import_module(module)',
  'for part in attribute.split("."): target = getattr(target, part)',
  'sys.exit(target())',
].join('\n');

/**
 * Installs a Python package once with uv, from wheels only so that no build code runs, and returns how to start it. The
 * hashes of all requirements are recorded in the lock at first use; a later difference rejects the start.
 */
export async function uvCommand(
  spec: string,
  args: readonly string[],
  options: PackageOptions,
): Promise<LaunchCommand | ChannelEnd> {
  const [, name, version] = pythonSpec.exec(spec) ?? [];
  if (name === undefined || version === undefined) return { message: `${spec} has no exact version` };
  const folder = join(options.folder, spec.replaceAll(/[^A-Za-z0-9._=+-]/g, '+'));
  const expectedLock = options.lock.get(`pypi:${spec}`);
  const request = installRequest({ kind: 'pypi', spec, folder }, expectedLock, options);
  const problem = await installOnce(folder, () => {
    options.onInstall?.();
    return options.install?.(request, options.signal) ?? installPython(request, options.processes);
  });
  if (problem !== undefined) return { message: problem };
  const locked = await readPythonLock(folder);
  if (!locked) return { message: `${spec} is installed without a record of its integrity` };
  if (expectedLock && canonicalJson(expectedLock.packages) !== canonicalJson(locked.packages))
    return { message: `${spec} is not the package that was locked` };
  const lib = join(folder, 'lib');
  const entry = await findEntryPoint(lib, name);
  if (!entry) return { message: `${spec} has no program to start` };
  const code = [entry.top, `${entry.top}.py`].map((place) => join(lib, place)).find((place) => existsSync(place));
  if (!expectedLock) options.lock.put(`pypi:${spec}`, locked);
  return {
    program: 'python3',
    // -s: packages of the user must not shadow those of the server.
    args: ['-s', '-c', bootstrap, lib, entry.module, entry.attribute, entry.script, ...args],
    readable: [folder],
    ...(code !== undefined && { code }),
  };
}

/** Installs into a staging folder and renames it, so that the folder is complete or absent. */
export async function installPython(
  { spec, folder, cacheRoot, expectedLock, env, searchPath, tier, timeoutMs }: InstallRequest,
  processes: PackageOptions['processes'],
): Promise<string | undefined> {
  const [uv, python] = [await findUv(env, searchPath), await resolveProgram('python3')];
  if (uv.kind === 'problem') return uv.message;
  if (python.kind === 'problem') return 'python3 is not installed';
  const stagingFolder = `${folder}.${process.pid}.new`;
  // Both steps run with the same limits.
  const run = async (args: readonly string[]): Promise<string | undefined> => {
    const result = await processes.run(
      {
        file: uv.found,
        cwd: stagingFolder,
        tier,
        network: 'host',
        limits: { openFiles: 1024 },
        // Wheels only: building a source distribution would run untrusted code outside the sandbox.
        args: [
          'pip',
          ...args,
          '--no-build',
          '--no-config',
          '--quiet',
          '--python',
          python.found,
          '--cache-dir',
          join(cacheRoot, 'cache'),
        ],
        env: { PATH: fixedPath, ...env },
      },
      { timeoutMs, maxStdoutBytes: 65_536, maxStderrBytes: 65_536, onCap: 'drain' },
    );
    if (result.kind === 'refused') return result.message;
    return result.code === 0
      ? undefined
      : `uv could not install ${spec}: ${result.stderr.toString('utf8').trim().slice(-300)}`;
  };
  try {
    await mkdir(stagingFolder, { recursive: true, mode: 0o700 });
    const list = join(stagingFolder, 'requirements.txt');
    let packages = expectedLock?.packages;
    if (packages === undefined) {
      await writeFile(join(stagingFolder, 'wanted.txt'), `${spec}\n`);
      const failed = await run([
        'compile',
        'wanted.txt',
        // For all platforms, so that the lock works on other machines, too.
        '--universal',
        '--generate-hashes',
        '--no-header',
        '--no-annotate',
        '--output-file',
        list,
      ]);
      if (failed !== undefined) return failed;
      packages = parseRequirements(await readFile(list, 'utf8'));
      if (packages === undefined) return `${spec} has a dependency that is not a package of the index`;
    }
    const text = formatRequirements(packages);
    // Argument injection: a tampered lock file could hold uv options in place of names.
    if (parseRequirements(text) === undefined) return `the lock entry of ${spec} is not valid`;
    await writeFile(list, text);
    const failed = await run([
      'install',
      '--target',
      join(stagingFolder, 'lib'),
      // Hashes are required for every file; --no-deps, because the list is complete.
      '--require-hashes',
      '--no-deps',
      '--link-mode',
      'copy',
      '--requirement',
      list,
    ]);
    if (failed !== undefined) return failed;
    await writeFile(join(stagingFolder, 'locked.json'), JSON.stringify(packages));
    if (!existsSync(folder)) await rename(stagingFolder, folder);
    return undefined;
  } finally {
    await rm(stagingFolder, { recursive: true, force: true });
  }
}

/** Parses requirements with their file hashes; undefined if any line is something else, such as a URL. */
export function parseRequirements(text: string): JsonObject | undefined {
  const found: Record<string, string[]> = {};
  let current: string[] | undefined;
  for (const line of text
    .split('\n')
    .map((line) => line.replace(/\\$/, '').trim())
    .filter((line) => line !== '')) {
    const hash = fileHash.exec(line)?.[1];
    const wanted = requirementPattern.exec(line)?.[1];
    if (hash !== undefined && current) current.push(hash);
    else if (wanted !== undefined) found[wanted] = current = [];
    else return undefined;
  }
  // A requirement without a hash is not pinned.
  return Object.values(found).every((hashes) => hashes.length > 0) ? found : undefined;
}

/** Requirements in the form that uv reads. */
const formatRequirements = (packages: JsonObject): string =>
  Object.entries(packages)
    .map(([wanted, hashes]) =>
      [wanted, ...(Array.isArray(hashes) ? hashes : []).map((hash) => `--hash=${String(hash)}`)].join(' \\\n    '),
    )
    .join('\n')
    .concat('\n');

/** Lock entry of an installed package. */
async function readPythonLock(folder: string): Promise<LockedPackage | undefined> {
  try {
    const packages: unknown = JSON.parse(await readFile(join(folder, 'locked.json'), 'utf8'));
    return isJsonObject(packages) ? { integrity: `sha256-${sha256(canonicalJson(packages))}`, packages } : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the console script of a package: the one named like the package, else the first. */
async function findEntryPoint(
  lib: string,
  name: string,
): Promise<
  { readonly script: string; readonly module: string; readonly attribute: string; readonly top: string } | undefined
> {
  // Names are compared as PEP 503 normalises them.
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, '_');
  const info = (await readdir(lib)).find(
    (line) =>
      line.endsWith('.dist-info') && plain(line.slice(0, line.lastIndexOf('-', line.length - 11))) === plain(name),
  );
  const text = info === undefined ? '' : await readFile(join(lib, info, 'entry_points.txt'), 'utf8').catch(() => '');
  const section = /\[console_scripts\]([^[]*)/.exec(text)?.[1] ?? '';
  const scripts = [...section.matchAll(/^\s*([A-Za-z0-9._-]+)\s*=\s*([\w.]+)\s*:\s*([\w.]+)/gm)].map(
    ([, script = '', module = '', attribute = '']) => ({ script, module, attribute, top: module.split('.')[0] ?? '' }),
  );
  return scripts.find(({ script }) => plain(script) === plain(name)) ?? scripts[0];
}
