import { maxListedEntries, type Store } from './store.js';

interface Cell {
  readonly value: string;
  readonly expiresAt: number;
}

/** Store in memory, for calls without a server and for tests. */
export function memoryStore({ now = Date.now }: { readonly now?: () => number } = {}): Store {
  const spaces = new Map<string, Map<string, Cell>>();

  return {
    get(space, key) {
      const cell = spaces.get(space)?.get(key);
      return cell && cell.expiresAt > now() ? cell.value : undefined;
    },
    put(space, key, value, { expiresAt = Infinity } = {}) {
      let cells = spaces.get(space);
      if (!cells) spaces.set(space, (cells = new Map()));
      cells.set(key, { value, expiresAt });
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

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
