import type { Prompt, Resource, ResourceTemplate } from '../core/prompt.js';
import type { SourceHealth, ToolSource } from '../core/source.js';
import type { Tool } from '../core/tool.js';

/** What a source offers. */
export interface SourceListing {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** Listing of a source that has not answered yet. */
const emptyListing: SourceListing = { tools: [], prompts: [], resources: [], templates: [] };

/** Delays between attempts to list a source that failed. */
export interface RetryDelays {
  readonly firstMs: number;
  readonly maxMs: number;
  readonly random: () => number;
}

/** Doubles from a second to a minute. */
export const defaultRetryDelays: RetryDelays = { firstMs: 1_000, maxMs: 60_000, random: Math.random };

/** What an entry is built from. */
interface SourceEntryOptions {
  readonly source: ToolSource;
  /** Source of the same id that serves until this one is listed. */
  readonly predecessor?: SourceEntry;
  readonly delays: RetryDelays;
  /** Called when the source announces a change, and when a failed listing is due again. */
  readonly onDue: (entry: SourceEntry) => void;
  readonly onProblem: (problem: string) => void;
  readonly onRecovered: () => void;
}

/** One source with its last good list. A failed listing is retried with exponential back-off and jitter, without end. */
export interface SourceEntry {
  readonly source: ToolSource;
  /** Entry whose list is offered: this one, or the predecessor until this one is listed. */
  serving(): SourceEntry;
  listing(): SourceListing;
  problem(): string | undefined;
  health(): SourceHealth;
  /** Lists the source; resolves also if that fails. */
  fill(signal: AbortSignal): Promise<void>;
  /** Detaches the predecessor if it is no longer needed. */
  takeReplaced(): SourceEntry | undefined;
  /** Stops retries and change notifications; the source itself stays open. */
  stop(): void;
}

/** Keeps the last good list of a source: a failing one must not make its tools vanish. */
export function sourceEntry(options: SourceEntryOptions): SourceEntry {
  const { source, delays, onDue, onProblem, onRecovered } = options;
  let { predecessor } = options;
  let listing: SourceListing = emptyListing;
  let listed = false;
  let problem: string | undefined;
  let failures = 0;
  let retryAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let unsubscribe: (() => void) | undefined;

  function failedWith(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    failures += 1;
    const delay = Math.min(delays.maxMs, delays.firstMs * 2 ** Math.min(failures - 1, 20));
    // Jitter, so that many sources of one host do not retry together (thundering herd).
    const jittered = Math.round(delay * (0.75 + delays.random() / 2));
    retryAt = performance.now() + jittered;
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => onDue(entry), jittered).unref();
    // Reported once per reason: a source that stays down must not fill the log.
    if (problem === message) return;
    problem = message;
    onProblem(message);
  }

  const entry: SourceEntry = {
    source,
    // Until the new source is listed, its predecessor serves.
    serving: () => (listed ? entry : (predecessor?.serving() ?? entry)),
    listing: () => listing,
    problem: () => problem,
    health() {
      const own: SourceHealth =
        problem === undefined
          ? (source.health?.() ?? { status: 'healthy' })
          : { status: 'unhealthy', detail: retrying(), retryInSeconds: retrySeconds() };
      return listed || predecessor === undefined
        ? own
        : { status: 'degraded', detail: `its new configuration is not active yet: ${own.detail ?? 'starting'}` };
    },
    async fill(signal) {
      // Subscribed with the first listing, so that no change is missed between the two.
      unsubscribe ??= source.onChange?.(() => onDue(entry));
      try {
        const [tools, prompts, resources, templates] = await Promise.all([
          source.list(signal),
          source.prompts?.(signal) ?? [],
          source.resources?.(signal) ?? [],
          source.templates?.(signal) ?? [],
        ]);
        // Stopped meanwhile: the list belongs to no catalogue any more.
        if (stopped) return;
        clearTimeout(timer);
        listing = { tools, prompts, resources, templates };
        // A source may answer before it has its list, as one that still starts does.
        listed ||= source.isListed?.() ?? true;
        failures = 0;
        if (problem === undefined) return;
        problem = undefined;
        onRecovered();
      } catch (error) {
        if (!stopped) failedWith(error);
      }
    },
    takeReplaced() {
      if (!listed) return undefined;
      const replaced = predecessor;
      predecessor = undefined;
      return replaced;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      unsubscribe?.();
      predecessor?.stop();
    },
  };
  const retrySeconds = (): number => Math.max(0, Math.ceil((retryAt - performance.now()) / 1000));
  const retrying = (): string =>
    `${shorten(problem ?? '')}; next attempt in ${retrySeconds()} s (failed ${failures === 1 ? 'once' : `${failures} times`})`;
  return entry;
}

/** Characters of a problem in a health report. */
const maxProblemLength = 150;

/** Keeps the beginning of a long problem, so that what follows it is not cut off in a health report. */
const shorten = (problem: string): string =>
  problem.length > maxProblemLength ? `${problem.slice(0, maxProblemLength)}…` : problem;
