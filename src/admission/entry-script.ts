import { open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Bytes that are read to recognise a launcher. */
const headBytes = 4_096;
/** Whether a path is a file, after links. */
const isRegularFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() === true;
/** Whether a path is a folder, after links. */
const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** Script that an interpreter would run: the first argument that is a file, or the module after `-m`. */
export async function scriptFromArgs(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string | undefined> {
  for (const [at, word] of args.entries()) {
    if (word === '-m') return findModule(args[at + 1] ?? '', program, cwd);
    // Options are skipped; their values may be taken for the script, which only widens the scan.
    if (!word.startsWith('-') && (await isRegularFile(resolve(cwd, word)))) return resolve(cwd, word);
  }
  return undefined;
}

/** Package behind a launcher script, found by its shebang line and imports. */
export async function scriptFromShebang(program: string): Promise<string | undefined> {
  // A relative name would be resolved against the working directory of the gateway.
  const real = !program.startsWith('/') ? undefined : await realpath(program).catch(() => undefined);
  const head = real === undefined ? '' : await readHead(real);
  const [first = ''] = head.split('\n');
  if (real === undefined || !first.startsWith('#!')) return undefined;
  // npm links launchers to a file of the package; the package is what is scanned.
  if (/\bnode\b/.test(first)) return (await findPackageFolder(real)) ?? real;
  const module = /python/.test(first) ? /^\s*from\s+(\w+)[\w.]*\s+import\s/m.exec(head)?.[1] : undefined;
  return module === undefined ? undefined : findInstalledModule(module, program);
}

/** A module given with -m, in the working directory or installed. */
async function findModule(module: string, program: string, cwd: string): Promise<string | undefined> {
  // The name becomes a path, so that only identifiers are accepted (path traversal).
  if (!/^\w+(?:\.\w+)*$/.test(module)) return undefined;
  const path = module.replaceAll('.', '/');
  for (const place of [`${path}.py`, join(path, '__main__.py')])
    if (await isRegularFile(resolve(cwd, place))) return resolve(cwd, place);
  return program.startsWith('/') ? findInstalledModule(module.split('.')[0] ?? '', program) : undefined;
}

/** Finds a module in the virtual environment of a program. */
async function findInstalledModule(module: string, program: string): Promise<string | undefined> {
  const lib = join(dirname(dirname(program)), 'lib');
  const versions = (await readdir(lib).catch(() => [])).filter((name) => /^python\d/.test(name));
  for (const version of versions) {
    const place = join(lib, version, 'site-packages', module);
    if (await isFolder(place)) return place;
    if (await isRegularFile(`${place}.py`)) return `${place}.py`;
  }
  return undefined;
}

/** Folder of the npm package that contains a file. */
async function findPackageFolder(file: string): Promise<string | undefined> {
  let folder = dirname(file);
  // Launchers are few levels below their package.
  for (let up = 0; up < 4 && folder !== dirname(folder); up += 1, folder = dirname(folder)) {
    if (/\/node_modules\/(?:@[^/]+\/)?[^/]+$/.test(folder)) return folder;
  }
  return undefined;
}

/** The first bytes of a file; empty if it cannot be read. */
async function readHead(path: string): Promise<string> {
  const handle = await open(path).catch(() => undefined);
  if (!handle) return '';
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
