import type { ToolSource } from '../core/source.js';
import type { PlannedSource } from './plan.js';

/** Running sources by id, with the fingerprint of what each was built from. */
interface SourceMap {
  /** Sources of a plan: unchanged ones are the running ones, the others are built; nothing is closed. */
  build(planned: readonly PlannedSource[]): Promise<readonly ToolSource[]>;
  /** Makes the sources of the last `build` the running ones. */
  keep(): void;
}

/** An open source with what it was built from. */
interface BuiltSource {
  readonly fingerprint: string;
  readonly source: ToolSource;
}

/** Keeps open sources across reloads: restarting an unchanged server would drop its sessions and processes. */
export function sourceMap(): SourceMap {
  let running: ReadonlyMap<string, BuiltSource> = new Map();
  // Separate from `running` until `keep`: a rejected reload must not replace what runs.
  let latest: ReadonlyMap<string, BuiltSource> = running;
  return {
    async build(planned) {
      // In parallel: each may start a process or read a document.
      const built = await Promise.all(
        planned.map(async ({ id, fingerprint, open }): Promise<readonly [string, BuiltSource]> => {
          const known = running.get(id);
          return [id, known?.fingerprint === fingerprint ? known : { fingerprint, source: await open() }];
        }),
      );
      latest = new Map(built);
      return built.map(([, { source }]) => source);
    },
    keep() {
      running = latest;
    },
  };
}
