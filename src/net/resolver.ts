import { lookup } from 'node:dns/promises';

/** Looks a name up once and gives every address it has; it rejects when there is none. */
export type Resolver = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

/** The system's own lookup with a time limit; it keeps no cache, so what is vetted is what the name means at this moment. */
export function systemResolver({ timeoutMs = 5_000 } = {}): Resolver {
  return async (name, signal) => {
    const found = await within(timeoutMs, lookup(name, { all: true, verbatim: true }), signal);
    return found.map((entry) => entry.address);
  };
}

function within<T>(timeoutMs: number, work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new Error('the lookup was given up'));
    const timer = setTimeout(give, timeoutMs);
    signal?.addEventListener('abort', give, { once: true });
    if (signal?.aborted) give();
    void work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', give);
    });
  });
}
