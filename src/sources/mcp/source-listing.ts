import type { Preparation } from '../preparation.js';
import { emptyListing } from './catalog/listing.js';
import type { Listing } from './catalog/listing.js';

interface SourceListingOptions {
  readonly id: string;
  readonly remote: boolean;
  readonly load: (signal: AbortSignal) => Promise<Listing>;
  /** Longest wait for the first listing. */
  readonly startupMs: number;
  readonly preparation?: Preparation | undefined;
  /** Called when a late first listing has ended, with success or failure. */
  readonly onLate: () => void;
}

/** The last good listing of a source, and the one that is being loaded. */
interface SourceListing {
  /** Last good listing. */
  good(): Listing | undefined;
  /** Why the last load failed; undefined after a good one. */
  problem(): string | undefined;
  loading(): Promise<Listing> | undefined;
  /** Loads the listing; a first one that takes longer than `startupMs` is replaced by an empty one until it arrives. */
  list(signal: AbortSignal): Promise<Listing>;
  /** Result of the latest `list`, so that prompts and resources do not wait longer than tools. */
  latest(): Promise<Listing>;
  stillStarting(): string;
}

export function sourceListing(options: SourceListingOptions): SourceListing {
  const { id, preparation } = options;
  let good: Listing | undefined;
  let loading: Promise<Listing> | undefined;
  let problem: string | undefined;
  let current: Promise<Listing> | undefined;

  const stillStarting = (): string => {
    const at = preparation?.current();
    if (at === undefined) return `is still starting after ${options.startupMs / 1000} s`;
    return `is still starting: ${at.phase}${at.what === undefined ? '' : ` ${at.what}`}, ${at.seconds} s`;
  };

  async function load(signal: AbortSignal): Promise<Listing> {
    try {
      good = await options.load(signal);
      problem = undefined;
      return good;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      loading = undefined;
      // With a list the phase lasts until the registry has it: until then a call would find neither tool nor phase.
      if (!good) preparation?.leave();
    }
  }

  /** Loads once at a time; concurrent callers share the result. */
  function reload(signal: AbortSignal): Promise<Listing> {
    // A local server first installs and scans its code, and reports that itself.
    if (options.remote && !good && !loading) preparation?.enter('start');
    return (loading ??= load(signal));
  }

  async function firstInTime(coming: Promise<Listing>): Promise<Listing> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), options.startupMs)));
    const first = await Promise.race([coming, late]).finally(() => clearTimeout(timer));
    if (first !== 'late') return first;
    // Success or failure: trigger a new listing that shows the result.
    coming.then(options.onLate, options.onLate);
    return { ...emptyListing, withheld: [{ what: id, why: stillStarting() }] };
  }

  return {
    good: () => good,
    problem: () => problem,
    loading: () => loading,
    stillStarting,
    async list(signal) {
      const coming = reload(signal);
      const listing = await (current = good ? coming : firstInTime(coming));
      if (good) preparation?.finish();
      return listing;
    },
    async latest() {
      try {
        return (await current) ?? emptyListing;
      } catch {
        return good ?? emptyListing; // list() reports the reason
      }
    },
  };
}
