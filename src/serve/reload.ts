import type { Config } from '../config/schema.js';
import type { ToolSource } from '../core/source.js';
import { neverAborted } from '../lib/light-signal.js';
import type { Registry, RegistryState, StagedSources } from '../registry/registry.js';
import { formatRuleProblems, unresolvableNames } from '../access/configured/compiled-rules.js';
import type { GateSources } from './gate-sources.js';
import type { Runtime } from './runtime.js';

/** What a reload works with. */
interface ReloadOptions {
  readonly registry: Registry;
  readonly sources: GateSources;
  current(): Runtime;
  /** Makes a runtime the active one; synchronous. */
  swap(runtime: Runtime): void;
  assemble(config: Config): Runtime;
  restrict(previous: Runtime, next: Runtime): Runtime;
  /** Prepares stores that the configuration needs. */
  prepare(config: Config): Promise<void>;
  isClosed(): boolean;
}

/** Activates configurations, one after the other. Rejects, with the active one unchanged, if a configuration cannot be activated. */
export function reloader(options: ReloadOptions): (next: Config) => Promise<void> {
  // Reloads run one after the other: the last file wins, never the slowest.
  let queue: Promise<unknown> = Promise.resolve();
  return (next) => {
    const done = queue.then(() => activate(next, options));
    // A failed reload must not block the next one.
    queue = done.catch(() => undefined);
    return done;
  };
}

/**
 * Builds everything first, then swaps in one synchronous step. If sources must be listed before, what the new configuration
 * restricts (credentials, denials, filters, switches) is active at once and what it adds only with the final swap: a slow source
 * cannot delay a tightening, and a new tool is never callable under the old rules.
 */
async function activate(next: Config, options: ReloadOptions): Promise<void> {
  const { registry, sources, current, swap } = options;
  const previous = current();
  // Built completely first: an error here leaves everything as it was.
  const wanted = options.assemble(next);
  let staged: StagedSources | undefined;
  let isRestricted = false;
  try {
    const built = await sources.build(next);
    const running = new Set(registry.sources());
    // Early: rules about sources that do not change can be checked before anything is started.
    rejectUnknown(wanted, exceptChanged(registry, built, running));
    // Without new sources there is nothing to wait for, and the final swap follows at once.
    if (built.some((source) => !running.has(source))) {
      const restricted = options.restrict(previous, wanted);
      registry.applyTerms(restricted.terms, () => swap(restricted));
      isRestricted = true;
    }
    [staged] = await Promise.all([registry.stage(built, neverAborted()), options.prepare(next)]);
    // A reload that finishes after the shutdown would start processes that nothing ends.
    if (options.isClosed()) throw new Error('the gateway is stopping');
    // Only now all tools are known. A rule about an unknown tool protects nothing, so the whole configuration is rejected.
    rejectUnknown(wanted, staged.preview(wanted.terms));
  } catch (error) {
    // Back to what was active, in the same single step.
    if (isRestricted) registry.applyTerms(previous.terms, () => swap(previous));
    await staged?.discard();
    await wanted.credentials.close();
    throw error;
  }
  staged.commit(wanted.terms, () => swap(wanted));
  // Only now: had the swap failed, the previous sources would still be the running ones.
  sources.keep();
  // Not awaited: requests that use the old keys may still be in flight.
  void previous.credentials.close();
  for (const what of ['tools', 'prompts', 'resources'] as const) registry.announce(what);
}

/** Throws if a rule names a tool that no listed or pending source can have. */
function rejectUnknown({ rules }: Runtime, known: RegistryState): void {
  const unknown = unresolvableNames(rules, known);
  if (unknown.length > 0) throw new Error(formatRuleProblems(unknown));
}

/** The present state without the sources that change: names of theirs may still appear. */
function exceptChanged(
  registry: Registry,
  built: readonly ToolSource[],
  running: ReadonlySet<ToolSource>,
): RegistryState {
  const kept = new Set(built.filter((source) => running.has(source)).map(({ id }) => id));
  return {
    catalogue: registry.catalogue,
    withheld: registry.withheld,
    health: () => Object.fromEntries(Object.entries(registry.health()).filter(([id]) => kept.has(id))),
  };
}
