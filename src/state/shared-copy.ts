import { randomUUID } from 'node:crypto';
import { monotonic, type Clock } from '../lib/clock.js';
import type { Bus } from './bus.js';
import type { Store } from './store.js';

/**
 * Copy in memory of one space of the shared store, for state that every request reads and few change. Changes of other replicas
 * arrive by the bus, or by a look at the revision at the latest.
 */
export interface SharedCopy {
  entries(): ReadonlyMap<string, string>;
  /** Milliseconds since the copy was last known to be current. */
  staleMs(): number;
  /**
   * Replaces one value by what `next` makes of the stored one; undefined leaves it, null removes it. Another replica may change it
   * meanwhile: then `next` runs again with that value. Rejects while the engine is down.
   */
  change(key: string, next: (current: string | undefined) => string | null | undefined): Promise<void>;
  /** Loads one value that another replica may have written a moment ago. */
  look(key: string): Promise<string | undefined>;
  onChange(listener: (keys: ReadonlySet<string>) => void): void;
}

/** Copies of several spaces with one look at their revisions. */
export interface SharedCopies {
  /** Loads the copy; rejects if the store cannot be read. */
  open(space: string): Promise<SharedCopy>;
  close(): void;
}

interface SharedCopiesOptions {
  /** Store with the bound of a call, for changes. */
  readonly store: Store;
  /** Store with the bound of background work, for lists. */
  readonly background: Store;
  /** Absent in the command line: running replicas see its changes by their next look. */
  readonly bus?: Bus;
  readonly pollMs?: number;
  readonly clock?: Clock;
}

const revisionSpace = 'revisions';
const defaultPollMs = 500;
/** Looks between two complete loads, which find a change whose writer died before it could announce it. */
const looksPerLoad = 60;
const maxAttempts = 20;

interface OpenCopy {
  revision: string | undefined;
  load(): Promise<void>;
  current(): void;
}

export function sharedCopies({
  store,
  background,
  bus,
  pollMs = defaultPollMs,
  clock = monotonic,
}: SharedCopiesOptions): SharedCopies {
  const copies = new Map<string, OpenCopy>();
  let looks = 0;
  let looking = false;

  const look = async (): Promise<void> => {
    if (looking || copies.size === 0) return;
    looking = true;
    looks += 1;
    try {
      const revisions = new Map((await background.list(revisionSpace)).map(({ key, value }) => [key, value] as const));
      for (const [space, copy] of copies) {
        if (copy.revision === revisions.get(space) && looks % looksPerLoad !== 0) copy.current();
        else {
          await copy.load();
          copy.revision = revisions.get(space);
        }
      }
    } catch {
      // The copies grow stale, and their owners decide what that leads to.
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), pollMs).unref();
  bus?.subscribe('copy', (space) => {
    const copy = typeof space === 'string' ? copies.get(space) : undefined;
    if (copy) void copy.load().catch(() => {});
  });

  return {
    async open(space) {
      let entries: ReadonlyMap<string, string> = new Map();
      let currentAt = -Infinity;
      let loading: Promise<void> | undefined;
      let isOutdated = false;
      const listeners = new Set<(keys: ReadonlySet<string>) => void>();
      const replace = (next: ReadonlyMap<string, string>): void => {
        const changed = new Set(
          [...new Set([...entries.keys(), ...next.keys()])].filter((key) => entries.get(key) !== next.get(key)),
        );
        entries = next;
        if (changed.size > 0) for (const listener of listeners) listener(changed);
      };
      const loadOnce = async (): Promise<void> => {
        const asked = clock();
        const next = new Map<string, string>();
        for (;;) {
          const after = [...next.keys()].at(-1);
          const page = await background.list(space, { limit: pageSize, ...(after !== undefined && { after }) });
          for (const { key, value } of page) next.set(key, value);
          if (page.length < pageSize) break;
        }
        replace(next);
        currentAt = asked;
      };
      // A change that is announced during a load may be missing in it: load once more.
      const load = (): Promise<void> => {
        if (loading) {
          isOutdated = true;
          return loading;
        }
        const run = async (): Promise<void> => {
          do {
            isOutdated = false;
            await loadOnce();
          } while (isOutdated);
        };
        loading = run().finally(() => (loading = undefined));
        return loading;
      };
      const put = (key: string, value: string | undefined): void => {
        const next = new Map(entries);
        if (value === undefined) next.delete(key);
        else next.set(key, value);
        replace(next);
      };
      const copy: OpenCopy = { revision: undefined, load, current: () => void (currentAt = clock()) };
      await load();
      copies.set(space, copy);
      return {
        entries: () => entries,
        staleMs: () => clock() - currentAt,
        onChange: (listener) => void listeners.add(listener),
        async look(key) {
          const value = await store.get(space, key);
          put(key, value);
          return value;
        },
        async change(key, next) {
          for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
            const before = await store.get(space, key);
            const after = next(before);
            if (after === undefined || after === before) return put(key, before);
            const isDone =
              before === undefined
                ? after === null || (await store.add(space, key, after))
                : after === null
                  ? (await store.swap(space, key, before, '')) && (await store.delete(space, key))
                  : await store.swap(space, key, before, after);
            if (!isDone) continue;
            put(key, after ?? undefined);
            await store.put(revisionSpace, space, randomUUID());
            bus?.publish('copy', space);
            return;
          }
          throw new Error(`${space}: other replicas changed this entry ${maxAttempts} times meanwhile; try again`);
        },
      };
    },
    close: () => clearInterval(timer),
  };
}

const pageSize = 500;
