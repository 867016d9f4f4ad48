import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../wire/message.js';
import type { Reading } from './reading.js';

/** Readings by the hash of what was read, so that a restart does not read again. */
export interface Readings {
  get(key: string): Promise<Reading | undefined>;
  put(key: string, reading: Reading): Promise<void>;
}

const maxKept = 200;

/** Readings kept in a folder; one that cannot be used is made again, and the oldest make room. */
export function readings(folder: string): Readings {
  const pathOf = (key: string): string => join(folder, `${key}.json`);
  return {
    async get(key) {
      if (!existsSync(pathOf(key))) return undefined;
      try {
        const kept: unknown = JSON.parse(await readFile(pathOf(key), 'utf8'));
        return isReading(kept) ? kept : undefined;
      } catch {
        return undefined;
      }
    },
    async put(key, reading) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const fresh = `${pathOf(key)}.${process.pid}.new`;
      await writeFile(fresh, JSON.stringify(reading), { mode: 0o600 });
      await rename(fresh, pathOf(key));
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
      if (names.length <= maxKept) return;
      const ages = await Promise.all(
        names.map(async (name) => ({
          name,
          at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
        })),
      );
      for (const { name } of ages.toSorted((a, b) => a.at - b.at).slice(0, names.length - maxKept))
        await rm(join(folder, name), { force: true });
    },
  };
}

const isReading = (value: unknown): value is Reading =>
  isObject(value) &&
  Array.isArray(value['findings']) &&
  Array.isArray(value['gaps']) &&
  Array.isArray(value['capabilities']) &&
  isObject(value['surface']) &&
  typeof value['surfaceHash'] === 'string';
