import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grant, GrantStore } from './tokens.js';

/** OAuth grants in a private folder, one file per source; read at each use, so that a login in another process takes effect. */
export function grantFiles(folder: string): GrantStore {
  const pathOf = (source: string): string => join(folder, `${source}.json`);
  return {
    read(source) {
      const path = pathOf(source);
      return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as readonly Grant[]) : []; // only this module writes there
    },
    write(source, grants) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(source);
      writeFileSync(`${path}.${process.pid}.new`, JSON.stringify(grants), { mode: 0o600 });
      renameSync(`${path}.${process.pid}.new`, path);
    },
  };
}
