import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../lib/hash.js';
import { lru } from '../lib/lru.js';
import { walkFiles } from '../scanner/project/walk.js';

/** Bounds of a server's code; larger folders are no servers. */
const walkLimits = { maxFiles: 5_000, maxDepth: 40 };
const maxContentBytes = 128 * 1024 * 1024;

/** Hashes the content of a folder; undefined if it is too large for a server. */
export type HashContent = (root: string) => Promise<string | undefined>;

/** Creates a hasher that skips folders whose file sizes and times have not changed. */
export function contentHasher(): HashContent {
  // Reading thousands of files at every start would cost seconds; metadata shows whether that is needed.
  const known = lru<string, { readonly looks: string; readonly content: string }>(1_000);
  return async (root) => {
    const { root: top, files, skipped } = await walkFiles(root, walkLimits);
    if (skipped.some(({ reason }) => reason === 'too-many-files')) return undefined;
    const looks = createHash('sha256');
    let bytes = 0;
    for (const file of files) {
      const { size, mtimeMs, ctimeMs, ino } = await lstat(join(top, file));
      bytes += size;
      if (bytes > maxContentBytes) return undefined;
      // ctime cannot be set by a user, unlike mtime.
      looks.update(`${file}\0${size} ${mtimeMs} ${ctimeMs} ${ino}\n`);
    }
    const look = looks.digest('hex');
    const before = known.get(root);
    if (before?.looks === look) return before.content;
    const content = createHash('sha256');
    for (const file of files) content.update(`${file}\0${sha256(await readFile(join(top, file)))}\n`);
    const made = content.digest('hex');
    known.set(root, { looks: look, content: made });
    return made;
  };
}
