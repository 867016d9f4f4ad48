import type { Handler, Tool } from '../core/tool.js';

/** Calls of one generation of a source. */
interface Epoch {
  running: number;
  onEmpty?: () => void;
}

/** Counts running calls by source, so that a removed source is closed after its last call. */
export interface InFlight {
  counted(tool: Tool, handler: Handler): Handler;
  /** Resolves when the calls of this source that have begun by now are over; later ones belong to its successor. */
  ended(source: string): Promise<void>;
}

/** Counts calls per source; a replaced source gets a new count, so that it does not wait for its successor's calls. */
export function inFlightCalls(): InFlight {
  const epochs = new Map<string, Epoch>();
  return {
    counted:
      ({ source }, handler) =>
      async (call) => {
        let epoch = epochs.get(source);
        if (epoch === undefined) epochs.set(source, (epoch = { running: 0 }));
        epoch.running += 1;
        try {
          return await handler(call);
        } finally {
          epoch.running -= 1;
          if (epoch.running === 0) epoch.onEmpty?.();
        }
      },
    ended(source) {
      const epoch = epochs.get(source);
      // Later calls start a new count.
      epochs.delete(source);
      if (epoch === undefined || epoch.running === 0) return Promise.resolve();
      return new Promise((resolve) => {
        epoch.onEmpty = resolve;
      });
    },
  };
}
