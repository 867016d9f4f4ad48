import { lookup } from 'node:dns/promises';

/** Looks a name up once and gives every address it has; it rejects when there is none. */
export type Resolver = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

/** The system's own lookup with a time limit; it keeps no cache, so what is vetted is what the name means at this moment. */
export function systemResolver({ timeoutMs = 5_000 } = {}): Resolver {
  return withTimeLimit(
    async (name) => (await lookup(name, { all: true, verbatim: true })).map((entry) => entry.address),
    timeoutMs,
  );
}

/** The same resolver, given up after a time or when the caller goes. */
export function withTimeLimit(resolver: Resolver, timeoutMs: number): Resolver {
  return (name, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('the lookup was given up'));
      const timer = setTimeout(giveUp, timeoutMs);
      const tidy = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted) giveUp();
      resolver(name, signal).then(resolve, reject).finally(tidy);
    });
}
