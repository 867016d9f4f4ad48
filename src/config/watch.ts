import { createHash } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { MAX_FILE_BYTES, type Loaded } from './load.js';
import type { Note, Problem } from './problem.js';
import type { Config } from './schema.js';
import { SecretText } from './secrets.js';

/** What to watch and whom to tell. */
export interface ConfigWatch {
  /** The configuration that is in force. */
  readonly now: Config;
  readonly load: () => Promise<Loaded>;
  /** A new configuration, whole and checked, with the keys that differ from the one in force; what it throws is told as bad and leaves that one in force. */
  readonly onGood: (config: Config, changed: readonly string[], notes: readonly Note[]) => void | Promise<void>;
  /** The file is bad or gone; what was in force stays in force. */
  readonly onBad: (problems: readonly Problem[]) => void;
  /** Quiet time after a change, since editors write in several steps. */
  readonly debounceMs?: number;
  /** How often the file is looked at where the system tells nothing: network folders, a link swapped far away. */
  readonly pollMs?: number;
}

/** A watch that can be asked to look at once, and ended. */
export interface Watching {
  /** Looks now and resolves when what it found was told. */
  check(): Promise<void>;
  close(): void;
}

/**
 * Tells of each new content of the file, once, one after the other. It looks at content and not at times, so a replaced
 * file, a swapped link and a touched file all do the right thing; a notification that is lost is made up by the next poll.
 */
export function watchConfig(
  path: string,
  { now, load, onGood, onBad, debounceMs = 100, pollMs = 2000 }: ConfigWatch,
): Watching {
  let current = now;
  // Nothing is seen yet, so a change between the first load and this line is found by the first look.
  let seen = '';
  let closed = false;
  let turn = Promise.resolve();
  let soon: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const found = await fingerprint(path);
    if (closed || found === seen) return;
    seen = found;
    const next = await load();
    if (closed) return;
    if (!next.ok) return onBad(next.problems);
    const changed = changes(current, next.config);
    if (changed.length > 0) await onGood(next.config, changed, next.notes);
    current = next.config;
  };
  const check = (): Promise<void> => (turn = turn.then(look).catch((error: unknown) => onBad([fault(path, error)])));
  const later = (): void => {
    clearTimeout(soon);
    soon = setTimeout(() => void check(), debounceMs).unref();
  };

  const events = folderEvents(dirname(path), later);
  const poll = setInterval(() => void check(), pollMs).unref();
  return {
    check,
    close() {
      closed = true;
      clearTimeout(soon);
      clearInterval(poll);
      events?.close();
    },
  };
}

/** Events of the folder, since a watch on the file dies with the file that an editor replaces; none where the system has none. */
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
    const facts = await stat(path);
    // The loader refuses a pipe and a giant; reading one here could take for ever.
    if (!facts.isFile() || facts.size > MAX_FILE_BYTES) return `unusable ${facts.size} ${facts.mtimeMs}`;
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  } catch (error) {
    return `unreadable ${error instanceof Error && 'code' in error ? String(error.code) : ''}`;
  }
}

const fault = (file: string, error: unknown): Problem => ({
  file,
  path: '',
  message: `could not be taken over: ${error instanceof Error ? error.message : String(error)}`,
});

/** The keys that differ between two configurations, down to the first list or value that is not the same. */
export function changes(before: unknown, after: unknown, path = ''): readonly string[] {
  if (!isPlain(before) || !isPlain(after)) return isSame(before, after) ? [] : [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => changes(before[key], after[key], path === '' ? key : `${path}.${key}`));
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof SecretText && b instanceof SecretText) return a.equals(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => changes(item, b[index]).length === 0);
  return isDeepStrictEqual(a, b);
}
