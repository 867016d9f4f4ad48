import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Tells when one of these files may have changed; what the system does not tell is found by looking now and then. */
export function fileWatch(files: readonly string[], changed: () => Promise<void>, pollMs = 2_000): () => void {
  let soon: NodeJS.Timeout | undefined;
  let isClosed = false;
  let running = Promise.resolve();
  let seen = '';
  const tell = (): void => {
    clearTimeout(soon);
    // Editors write in several steps.
    soon = setTimeout(() => {
      running = running.then(() => (isClosed ? undefined : changed())).catch(() => undefined);
    }, 50).unref();
  };
  const watchers = files.flatMap((file): FSWatcher[] => {
    try {
      // The folder and not the file: one that is replaced would take its watch with it.
      return [
        watch(dirname(file), { persistent: false }, (_event, name) => {
          if (name === null || name === basename(file)) tell();
        }).on('error', () => undefined),
      ];
    } catch {
      return [];
    }
  });
  const poll = setInterval(() => {
    void Promise.all(
      files.map((file) =>
        stat(file).then(
          (facts) => `${facts.mtimeMs} ${facts.size} ${facts.ino}`,
          () => '',
        ),
      ),
    ).then((facts) => {
      const now = facts.join('|');
      if (seen !== '' && now !== seen) tell();
      seen = now;
    });
  }, pollMs).unref();
  return () => {
    isClosed = true;
    clearTimeout(soon);
    clearInterval(poll);
    for (const watcher of watchers) watcher.close();
  };
}
