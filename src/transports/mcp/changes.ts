import type { Changed, Gateway } from '../../core/gateway.js';

/** Tells everyone who listens of list changes, over one subscription to the gateway. */
export interface Changes {
  subscribe(listener: (what: Changed) => void): () => void;
  close(): void;
}

export function changes(gateway: Gateway): Changes {
  const listeners = new Set<(what: Changed) => void>();
  const stop = gateway.onChange((what) => {
    for (const listener of listeners) listener(what);
  });
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stop();
      listeners.clear();
    },
  };
}

/** The notification that says which list changed; the same name in every revision. */
export const listChanged = (what: Changed): string => `notifications/${what}/list_changed`;
