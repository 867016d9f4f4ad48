import type { PersonalResources, ResourceLists } from '../../core/source.js';
import type { Clock } from '../../lib/clock.js';
import { monotonic } from '../../lib/clock.js';
import { lru } from '../../lib/lru.js';

interface PersonalResourcesOptions {
  /** Reads the lists with the login of a principal; rejects if that fails. */
  readonly read: (principal: string) => Promise<ResourceLists>;
  /** Called when lists arrive after their reader stopped waiting. */
  readonly onLate: () => void;
  readonly maxWaitMs?: number;
  readonly clock?: Clock;
}

/** Lists of one principal. */
interface Entry {
  lists?: ResourceLists;
  /** Time from which they are read again. */
  freshUntil: number;
  reading?: Promise<ResourceLists> | undefined;
}

const noLists: ResourceLists = { resources: [], templates: [] };

/** Principals whose lists are kept; the least recently used one is evicted and read again when needed. */
const maxPrincipals = 100;
/** A principal may log in as another user at any time, and no event reports it. */
const maxAgeMs = 300_000;
const afterFailureMs = 10_000;

/** Caches the lists of each principal; one server that hangs delays a reader by `maxWaitMs` at most. */
export function personalResources(options: PersonalResourcesOptions): PersonalResources & { invalidate(): void } {
  const { maxWaitMs = 5_000, clock = monotonic } = options;
  const entries = lru<string, Entry>(maxPrincipals);
  let epoch = 0;

  function entryOf(principal: string): Entry {
    let entry = entries.get(principal);
    if (entry === undefined) entries.set(principal, (entry = { freshUntil: -Infinity }));
    return entry;
  }

  async function load(principal: string, entry: Entry): Promise<ResourceLists> {
    const started = epoch;
    try {
      entry.lists = await options.read(principal);
      // A change that was announced meanwhile may not be in these lists.
      entry.freshUntil = started === epoch ? clock() + maxAgeMs : -Infinity;
    } catch {
      entry.freshUntil = clock() + afterFailureMs;
    } finally {
      entry.reading = undefined;
    }
    return (entry.lists ??= noLists);
  }

  async function inTime(reading: Promise<ResourceLists>, known: ResourceLists = noLists): Promise<ResourceLists> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), maxWaitMs)));
    const first = await Promise.race([reading, late]).finally(() => clearTimeout(timer));
    if (first !== 'late') return first;
    void reading.then(options.onLate);
    return known;
  }

  return {
    of(principal) {
      const entry = entryOf(principal);
      if (entry.lists !== undefined && clock() < entry.freshUntil) return entry.lists;
      return inTime((entry.reading ??= load(principal, entry)), entry.lists);
    },
    known: (principal) => entries.get(principal)?.lists,
    invalidate() {
      epoch += 1;
      for (const [, entry] of entries) entry.freshUntil = -Infinity;
    },
  };
}
