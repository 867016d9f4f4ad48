import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../../../lib/lock-file.js';
import { pause } from '../../../lib/pause.js';
import type { Grant, GrantStore } from './tokens.js';

/** Longest wait for another process that refreshes; its request to the authorization server ends sooner. */
const maxWaitMs = 30_000;
const retryMs = 25;

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
      // Written beside the file and renamed, so that a reader never sees half of it; 0600, because it holds tokens.
      writeFileSync(`${path}.${process.pid}.new`, JSON.stringify(grants), { mode: 0o600 });
      renameSync(`${path}.${process.pid}.new`, path);
    },
    async exclusively(source, work) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const until = performance.now() + maxWaitMs;
      for (;;) {
        // A lock file, since several gateways of one user share the folder.
        const locked = lockFile(`${pathOf(source)}.lock`);
        if (locked.ok) {
          try {
            return await work();
          } finally {
            locked.lock.release();
          }
        }
        if (performance.now() > until) throw new Error(`The grants of ${source} are locked by ${locked.heldBy}`);
        await pause(retryMs);
      }
    },
  };
}
