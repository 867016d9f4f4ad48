import { reloadOf } from './keys.js';
import type { Config } from './schema.js';
import { changedKeys } from './watch.js';

/** What a reload did. */
export interface ReloadReport {
  /** Changed keys that are active now. */
  readonly applied: readonly string[];
  /** Keys that differ from those the gateway was started with and need a restart; empty again once they are changed back. */
  readonly needs_restart: readonly string[];
}

/** Compares the new configuration with the one before, and for keys that are read at the start with the one of the start. */
export const reloadReport = (atStart: Config, before: Config, after: Config): ReloadReport => ({
  applied: changedKeys(before, after).filter((key) => reloadOf(key.split('.')) === 'live'),
  // Compared with the start and not with the last reload: such a key stays pending however often the file is loaded.
  needs_restart: changedKeys(atStart, after).filter((key) => reloadOf(key.split('.')) === 'restart'),
});
