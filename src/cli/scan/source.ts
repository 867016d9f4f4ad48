import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpack } from '../../scanner/archives/unpack.js';
import { download, packageOf } from './package-download.js';

/** A local path to scan, with a function that removes temporary files. */
type Source = { readonly path: string; dispose(): Promise<void> } | { readonly refused: string };

/** Cancellation and progress of a download. */
interface SourceOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((doing: string) => void) | undefined;
}

/** Archives that can be unpacked; anything else is scanned as it is. */
const archiveName = /\.(?:tgz|tar\.gz|whl|zip)$/i;

/** Resolves a folder, file, archive or package name; packages are downloaded without running their scripts. */
export async function resolveSource(given: string, waiting: SourceOptions): Promise<Source> {
  if (given.startsWith('npm:') || given.startsWith('pypi:')) return downloadPackage(given, waiting);
  // lstat, so that a dangling link is reported instead of followed.
  const stat = await lstat(given).catch(() => undefined);
  if (!stat) return { refused: `${JSON.stringify(given)}: no such file or folder` };
  return stat.isFile() && archiveName.test(given)
    ? unpackArchive(given)
    : { path: given, dispose: async () => undefined };
}

/** Unpacks into a temporary folder; `outer` is the folder of a download, which is removed together with it. */
async function unpackArchive(file: string, outer?: string): Promise<Source> {
  const folder = outer ?? (await makeTempFolder());
  const into = join(folder, 'source');
  const made = await unpack(file, into);
  if (!('refused' in made)) return { path: into, dispose: () => removeFolder(folder) };
  // A refused archive may be half unpacked.
  await removeFolder(folder);
  return { refused: `cannot unpack ${JSON.stringify(file)}: ${made.refused}` };
}

async function downloadPackage(spec: string, { signal, onProgress }: SourceOptions): Promise<Source> {
  const wanted = packageOf(spec);
  if (!wanted)
    return { refused: `${JSON.stringify(spec)} is not a valid package; use npm:name@version or pypi:name==version` };
  const folder = await makeTempFolder();
  onProgress?.(`downloading ${spec}`);
  const failed = await download(wanted, folder, signal);
  const file = failed ? undefined : (await readdir(folder)).find((name) => archiveName.test(name));
  if (file !== undefined) return unpackArchive(join(folder, file), folder);
  await removeFolder(folder);
  return failed ?? { refused: `the download of ${spec} contains no archive` };
}

/** Temporary folder with a random name and mode 0700, which other users cannot predict or enter. */
function makeTempFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'toolgate-scan-'));
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
