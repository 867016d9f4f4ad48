import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Watches files and calls `changed`, debounced; also polls, since file events are unreliable on network file systems. */
export function watchFiles(files: readonly string[], changed: () => Promise<void>, pollMs = 2_000): () => void {
  let debounceTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let running = Promise.resolve();
  let lastFingerprint = '';
  const scheduleReload = (): void => {
    clearTimeout(debounceTimer);
    // Debounce: editors save in several steps.
    debounceTimer = setTimeout(() => {
      // One after the other: two reloads at once could finish in the wrong order.
      running = running.then(() => (isClosed ? undefined : changed())).catch(() => undefined);
    }, 50).unref();
  };
  const watchers = files.flatMap((file): FSWatcher[] => {
    try {
      // Watches the folder, because a watch on the file ends when an editor replaces the file.
      return [
        watch(dirname(file), { persistent: false }, (_event, name) => {
          if (name === null || name === basename(file)) scheduleReload();
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
          // The inode changes when an editor replaces the file within one timestamp.
          (stats) => `${stats.mtimeMs} ${stats.size} ${stats.ino}`,
          () => '',
        ),
      ),
    ).then((fingerprints) => {
      const fingerprint = fingerprints.join('|');
      // The first look is the baseline.
      if (lastFingerprint !== '' && fingerprint !== lastFingerprint) scheduleReload();
      lastFingerprint = fingerprint;
    });
  }, pollMs).unref();
  return () => {
    isClosed = true;
    clearTimeout(debounceTimer);
    clearInterval(poll);
    for (const watcher of watchers) watcher.close();
  };
}
