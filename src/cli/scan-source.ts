import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpack } from '../scanner/archives/unpack.js';
import { download, packageOf } from './package-download.js';

/** What to scan: a place on this disk, and how to tidy up after it. */
export type Source = { readonly path: string; dispose(): Promise<void> } | { readonly refused: string };

/** What whoever waits may do and hear while a package comes. */
export interface Waiting {
  readonly signal: AbortSignal;
  readonly onProgress?: ((doing: string) => void) | undefined;
}

const archive = /\.(?:tgz|tar\.gz|whl|zip)$/i;

/** Finds what was asked for; packages are downloaded by name and version, without running anything of theirs. */
export async function sourceOf(given: string, waiting: Waiting): Promise<Source> {
  if (given.startsWith('npm:') || given.startsWith('pypi:')) return downloaded(given, waiting);
  const stat = await lstat(given).catch(() => undefined);
  if (!stat) return { refused: `there is no ${JSON.stringify(given)}` };
  return stat.isFile() && archive.test(given) ? unpacked(given) : { path: given, dispose: async () => undefined };
}

async function unpacked(file: string, outer?: string): Promise<Source> {
  const folder = outer ?? (await scratch());
  const into = join(folder, 'source');
  const made = await unpack(file, into);
  if (!('refused' in made)) return { path: into, dispose: () => remove(folder) };
  await remove(folder);
  return { refused: `cannot unpack ${JSON.stringify(file)}: ${made.refused}` };
}

async function downloaded(spec: string, { signal, onProgress }: Waiting): Promise<Source> {
  const wanted = packageOf(spec);
  if (!wanted)
    return { refused: `${JSON.stringify(spec)} is no package; write npm:name@version or pypi:name==version` };
  const folder = await scratch();
  onProgress?.(`downloading ${spec}`);
  const failed = await download(wanted, folder, signal);
  const file = failed ? undefined : (await readdir(folder)).find((name) => archive.test(name));
  if (file !== undefined) return unpacked(join(folder, file), folder);
  await remove(folder);
  return failed ?? { refused: `${spec} came without an archive` };
}

function scratch(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'toolgate-scan-'));
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
