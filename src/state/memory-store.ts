import { maxListedEntries, type LocalStore, type PutOptions } from './store.js';

interface Cell {
  readonly value: string;
  readonly expiresAt: number;
}

/** Store in memory, for calls without a server and for tests. */
export function memoryStore({ now = Date.now }: { readonly now?: () => number } = {}): LocalStore {
  const spaces = new Map<string, Map<string, Cell>>();

  const get = (space: string, key: string): string | undefined => {
    const cell = spaces.get(space)?.get(key);
    return cell && cell.expiresAt > now() ? cell.value : undefined;
  };
  const put = (space: string, key: string, value: string, { expiresAt = Infinity }: PutOptions = {}): void => {
    let cells = spaces.get(space);
    if (!cells) spaces.set(space, (cells = new Map()));
    cells.set(key, { value, expiresAt });
  };

  return {
    get,
    put,
    add(space, key, value, options) {
      // An expired entry does not block a new one.
      if (get(space, key) !== undefined) return false;
      put(space, key, value, options);
      return true;
    },
    swap(space, key, from, to, options) {
      // Compare and swap: the change is refused if another one came first.
      if (get(space, key) !== from) return false;
      put(space, key, to, options);
      return true;
    },
    // Read and delete in one step, so that a one-time value is used once.
    take(space, key) {
      const value = get(space, key);
      spaces.get(space)?.delete(key);
      return value;
    },
    delete(space, key) {
      const cell = spaces.get(space)?.get(key);
      return cell !== undefined && spaces.get(space)?.delete(key) === true && cell.expiresAt > now();
    },
    list(space, { prefix = '', after, limit = maxListedEntries } = {}) {
      const time = now();
      return [...(spaces.get(space) ?? [])]
        .filter(
          ([key, cell]) =>
            cell.expiresAt > time && key.startsWith(prefix) && (after === undefined || byBytes(key, after) > 0),
        )
        .sort(([a], [b]) => byBytes(a, b))
        .slice(0, Math.min(limit, maxListedEntries))
        .map(([key, { value }]) => ({ key, value }));
    },
    sweep(at) {
      let swept = 0;
      for (const cells of spaces.values()) {
        for (const [key, cell] of cells) if (cell.expiresAt <= at && cells.delete(key)) swept++;
      }
      return swept;
    },
    close: () => spaces.clear(),
  };
}

// By bytes like SQLite, so that pages have the same order in both stores.
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
