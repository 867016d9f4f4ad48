import { createHash } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { maxFileBytes, type LoadResult } from './load.js';
import type { Note, Problem } from './problem.js';
import type { Config } from './schema.js';
import { SecretText } from '../lib/secret-text.js';

/** Configuration to watch and its callbacks. */
interface WatchOptions {
  /** The active configuration. */
  readonly current: Config;
  readonly load: () => Promise<LoadResult>;
  /** Called with a new valid configuration and its changed keys; if it throws, the active one stays and `onRejected` is called. */
  readonly onChange: (config: Config, changed: readonly string[], notes: readonly Note[]) => void | Promise<void>;
  /** Called if the file is invalid or missing; the active configuration stays. */
  readonly onRejected: (problems: readonly Problem[]) => void;
  /** Debounce time: editors write in several steps. */
  readonly debounceMs?: number;
  /** Poll interval for changes without file-system events (network folders, a link replaced elsewhere). */
  readonly pollMs?: number;
}

/** A running watch. */
export interface ConfigWatcher {
  /** Checks now; resolves after the callbacks. */
  check(): Promise<void>;
  /** Loads the file again, also if it has not changed. */
  reload(): Promise<void>;
  close(): void;
}

/**
 * Reports each new content of the file once, in order. Compares content hashes instead of times, so a replaced file, a
 * swapped link and a touched file are all handled; the poll makes up for lost file-system events.
 */
export function watchConfig(
  path: string,
  { current: initial, load, onChange, onRejected, debounceMs = 100, pollMs = 2000 }: WatchOptions,
): ConfigWatcher {
  let current = initial;
  // Empty at first, so that the first check finds a change made since the first load.
  let lastFingerprint = '';
  let closed = false;
  let queue = Promise.resolve();
  let debounceTimer: NodeJS.Timeout | undefined;

  const checkFile = async (): Promise<void> => {
    const found = await fingerprint(path);
    if (closed || found === lastFingerprint) return;
    lastFingerprint = found;
    const next = await load();
    if (closed) return;
    if (!next.ok) return onRejected(next.problems);
    const changed = changedKeys(current, next.config);
    if (changed.length > 0) await onChange(next.config, changed, next.notes);
    current = next.config;
  };
  const check = (): Promise<void> =>
    (queue = queue.then(checkFile).catch((error: unknown) => onRejected([applyProblem(path, error)])));
  const checkSoon = (): void => {
    clearTimeout(debounceTimer);
    debounceTimer = setTimeout(() => void check(), debounceMs).unref();
  };

  const events = folderEvents(dirname(path), checkSoon);
  const poll = setInterval(() => void check(), pollMs).unref();
  return {
    check,
    reload() {
      lastFingerprint = '';
      return check();
    },
    close() {
      closed = true;
      clearTimeout(debounceTimer);
      clearInterval(poll);
      events?.close();
    },
  };
}

/** Watches the folder, because a watch on the file ends when an editor replaces it; undefined if not supported. */
function folderEvents(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

async function fingerprint(path: string): Promise<string> {
  try {
    const stats = await stat(path);
    // The loader rejects pipes and huge files; reading one here could take forever.
    if (!stats.isFile() || stats.size > maxFileBytes) return `unusable ${stats.size} ${stats.mtimeMs}`;
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  } catch (error) {
    return `unreadable ${error instanceof Error && 'code' in error ? String(error.code) : ''}`;
  }
}

const applyProblem = (file: string, error: unknown): Problem => ({
  file,
  path: '',
  message: `cannot be applied: ${error instanceof Error ? error.message : String(error)}`,
});

/** The keys that differ between two configurations, down to the first list or value that is not the same. */
export function changedKeys(before: unknown, after: unknown, path = ''): readonly string[] {
  if (!isPlain(before) || !isPlain(after)) return isSame(before, after) ? [] : [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => changedKeys(before[key], after[key], path === '' ? key : `${path}.${key}`));
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof SecretText && b instanceof SecretText) return a.equals(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => changedKeys(item, b[index]).length === 0);
  return isDeepStrictEqual(a, b);
}
