import type { ToolSource } from '../core/source.js';
import type { InFlight } from './in-flight.js';

/** Closes sources that were removed or replaced, each after its last call or after the grace period. */
interface SourceDrain {
  close(source: ToolSource): void;
  /** Closes the remaining ones at once. */
  finish(): Promise<void>;
}

/** Drains sources in the background; the shutdown can hurry them. */
export function sourceDrain(options: {
  readonly inFlight: InFlight;
  readonly graceMs: () => number;
  readonly onProblem: (source: string, error: unknown) => void;
}): SourceDrain {
  const draining = new Map<ToolSource, { readonly closed: Promise<void>; readonly now: () => void }>();

  async function drain(source: ToolSource, hurried: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, options.graceMs()).unref();
    });
    await Promise.race([options.inFlight.ended(source.id), grace, hurried]);
    clearTimeout(timer);
    try {
      await source.close?.();
      // A source that cannot be closed must not hold up the others.
    } catch (error) {
      options.onProblem(source.id, error);
    } finally {
      draining.delete(source);
    }
  }

  return {
    close(source) {
      let now = (): void => {};
      const hurried = new Promise<void>((resolve) => (now = resolve));
      draining.set(source, { closed: drain(source, hurried), now });
    },
    async finish() {
      const all = [...draining.values()];
      // Hurried first, then awaited together.
      for (const { now } of all) now();
      await Promise.all(all.map(({ closed }) => closed));
    },
  };
}
