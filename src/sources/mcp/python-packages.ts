import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../core/json.js';
import { canonicalJson } from '../../lib/canonical-json.js';
import { sha256 } from '../../lib/hash.js';
import { fixedPath, resolveProgram } from '../../processes/index.js';
import { isObject } from '../../wire/message.js';
import type { Ended } from './channel.js';
import { installed } from './installs.js';
import type { Locked, PackageOptions } from './packages.js';
import type { Command } from './plugin.js';

const versioned = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[A-Za-z0-9,_-]+\])?==([0-9][A-Za-z0-9.!+_-]*)$/;
const requirement =
  /^([A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9,_-]+\])?==[A-Za-z0-9.!+_-]+(?: ?; ?[A-Za-z0-9_ .,'"()<>=!~+-]+)?)$/;
const fileHash = /^--hash=(sha256:[0-9a-f]{64})$/;

/** Runs the entry point of a package from its folder, and nothing that lies in the working directory. */
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
 * Installs a Python package once with uv, from wheels alone so that nothing of it is run, and says how to start it. The
 * hashes of all that it needs are held against the lock: the first time they are written down, later a difference refuses the start.
 */
export async function uvCommand(
  spec: string,
  args: readonly string[],
  options: PackageOptions,
): Promise<Command | Ended> {
  const [, name, version] = versioned.exec(spec) ?? [];
  if (name === undefined || version === undefined) return { message: `${spec} names no exact version` };
  const folder = join(options.folder, spec.replaceAll(/[^A-Za-z0-9._=+-]/g, '+'));
  const known = options.lock.get(`pypi:${spec}`);
  const problem = await installed(folder, () => install(spec, folder, known, options));
  if (problem !== undefined) return { message: problem };
  const locked = await lockedOf(folder);
  if (!locked) return { message: `${spec} is installed without a record of its integrity` };
  if (known && canonicalJson(known.packages) !== canonicalJson(locked.packages))
    return { message: `${spec} is not the package that was locked` };
  const lib = join(folder, 'lib');
  const entry = await entryOf(lib, name);
  if (!entry) return { message: `${spec} has no program to start` };
  const code = [entry.top, `${entry.top}.py`].map((place) => join(lib, place)).find((place) => existsSync(place));
  if (!known) options.lock.put(`pypi:${spec}`, locked);
  return {
    program: 'python3',
    args: ['-s', '-c', bootstrap, lib, entry.module, entry.attribute, entry.script, ...args],
    readable: [folder],
    ...(code !== undefined && { code }),
  };
}

async function install(
  spec: string,
  folder: string,
  known: Locked | undefined,
  { processes, folder: above, env, timeoutMs = 300_000 }: PackageOptions,
): Promise<string | undefined> {
  const [uv, python] = [await findUv(env), await resolveProgram('python3')];
  if (uv === undefined)
    return 'uv is not installed where it can be trusted; install it for everybody, or set UV to its path';
  if (python.kind === 'problem') return 'python3 is not installed';
  const fresh = `${folder}.${process.pid}.new`;
  const run = async (args: readonly string[]): Promise<string | undefined> => {
    const result = await processes.run(
      {
        file: uv,
        cwd: fresh,
        tier: 'prlimit',
        network: 'host',
        limits: { openFiles: 1024 },
        // Only wheels: to build a source distribution would run code of strangers outside any sandbox.
        args: [
          'pip',
          ...args,
          '--no-build',
          '--no-config',
          '--quiet',
          '--python',
          python.found,
          '--cache-dir',
          join(above, 'cache'),
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
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    const list = join(fresh, 'requirements.txt');
    let packages = known?.packages;
    if (packages === undefined) {
      await writeFile(join(fresh, 'wanted.txt'), `${spec}\n`);
      const failed = await run([
        'compile',
        'wanted.txt',
        '--universal',
        '--generate-hashes',
        '--no-header',
        '--no-annotate',
        '--output-file',
        list,
      ]);
      if (failed !== undefined) return failed;
      packages = requirementsIn(await readFile(list, 'utf8'));
      if (packages === undefined) return `${spec} needs something that is no package of the index`;
    }
    const text = requirementsOf(packages);
    // A lock file could hold options of uv where names belong.
    if (requirementsIn(text) === undefined) return `the lock of ${spec} cannot be read`;
    await writeFile(list, text);
    const failed = await run([
      'install',
      '--target',
      join(fresh, 'lib'),
      '--require-hashes',
      '--no-deps',
      '--link-mode',
      'copy',
      '--requirement',
      list,
    ]);
    if (failed !== undefined) return failed;
    await writeFile(join(fresh, 'locked.json'), JSON.stringify(packages));
    if (!existsSync(folder)) await rename(fresh, folder);
    return undefined;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** uv where an administrator put it, where the environment says, or where its own installer puts it. */
async function findUv(env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const places = [env['UV'], 'uv', env['HOME'] === undefined ? undefined : join(env['HOME'], '.local/bin/uv')];
  for (const place of places) {
    const found = place === undefined || place === '' ? undefined : await resolveProgram(place);
    if (found?.kind === 'program') return found.found;
  }
  return undefined;
}

/** Each requirement with the hashes of its files; undefined where a line is anything else, such as an address. */
export function requirementsIn(text: string): JsonObject | undefined {
  const found: Record<string, string[]> = {};
  let current: string[] | undefined;
  for (const line of text
    .split('\n')
    .map((each) => each.replace(/\\$/, '').trim())
    .filter((each) => each !== '')) {
    const hash = fileHash.exec(line)?.[1];
    const wanted = requirement.exec(line)?.[1];
    if (hash !== undefined && current) current.push(hash);
    else if (wanted !== undefined) found[wanted] = current = [];
    else return undefined;
  }
  return Object.values(found).every((hashes) => hashes.length > 0) ? found : undefined;
}

const requirementsOf = (packages: JsonObject): string =>
  Object.entries(packages)
    .map(([wanted, hashes]) =>
      [wanted, ...(Array.isArray(hashes) ? hashes : []).map((hash) => `--hash=${String(hash)}`)].join(' \\\n    '),
    )
    .join('\n')
    .concat('\n');

async function lockedOf(folder: string): Promise<Locked | undefined> {
  try {
    const packages: unknown = JSON.parse(await readFile(join(folder, 'locked.json'), 'utf8'));
    return isObject(packages) ? { integrity: `sha256-${sha256(canonicalJson(packages))}`, packages } : undefined;
  } catch {
    return undefined;
  }
}

/** The program of a package: the one of its own name, else its first. */
async function entryOf(
  lib: string,
  name: string,
): Promise<
  { readonly script: string; readonly module: string; readonly attribute: string; readonly top: string } | undefined
> {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, '_');
  const info = (await readdir(lib)).find(
    (each) =>
      each.endsWith('.dist-info') && plain(each.slice(0, each.lastIndexOf('-', each.length - 11))) === plain(name),
  );
  const text = info === undefined ? '' : await readFile(join(lib, info, 'entry_points.txt'), 'utf8').catch(() => '');
  const section = /\[console_scripts\]([^[]*)/.exec(text)?.[1] ?? '';
  const scripts = [...section.matchAll(/^\s*([A-Za-z0-9._-]+)\s*=\s*([\w.]+)\s*:\s*([\w.]+)/gm)].map(
    ([, script = '', module = '', attribute = '']) => ({ script, module, attribute, top: module.split('.')[0] ?? '' }),
  );
  return scripts.find(({ script }) => plain(script) === plain(name)) ?? scripts[0];
}
