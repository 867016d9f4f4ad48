import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../lib/hash.js';
import { unpack } from '../../scanner/archives/unpack.js';
import type { FetchPackage } from '../../scanner/dependencies/rings.js';
import { download, packageOf } from './package-download.js';

/** Bounds of one scan: a server with hundreds of dependencies is not analysed to the last one. */
const maxPackages = 8;
const maxMs = 120_000;

/** Downloads dependencies without running their scripts, bounded in number and time; exact versions are kept in the user's cache. */
export function fetchDependencies(env: NodeJS.ProcessEnv = process.env): FetchPackage {
  // Shared by all scans of the user, since exact versions never change.
  const cache = join(env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache'), 'toolgate', 'packages');
  const until = performance.now() + maxMs;
  let count = 0;
  return async ({ kind, name, version }) => {
    // Without an exact version the same scan could read different code tomorrow.
    if (version === undefined || count >= maxPackages || performance.now() > until) return undefined;
    const spec = kind === 'npm' ? `npm:${name}@${version}` : `pypi:${name}==${version}`;
    const wanted = packageOf(spec);
    if (!wanted) return undefined;
    // Hashed: names come from manifests and must not become paths (path traversal).
    const place = join(cache, sha256(spec).slice(0, 32));
    if (existsSync(place)) return place;
    count += 1;
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    // Beside the cache entry, because a rename is atomic only within one file system.
    const folder = await mkdtemp(join(cache, '.new-'));
    try {
      const failed = await download(wanted, folder, AbortSignal.timeout(Math.max(1, until - performance.now())));
      const archive = failed ? undefined : readdirSync(folder).find((file) => /\.(?:tgz|whl)$/.test(file));
      if (archive === undefined) return undefined;
      const unpacked = await unpack(join(folder, archive), join(folder, 'source'));
      // A package that cannot be unpacked safely is left out; its calls then count as unknown.
      if ('refused' in unpacked) return undefined;
      // Renamed when complete: another scan never sees half a package.
      if (!existsSync(place)) renameSync(join(folder, 'source'), place);
      return place;
    } catch {
      return undefined;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
