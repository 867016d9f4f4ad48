import type { ChangedList, Gateway } from '../../core/gateway.js';

/** Fans list changes out to many subscribers over one subscription to the gateway. */
export interface ChangeBroadcaster {
  subscribe(listener: (what: ChangedList) => void): () => void;
  close(): void;
}

/** Subscribes to the gateway once, however many clients are connected. */
export function changeBroadcaster(gateway: Gateway): ChangeBroadcaster {
  const listeners = new Set<(what: ChangedList) => void>();
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

/** Method name of the list-changed notification; the same in every revision. */
export const listChangedMethod = (what: ChangedList): string => `notifications/${what}/list_changed`;
