import { EngineDown } from '../../state/engine.js';
import type { SharedCopy } from '../../state/shared-copy.js';
import { parseBook, type PinStore } from './pin-files.js';
import type { PinBook } from './pins.js';
import { PinsUnavailable } from './pins-unavailable.js';

/**
 * Pin books that replicas share. Every change is applied to the stored book, so of two replicas that see a new definition at once the
 * first one pins it, and the other compares with that pin. While the store cannot be changed, nothing is pinned.
 */
export function sharedPins(copy: SharedCopy): PinStore & { retry(): void } {
  const watchers = new Set<(source: string) => void>();
  /** Sources whose definitions could not be pinned. */
  const waiting = new Set<string>();
  /** Texts that this replica wrote itself; they are no news to it. */
  const written = new Map<string, string>();
  copy.onChange((sources) => {
    for (const source of sources) {
      const text = copy.entries().get(source);
      if (text !== undefined && text === written.get(source)) continue;
      for (const changed of watchers) changed(source);
    }
  });
  const read = (source: string): PinBook | undefined => {
    const text = copy.entries().get(source);
    return text === undefined ? undefined : parseBook(source, text);
  };
  return {
    read,
    all: () => [...copy.entries()].map(([source, text]) => parseBook(source, text)),
    async update(source, change) {
      try {
        let result: PinBook | undefined;
        await copy.change(source, (text) => {
          const before = text === undefined ? undefined : parseBook(source, text);
          const next = change(before);
          result = next ?? before;
          if (next === undefined) return undefined;
          const after = JSON.stringify(next);
          written.set(source, after);
          return after;
        });
        waiting.delete(source);
        return result;
      } catch (error) {
        if (!(error instanceof EngineDown)) throw error;
        waiting.add(source);
        throw new PinsUnavailable(`definitions of ${source} cannot be pinned: ${error.message}`);
      }
    },
    watch(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    retry() {
      const sources = [...waiting];
      waiting.clear();
      for (const source of sources) for (const changed of watchers) changed(source);
    },
  };
}
