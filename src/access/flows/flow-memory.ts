import { linkedSet } from '../../lib/linked-set.js';
import type { LinkedNode } from '../../lib/linked-set.js';
import type { Soon } from '../../lib/soon.js';
import type { SharedLabels } from '../../state/counters.js';
import type { LocalStore } from '../../state/store.js';

/** Labels of the calls in one conversation. */
export interface Memory {
  readonly owner: string;
  readonly labels: Set<string>;
  /** Labels of calls that still run, with their number: a refused call takes back only its own. */
  readonly running: Map<string, number>;
  at: number;
  /** When it was last persisted; 0 if never. */
  writtenAt: number;
}

/** Labels by conversation, independent of the rules; survives reloads, and restarts if a store is set. */
export interface FlowMemory {
  readonly size: number;
  get(key: string): Memory | undefined;
  /** Least recently put entry. */
  oldest(): { readonly key: string; readonly memory: Memory } | undefined;
  countOf(owner: string): number;
  /** Adds an entry, or moves it to the end of the eviction order. */
  put(key: string, memory: Memory): void;
  evict(key: string): void;
  /** Writes an entry to the store until the given time, and to the other replicas. */
  write(key: string, expiresAt: number): Soon<void>;
  /** Whether several replicas record labels together. */
  readonly isShared: boolean;
  /** Labels that other replicas recorded; rejects if they cannot be read. */
  pull(key: string): Soon<readonly string[]>;
  /** Records labels together with other replicas from now on. */
  shareIn(labels: SharedLabels): void;
  /** Loads the entries of a store and persists to it from now on. */
  keepIn(store: LocalStore): void;
}

/** Name of the keys in the store. */
const flowSpace = 'flows';

/** All labels of a conversation, also of calls that still run. */
export const labelsIn = ({ labels, running }: Memory): string[] =>
  running.size === 0 ? [...labels] : [...new Set([...labels, ...running.keys()])];

/** Memory of one process; `keepIn` and `shareIn` connect it to a store or to the other replicas. */
export function flowMemory(): FlowMemory {
  // A linked list keeps the order: re-inserting a key into a Map on every call would rehash its table every few calls.
  const order = linkedSet<{ readonly key: string; readonly memory: Memory }>();
  const places = new Map<string, LinkedNode<{ readonly key: string; readonly memory: Memory }>>();
  const counts = new Map<string, number>();
  let store: LocalStore | undefined;
  let shared: SharedLabels | undefined;

  // The number per owner is counted along, because a limit per owner is checked on every call.
  const count = (owner: string, by: number): void => {
    const now = (counts.get(owner) ?? 0) + by;
    if (now > 0) counts.set(owner, now);
    else counts.delete(owner);
  };
  const put = (key: string, memory: Memory): void => {
    const place = places.get(key);
    // The usual case: the same conversation calls again, and only its place changes.
    if (place?.item.memory === memory) return order.moveToEnd(place);
    if (place === undefined) count(memory.owner, 1);
    else order.remove(place);
    places.set(key, order.add({ key, memory }));
  };

  return {
    get size() {
      return places.size;
    },
    get: (key) => places.get(key)?.item.memory,
    oldest: () => order.first?.item,
    put,
    countOf: (owner) => counts.get(owner) ?? 0,
    evict(key) {
      const place = places.get(key);
      if (place === undefined) return;
      const { memory } = place.item;
      order.remove(place);
      places.delete(key);
      count(memory.owner, -1);
      // An entry that was never written needs no deletion.
      if (memory.writtenAt > 0) store?.delete(flowSpace, JSON.stringify(key));
    },
    write(key, expiresAt) {
      const memory = places.get(key)?.item.memory;
      if (memory === undefined) return undefined;
      // In a cluster the shared set is the truth; a local copy would be a second one.
      if (shared !== undefined) {
        memory.writtenAt = memory.at;
        const labels = labelsIn(memory);
        return labels.length === 0 ? undefined : shared.add(key, labels, expiresAt - memory.at);
      }
      if (store === undefined) return undefined;
      memory.writtenAt = memory.at;
      store.put(flowSpace, JSON.stringify(key), JSON.stringify([memory.owner, memory.at, ...labelsIn(memory)]), {
        expiresAt,
      });
      return undefined;
    },
    get isShared() {
      return shared !== undefined;
    },
    pull: (key) => shared?.of(key) ?? [],
    shareIn(labels) {
      shared = labels;
    },
    keepIn(next) {
      if (store === next) return;
      store = next;
      const found = next.list(flowSpace).map(({ key, value }) => {
        const [owner, at, ...labels] = JSON.parse(value) as readonly [string, number, ...string[]]; // only `write` writes there
        return {
          key: JSON.parse(key) as string,
          memory: { owner, at, labels: new Set(labels), running: new Map(), writtenAt: at },
        };
      });
      // In the order of their last use, so that eviction continues as before the restart.
      for (const { key, memory } of found.sort((a, b) => a.memory.at - b.memory.at))
        if (!places.has(key)) put(key, memory);
    },
  };
}
