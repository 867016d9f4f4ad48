import { lookup } from 'node:dns/promises';

/** Resolves a name to all its addresses; rejects if there are none. */
export type Resolver = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

/** The system resolver with a timeout; without a cache, so that vetting always sees the current addresses. */
export function systemResolver({ timeoutMs = 5_000 } = {}): Resolver {
  return withTimeLimit(
    async (name) => (await lookup(name, { all: true, verbatim: true })).map((entry) => entry.address),
    timeoutMs,
  );
}

/** Adds a timeout and cancellation to a resolver. */
export function withTimeLimit(resolver: Resolver, timeoutMs: number): Resolver {
  return (name, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('the DNS lookup timed out or was cancelled'));
      const timer = setTimeout(giveUp, timeoutMs);
      const cleanUp = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted) giveUp();
      resolver(name, signal).then(resolve, reject).finally(cleanUp);
    });
}
