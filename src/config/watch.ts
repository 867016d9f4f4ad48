import { createHash } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { maxFileBytes, type LoadResult } from './load.js';
import type { Note, Problem } from './problem.js';
import type { Config } from './schema.js';
import { pause } from '../lib/pause.js';
import { SecretText } from '../lib/text/secret-text.js';

/** Configuration to watch and its callbacks. */
interface WatchOptions {
  /** The active configuration. */
  readonly current: Config;
  readonly load: () => Promise<LoadResult>;
  /** Called with a new valid configuration and its changed keys; if it throws, the active one stays and `onRejected` is called. */
  readonly onChange: (config: Config, changed: readonly string[], notes: readonly Note[]) => void | Promise<void>;
  /** Called if the file is invalid or missing; the active configuration stays. */
  readonly onRejected: (problems: readonly Problem[]) => void;
  /** Further files whose content counts, such as those of secrets; asked at each check. */
  readonly alsoWatched?: (current: Config) => readonly string[];
  /** Debounce time: editors write in several steps. */
  readonly debounceMs?: number;
  /** Age of the last write from which a file counts as complete. */
  readonly settleMs?: number;
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
  {
    current: initial,
    load,
    onChange,
    onRejected,
    alsoWatched = () => [],
    debounceMs = 100,
    settleMs = 100,
    pollMs = 2000,
  }: WatchOptions,
): ConfigWatcher {
  let current = initial;
  // Empty at first, so that the first check finds a change made since the first load.
  let lastFingerprint = '';
  let closed = false;
  /** Checks run one after another: two concurrent loads could be applied in the wrong order. */
  let queue = Promise.resolve();
  let debounceTimer: NodeJS.Timeout | undefined;

  const fingerprints = async (): Promise<string> =>
    (await Promise.all([path, ...alsoWatched(current)].map(fingerprint))).join(' ');

  // Hashed twice: the first one is cheap and usually finds no change, the second follows the wait for the last write.
  const checkFile = async (): Promise<void> => {
    if (closed || (await fingerprints()) === lastFingerprint) return;
    await settled(path, settleMs);
    const found = await fingerprints();
    if (closed || found === lastFingerprint) return;
    const next = await load();
    if (closed) return;
    // Written again while it was loaded: half of each content is neither.
    if ((await fingerprints()) !== found) return checkSoon();
    // Noted before the result: an invalid file is reported once and not at every poll.
    lastFingerprint = found;
    if (!next.ok) return onRejected(next.problems);
    const changed = changedKeys(current, next.config);
    if (changed.length > 0) await onChange(next.config, changed, next.notes);
    current = next.config;
  };
  const check = (): Promise<void> =>
    // Caught here, because a rejected promise in the chain would end all later checks.
    (queue = queue.then(checkFile).catch((error: unknown) => onRejected([applyProblem(path, error)])));
  const checkSoon = (): void => {
    clearTimeout(debounceTimer);
    // `unref`: a pending check must not keep a finished process alive.
    debounceTimer = setTimeout(() => void check(), debounceMs).unref();
  };

  const events = folderEvents(dirname(path), checkSoon);
  const poll = setInterval(() => void check(), pollMs).unref();
  return {
    check,
    reload() {
      // An empty fingerprint matches no file, so that the next check loads.
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

/** Bounds the wait for a file that is written without pause. */
const maxSettleTurns = 20;
/** A file is empty between the truncation and the write of an editor, and an empty one would be valid: no sources, no rules. */
const emptyFactor = 20;

/**
 * Waits until the last write is a while ago: the beginning of a file that is being written in place may be a valid configuration with
 * fewer rules. A time of modification in the future (another clock) does not count.
 */
async function settled(path: string, settleMs: number): Promise<void> {
  for (let turn = 0; turn < maxSettleTurns; turn += 1) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return;
    const age = Date.now() - found.mtimeMs;
    const wanted = found.size === 0 ? emptyFactor * settleMs : settleMs;
    // Times of files have fractions of a millisecond, so that a file of this moment may seem to be of the next.
    if (age < -settleMs || age >= wanted) return;
    await pause(Math.min(settleMs, wanted - age) + 1);
  }
}

/** Watches the folder, because a watch on the file ends when an editor replaces it; undefined if not supported. */
function folderEvents(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    // A removed folder ends the watch; the poll goes on.
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
    // The code is part of the fingerprint: a file that becomes unreadable is a change.
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
  // By reference and value: the text of a secret is private to its class.
  if (a instanceof SecretText && b instanceof SecretText) return a.equals(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => changedKeys(item, b[index]).length === 0);
  return isDeepStrictEqual(a, b);
}
