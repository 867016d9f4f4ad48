import { constants } from 'node:fs';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { tarEntries } from './tar.js';
import { zipEntries } from './zip.js';

/** One file of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly data: Uint8Array;
}

/** Limits against decompression bombs. */
export interface ArchiveLimits {
  readonly maxArchiveBytes: number;
  readonly maxTotalBytes: number;
  readonly maxFiles: number;
}

/** Bounds that every package of npm and PyPI of reasonable size passes. */
export const defaultArchiveLimits: ArchiveLimits = {
  maxArchiveBytes: 200_000_000,
  maxTotalBytes: 500_000_000,
  maxFiles: 30_000,
};

/** The reason why an archive was not unpacked. */
export type UnpackFailure = { readonly refused: string };

/** Unpacks a .tgz, .tar.gz, .whl or .zip into an empty folder; skips links and rejects entries that leave the folder (Zip Slip). */
export async function unpack(
  archive: string,
  into: string,
  limits: ArchiveLimits = defaultArchiveLimits,
): Promise<{ readonly files: number } | UnpackFailure> {
  if ((await stat(archive)).size > limits.maxArchiveBytes) return { refused: 'the archive is too large' };
  const bytes = await readFile(archive);
  const read = readArchive(bytes, limits);
  if ('refused' in read) return read;
  let files = 0;
  for (const { name, data } of read.entries) {
    const target = safeTarget(into, name);
    // One bad entry rejects the whole archive: it was built to attack unpackers.
    if (target === undefined)
      return { refused: `an entry is outside the target folder: ${JSON.stringify(name.slice(0, 200))}` };
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // O_EXCL: with duplicate names, other unpackers may use another entry than the one scanned here.
    const handle = await open(
      target,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    ).catch(() => undefined);
    if (!handle) continue;
    await handle.writeFile(data);
    await handle.close();
    files += 1;
  }
  return { files };
}

/** The target path of an entry, or undefined if its name escapes the folder (path traversal). */
export function safeTarget(into: string, name: string): string | undefined {
  // Backslashes and drive letters are separators on Windows only, so an archive could mean different paths.
  if (
    name.includes('\0') ||
    name.includes('\\') ||
    name.startsWith('/') ||
    /^[A-Za-z]:/.test(name) ||
    name.length > 1_000
  )
    return undefined;
  const clean = posix.normalize(name);
  if (clean === '.' || clean === '..' || clean.startsWith('../')) return undefined;
  return join(into, clean.split('/').join(sep));
}

/** Recognises the format by its first bytes, not by the name of the file. */
function readArchive(
  bytes: Uint8Array,
  limits: ArchiveLimits,
): { readonly entries: readonly ArchiveEntry[] } | UnpackFailure {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return zipEntries(bytes, limits);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return { refused: 'it is not a gzip or zip archive' };
  try {
    // Bounded while unpacking, not afterwards (decompression bomb).
    return tarEntries(gunzipSync(bytes, { maxOutputLength: limits.maxTotalBytes }), limits);
  } catch (error) {
    return {
      refused:
        error instanceof RangeError ||
        (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
          ? 'its unpacked size exceeds the limit'
          : 'it is corrupt',
    };
  }
}
