/** Listeners by resource URI. */
export function watchedUris() {
  const watched = new Map<string, Set<() => void>>();
  return {
    uris: (): readonly string[] => [...watched.keys()],
    isEmpty: () => watched.size === 0,
    /** True if this is the first listener of the URI, so that it must be subscribed. */
    add(uri: string, listener: () => void): boolean {
      const listeners = watched.get(uri);
      if (listeners === undefined) watched.set(uri, new Set([listener]));
      else listeners.add(listener);
      return listeners === undefined;
    },
    /** True if this was the last listener of the URI, so that it must be unsubscribed. */
    remove(uri: string, listener: () => void): boolean {
      const listeners = watched.get(uri);
      if (!listeners?.delete(listener) || listeners.size > 0) return false;
      return watched.delete(uri);
    },
    notify(uri: string): void {
      for (const listener of watched.get(uri) ?? []) listener();
    },
    clear: () => watched.clear(),
  };
}
