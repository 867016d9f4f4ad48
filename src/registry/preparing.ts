import type { SourceHealth, SourcePhase } from '../core/source.js';
import type { Registry } from './registry.js';

/** A source that has no list yet and is being installed, scanned or started. */
export interface PreparingSource {
  readonly source: string;
  readonly phase: SourcePhase;
  readonly detail: string;
}

/** Calls that may wait for sources at once; more are refused at once, so that waiting costs a bounded amount of memory. */
const maxWaiting = 256;
/** Longest wait of a call without a timeout of its caller: below the usual minute of MCP clients. */
const defaultWaitMs = 25_000;

/** Lets calls wait for the source that will offer their tool. */
export interface PreparingSources {
  /** The source in preparation whose prefix a name has, if any. */
  find(name: string): PreparingSource | undefined;
  /** Resolves when the source is no longer in preparation, the time is over or the signal fires. */
  wait(source: string, timeoutMs: number | undefined, signal: AbortSignal): Promise<void>;
}

export function preparingSources(
  registry: Pick<Registry, 'health' | 'onChange'>,
  /** Prefix of the names of a source; '' if it has none, so that no name can be assigned to it. */
  prefixOf: (source: string) => string,
  /** The name under which a source lists a tool that the operator renamed; any other name is returned as it is. */
  listedNameOf: (name: string) => string = (name) => name,
): PreparingSources {
  let waiting = 0;
  const phaseOf = (health: SourceHealth | undefined): SourcePhase | undefined => health?.phase;
  return {
    find(name) {
      const listed = listedNameOf(name);
      for (const [source, health] of Object.entries(registry.health())) {
        const phase = phaseOf(health);
        if (phase === undefined) continue;
        const prefix = prefixOf(source);
        if (prefix !== '' && listed.startsWith(prefix)) return { source, phase, detail: health.detail ?? phase };
      }
      return undefined;
    },
    wait(source, timeoutMs, signal) {
      if (waiting >= maxWaiting || signal.aborted) return Promise.resolve();
      waiting += 1;
      return new Promise((resolve) => {
        const finish = (): void => {
          waiting -= 1;
          clearTimeout(timer);
          clearInterval(poll);
          unsubscribe();
          signal.removeEventListener('abort', finish);
          resolve();
        };
        const check = (): void => {
          if (phaseOf(registry.health()[source]) === undefined) finish();
        };
        const unsubscribe = registry.onChange(check);
        // A source that fails changes no list, so its state is asked too.
        const poll = setInterval(check, 250).unref();
        const timer = setTimeout(finish, Math.min(timeoutMs ?? defaultWaitMs, 600_000)).unref();
        signal.addEventListener('abort', finish, { once: true });
      });
    },
  };
}
