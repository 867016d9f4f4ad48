import { useEffect, useRef, useState } from 'preact/hooks';
import { api, ApiError } from './api.js';
import { epoch, onEvents } from './events.js';

/** Data of one request: what came, when, and why not. Old data stays visible with its age while a new request fails. */
export interface Remote<T> {
  readonly data?: T;
  /** Arrival in milliseconds since the epoch, for the age beside the data. */
  readonly at?: number;
  readonly error?: ApiError;
  refresh(): void;
}

interface RemoteOptions {
  /** Types of events after which the data is requested again. */
  readonly on?: readonly string[];
  /** Polling interval for data that has no events; paused while the tab is hidden. */
  readonly everyMs?: number;
}

/** Requests a path while the component is shown, again after events, in an interval, and when events may have been lost. */
export function useRemote<T>(path: string | undefined, { on = [], everyMs }: RemoteOptions = {}): Remote<T> {
  // The path is kept with the data, so that the answer of the previous path is never shown under the next one.
  const [state, setState] = useState<{ readonly path?: string; data?: T; at?: number; error?: ApiError }>({});
  const reload = useRef(() => {});
  const seenEpoch = epoch.value;
  useEffect(() => {
    if (path === undefined) return undefined;
    let controller = new AbortController();
    let isPending = false;
    let isStale = false;
    const load = (): void => {
      // Coalesced: events that arrive during a request cause one more, however many they are.
      if (isPending) {
        isStale = true;
        return;
      }
      isPending = true;
      controller = new AbortController();
      api<T>(path, { signal: controller.signal })
        .then((data) => setState({ path, data, at: Date.now() }))
        .catch((error: unknown) => {
          // Aborted by an unmount or a new path: the state belongs to another request now.
          if (controller.signal.aborted) return;
          const problem = error instanceof ApiError ? error : new ApiError(0, String(error));
          // Stale data stays beside the error; the age shows that it is old.
          setState((before) => (before.path === path ? { ...before, error: problem } : { path, error: problem }));
        })
        .finally(() => {
          isPending = false;
          if (isStale && !controller.signal.aborted) {
            isStale = false;
            load();
          }
        });
    };
    reload.current = load;
    load();
    const stops = on.map((type) => onEvents(type, load));
    const timer = everyMs === undefined ? undefined : setInterval(() => document.hidden || load(), everyMs);
    return () => {
      controller.abort();
      clearInterval(timer);
      for (const stop of stops) stop();
    };
    // A new epoch means missed events, so the effect runs again and loads everything.
  }, [path, seenEpoch]);
  const current = state.path === path ? state : {};
  return {
    ...(current.data !== undefined && { data: current.data }),
    ...(current.at !== undefined && { at: current.at }),
    ...(current.error !== undefined && { error: current.error }),
    refresh: () => reload.current(),
  };
}
