import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../wire/message.js';
import type { ScanResult } from './result.js';

/** Scan results by content hash, so that a restart does not scan again. */
export interface ScanCache {
  get(key: string): Promise<ScanResult | undefined>;
  put(key: string, reading: ScanResult): Promise<void>;
}

// About one hundred sources with two versions each.
const maxCachedScans = 200;

/** Cache in a folder; unreadable entries count as missing, and the oldest are evicted. */
export function scanCache(folder: string): ScanCache {
  // Keys are SHA-256 in hexadecimal, so they are safe as file names.
  const pathOf = (key: string): string => join(folder, `${key}.json`);
  return {
    async get(key) {
      if (!existsSync(pathOf(key))) return undefined;
      try {
        const kept: unknown = JSON.parse(await readFile(pathOf(key), 'utf8'));
        // Validated, because an older version may have written another shape.
        return isScanResult(kept) ? kept : undefined;
      } catch {
        return undefined;
      }
    },
    async put(key, reading) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Written beside and renamed, so that a crash leaves no half of a result.
      const fresh = `${pathOf(key)}.${process.pid}.new`;
      await writeFile(fresh, JSON.stringify(reading), { mode: 0o600 });
      await rename(fresh, pathOf(key));
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
      // Ages are only needed above the bound; a stat per file is not free.
      if (names.length <= maxCachedScans) return;
      const ages = await Promise.all(
        names.map(async (name) => ({
          name,
          at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
        })),
      );
      // Least recently written first; a removed result costs a new scan, nothing else.
      for (const { name } of ages.toSorted((a, b) => a.at - b.at).slice(0, names.length - maxCachedScans))
        await rm(join(folder, name), { force: true });
    },
  };
}

const isScanResult = (value: unknown): value is ScanResult =>
  isJsonObject(value) &&
  Array.isArray(value['findings']) &&
  Array.isArray(value['gaps']) &&
  Array.isArray(value['capabilities']) &&
  isJsonObject(value['surface']) &&
  typeof value['surfaceHash'] === 'string';
