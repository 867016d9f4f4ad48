import { realpathSync, statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ProtectedPaths } from './protected-paths.js';

/** Reports protected places that were created or replaced. */
export interface MaskWatch {
  /** Watches the places of this machine and `more`; the listener gets the first of them that changed. */
  add(more: readonly string[], listener: (path: string) => void): () => void;
  close(): void;
}

const checkEveryMs = 2_000;

/**
 * A mask is a mount on one file or folder: the kernel detaches it when that file is replaced by a rename, as most editors do, and running
 * sandboxes then see the new file. Watches the folders of the gateway's own files, and polls the rest. Files that the gateway rewrites
 * after each installation are left out: every new package would restart all servers.
 */
export function maskWatch(paths: ProtectedPaths, everyMs = checkEveryMs): MaskWatch {
  const { masked, rewritten = [] } = paths;
  const hidden = paths.hidden.filter((path) => !rewritten.includes(path));
  const listeners = new Map<(path: string) => void, ReadonlyMap<string, string>>();
  let timer: NodeJS.Timeout | undefined;
  let watchers: readonly FSWatcher[] = [];

  const identities = (paths: readonly string[]): ReadonlyMap<string, string> =>
    new Map(paths.map((path) => [path, identityOf(path)]));

  function check(): void {
    const seen = new Map<string, string>();
    for (const [listener, before] of Array.from(listeners)) {
      const now = new Map<string, string>();
      for (const path of before.keys()) {
        let identity = seen.get(path);
        if (identity === undefined) seen.set(path, (identity = identityOf(path)));
        now.set(path, identity);
      }
      // A place that is gone has nothing to show; it is reported when it comes back.
      const changed = [...now].find(([path, identity]) => identity !== absent && identity !== before.get(path));
      if (changed === undefined) continue;
      listeners.set(listener, now);
      listener(changed[0]);
    }
  }

  function start(): void {
    if (timer !== undefined) return;
    timer = setInterval(check, everyMs).unref();
    watchers = [...new Set(hidden.map((path) => dirname(path)))].flatMap((folder) => {
      const names = new Set(hidden.filter((path) => dirname(path) === folder).map((path) => basename(path)));
      try {
        // Only for these names: servers may write thousands of other files there.
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || names.has(name)) check();
        });
        watcher.on('error', () => watcher.close());
        return [watcher];
      } catch {
        return []; // absent, or no inotify: the interval still finds it
      }
    });
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  return {
    add(more, listener) {
      // A separate function: one listener may be added twice.
      const own = (path: string): void => listener(path);
      listeners.set(own, identities([...hidden, ...masked, ...more]));
      start();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) stop();
      };
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}

const absent = '';

/** File behind a path; the time of its creation distinguishes a new file that got the inode of a deleted one. */
function identityOf(path: string): string {
  try {
    // Most places are absent: an exception for each of them, every two seconds, would be most of what an idle gate does.
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? absent : `${found.dev}:${found.ino}:${found.birthtimeMs}:${realpathSync.native(path)}`;
  } catch {
    return absent;
  }
}
