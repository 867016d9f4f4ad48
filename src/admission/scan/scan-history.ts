import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One scanned version of a source's code. */
interface ScannedVersion {
  /** Key in the scan cache. */
  readonly scan: string;
  readonly content: string;
  readonly at: string;
}

/** Scanned versions of each source, so that a new one can be compared with the one before. */
export interface ScanHistory {
  /** Oldest first. */
  list(source: string): readonly ScannedVersion[];
  note(source: string, version: ScannedVersion): void;
}

const maxVersions = 10;

/** History in one file per source, beside the cached results. */
export function scanHistory(folder: string): ScanHistory {
  const pathOf = (source: string): string => join(folder, 'versions', `${source}.json`);
  const list = (source: string): readonly ScannedVersion[] => {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(source)) return [];
    try {
      const value: unknown = JSON.parse(readFileSync(pathOf(source), 'utf8'));
      return Array.isArray(value) ? value.filter(isVersion) : [];
    } catch {
      return [];
    }
  };
  return {
    list,
    note(source, version) {
      const known = list(source);
      if (known.at(-1)?.content === version.content || !/^[A-Za-z0-9_-]{1,64}$/.test(source)) return;
      try {
        mkdirSync(dirname(pathOf(source)), { recursive: true, mode: 0o700 });
        const fresh = `${pathOf(source)}.${process.pid}.new`;
        writeFileSync(fresh, JSON.stringify([...known, version].slice(-maxVersions)), { mode: 0o600 });
        renameSync(fresh, pathOf(source));
      } catch {
        // Only the comparison of versions is lost.
      }
    },
  };
}

const isVersion = (value: unknown): value is ScannedVersion =>
  typeof value === 'object' &&
  value !== null &&
  ['scan', 'content', 'at'].every((name) => name in value && typeof Reflect.get(value, name) === 'string');
