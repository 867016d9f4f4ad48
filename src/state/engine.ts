import { monotonic } from '../lib/clock.js';

/** Raised if a shared engine does not answer in time; callers fail closed or degrade, as documented for each kind of state. */
export class EngineDown extends Error {
  override readonly name: string = 'EngineDown';
}

/** Connection state of one engine, with a bound on the time that any call waits for it. */
export interface Engine {
  readonly name: string;
  /**
   * Runs one operation; rejects with EngineDown within the bound, at once while the engine is known to be down. Values above the
   * size of a record (`bytes`) may take longer.
   */
  run<T>(work: () => Promise<T>, bytes?: number): Promise<T>;
  /** Milliseconds since the engine stopped answering; undefined while it answers. */
  downForMs(): number | undefined;
  onChange(listener: (isUp: boolean) => void): void;
  close(): void;
}

interface EngineOptions {
  readonly name: string;
  /** Cheapest operation that proves the engine answers. */
  readonly probe: () => Promise<unknown>;
  readonly timeoutMs?: number;
  readonly probeMs?: number;
  /** Whether an error is an answer of the engine (a rejected statement) and not a lost connection. */
  readonly isAnswer?: (error: unknown) => boolean;
}

/** A call may wait 150 ms for an engine; the rest is for the timer of a busy process. */
const defaultTimeoutMs = 120;
const defaultProbeMs = 500;
/** Slowest acceptable transfer of a large value, such as the answer of a task. */
const bytesPerMs = 4_096;

/** Fails fast while an engine is down (circuit breaker), and finds out by itself when it is back. */
export function engine({
  name,
  probe,
  timeoutMs = defaultTimeoutMs,
  probeMs = defaultProbeMs,
  isAnswer = () => false,
}: EngineOptions): Engine {
  let downSince: number | undefined;
  let probing = 0;
  const listeners = new Set<(isUp: boolean) => void>();
  const set = (isUp: boolean): void => {
    if (isUp === (downSince === undefined)) return;
    downSince = isUp ? undefined : monotonic();
    for (const listener of listeners) listener(isUp);
  };
  const timer = setInterval(() => {
    // A stopped engine answers all probes at once when it continues; two waiting ones are enough.
    if (downSince === undefined || probing >= 2) return;
    probing += 1;
    probe()
      .then(
        () => set(true),
        (error: unknown) => isAnswer(error) && set(true),
      )
      .finally(() => (probing -= 1));
  }, probeMs).unref();

  return {
    name,
    run(work, bytes = 0) {
      if (downSince !== undefined) return Promise.reject(new EngineDown(`${name} does not answer`));
      return new Promise((resolve, reject) => {
        const boundMs = timeoutMs + Math.floor(bytes / bytesPerMs);
        let isSettled = false;
        const giveUp = (): void => {
          if (isSettled) return;
          set(false);
          reject(new EngineDown(`${name} did not answer within ${boundMs} ms`));
        };
        // After a long turn of the event loop the timer fires before the answer that has already arrived is read.
        const late = setTimeout(() => setImmediate(giveUp), boundMs);
        work().then(
          (value) => {
            isSettled = true;
            clearTimeout(late);
            resolve(value);
          },
          (error: unknown) => {
            isSettled = true;
            clearTimeout(late);
            if (isAnswer(error)) return reject(error instanceof Error ? error : new Error(String(error)));
            set(false);
            return reject(
              new EngineDown(`${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`),
            );
          },
        );
      });
    },
    downForMs: () => (downSince === undefined ? undefined : monotonic() - downSince),
    onChange: (listener) => void listeners.add(listener),
    close: () => clearInterval(timer),
  };
}
