import type { ChangedList } from '../core/gateway.js';
import type { SourceHealth, ToolSource } from '../core/source.js';
import type { Tool } from '../core/tool.js';
import { neverAborted } from '../lib/light-signal.js';
import type { Catalogue, CatalogueTerms, WithheldItem } from './catalogue.js';
import { assembleCatalogue, disabledIn, sameList, sameTools } from './catalogue.js';
import type { NameFilter } from './filter.js';
import type { RetryDelays, SourceEntry } from './source-entry.js';
import { defaultRetryDelays, sourceEntry } from './source-entry.js';

export type { Catalogue, CatalogueTerms } from './catalogue.js';

/** The tools that exist, and the state of their sources. */
export interface RegistryState {
  catalogue(): Catalogue;
  withheld(): readonly WithheldItem[];
  health(): Readonly<Record<string, SourceHealth>>;
}

export interface Registry extends RegistryState {
  sources(): readonly ToolSource[];
  /** Switches a tool on or off until changed again, also across reloads; false if the tool does not exist. */
  setEnabled(name: string, enabled: boolean): boolean;
  /** The same for a switch that another replica has set; its tool may appear later. */
  setSwitch(name: string, enabled: boolean): void;
  /** Lists all sources again, or one; a source that fails keeps its last list, is reported and retried. */
  refresh(signal: AbortSignal, source?: string): Promise<void>;
  /** Lists the sources that are new, beside the active ones; nothing is offered before `commit`. */
  stage(sources: readonly ToolSource[], signal: AbortSignal): Promise<StagedSources>;
  /** Applies other terms to the same sources, at once. */
  applyTerms(terms: CatalogueTerms, swap?: () => void): void;
  onChange(listener: (what: ChangedList) => void): () => void;
  /** Notifies listeners of a change in visibility that did not change the lists of the sources. */
  announce(what: ChangedList): void;
  close(): Promise<void>;
}

/** Sources that are listed and not yet active. */
export interface StagedSources {
  /** The state after `commit` with these terms. */
  preview(terms: CatalogueTerms): RegistryState;
  /**
   * Swaps sources and terms in one synchronous step; `swap` runs between the swap and the notifications. Sources that are no
   * longer used are passed to `onRemoved`.
   */
  commit(terms: CatalogueTerms, swap?: () => void): void;
  /** Closes the new sources. */
  discard(): Promise<void>;
}

interface RegistryOptions {
  readonly sources: readonly ToolSource[];
  readonly filter: NameFilter;
  readonly adjust?: (tool: Tool) => Tool;
  readonly shown?: CatalogueTerms['shown'];
  readonly isDisabled?: (name: string) => boolean;
  readonly onProblem?: (source: string, problem: string) => void;
  readonly onRecovered?: (source: string) => void;
  readonly quarantine?: (tools: Iterable<Tool>) => ReadonlyMap<string, string>;
  /** Closes a source that was removed or replaced; by default at once. */
  readonly onRemoved?: (source: ToolSource) => void;
  readonly retry?: Partial<RetryDelays>;
}

/** Merges the lists of all sources. A broken source is reported and retried; the others keep working. */
export function registry(options: RegistryOptions): Registry {
  const { quarantine, onRemoved = (source: ToolSource) => void source.close?.() } = options;
  const delays = { ...defaultRetryDelays, ...options.retry };
  const switches = new Map<string, boolean>();
  const listeners = new Set<(what: ChangedList) => void>();
  let terms: CatalogueTerms = {
    filter: options.filter,
    adjust: options.adjust ?? ((tool) => tool),
    ...(options.shown && { shown: options.shown }),
    isDisabled: options.isDisabled ?? (() => false),
  };
  let entries = options.sources.map((source) => newEntry(source));
  let withheld: readonly WithheldItem[] = [];
  let current: Catalogue = {
    tools: new Map(),
    prompts: [],
    resources: [],
    templates: [],
    addresses: [],
    filtered: new Set(),
    disabled: new Set(),
  };

  function newEntry(source: ToolSource, predecessor?: SourceEntry): SourceEntry {
    return sourceEntry({
      source,
      delays,
      ...(predecessor && { predecessor }),
      onDue: (entry) => void refreshEntries([entry], neverAborted()),
      onProblem: (problem) => options.onProblem?.(source.id, problem),
      onRecovered: () => options.onRecovered?.(source.id),
    });
  }

  const announce = (what: ChangedList): void => {
    for (const listener of listeners) listener(what);
  };

  const remove = (entry: SourceEntry): void => {
    entry.stop();
    onRemoved(entry.source);
  };

  function assemble(swap?: () => void): void {
    const before = current;
    ({ catalogue: current, withheld } = assembleCatalogue(entries, terms, { quarantine, switches }));
    for (const entry of entries) for (let old = entry.takeReplaced(); old; old = old.takeReplaced()) remove(old);
    swap?.();
    if (!sameTools(before, current)) announce('tools');
    if (!sameList(before.prompts, current.prompts)) announce('prompts');
    if (!sameList(before.resources, current.resources) || !sameList(before.templates, current.templates))
      announce('resources');
  }

  async function refreshEntries(due: readonly SourceEntry[], signal: AbortSignal): Promise<void> {
    await Promise.all(due.map((entry) => entry.fill(signal)));
    // A staged entry may announce a change before it is active; its list counts from the commit on.
    const active = due.filter((entry) => entries.includes(entry));
    if (active.length > 0) assemble();
    // Their lists are not part of the catalogue, so that a comparison of catalogues cannot see a change.
    if (active.some(({ source }) => source.personal !== undefined)) announce('resources');
  }

  async function stage(sources: readonly ToolSource[], signal: AbortSignal): Promise<StagedSources> {
    const bySource = new Map(entries.map((entry) => [entry.source, entry]));
    const byId = new Map(entries.map((entry) => [entry.source.id, entry]));
    const next = sources.map((source) => {
      const known = bySource.get(source);
      if (known !== undefined) return known;
      const old = byId.get(source.id);
      return newEntry(source, old && isSuccessor(source, old.source) ? old.serving() : undefined);
    });
    const added = next.filter((entry) => !bySource.has(entry.source));
    await Promise.all(added.map((entry) => entry.fill(signal)));
    return {
      preview(wanted) {
        const { catalogue, withheld: left } = assembleCatalogue(next, wanted, { quarantine, switches });
        return { catalogue: () => catalogue, withheld: () => left, health: () => healthOf(next) };
      },
      commit(wanted, swap) {
        const serving = new Set(next.map((entry) => entry.serving()));
        const gone = entries.filter((entry) => !next.includes(entry) && !serving.has(entry));
        entries = next;
        terms = wanted;
        assemble(swap);
        for (const entry of gone) remove(entry);
        // A predecessor keeps its last list; changes of it no longer count.
        for (const entry of serving) if (!next.includes(entry)) entry.stop();
      },
      async discard() {
        for (const { source } of added) await source.close?.();
      },
    };
  }

  return {
    catalogue: () => current,
    sources: () => entries.map(({ source }) => source),
    setEnabled(name, enabled) {
      if (!current.tools.has(name)) return false;
      const wasEnabled = !current.disabled.has(name);
      switches.set(name, enabled);
      if (wasEnabled === enabled) return true;
      current = { ...current, disabled: disabledIn(current.tools.values(), terms, switches) };
      announce('tools');
      return true;
    },
    setSwitch(name, enabled) {
      switches.set(name, enabled);
      if (!current.tools.has(name) || !current.disabled.has(name) === enabled) return;
      current = { ...current, disabled: disabledIn(current.tools.values(), terms, switches) };
      announce('tools');
    },
    refresh: (signal, id) =>
      refreshEntries(
        entries.filter(({ source }) => id === undefined || source.id === id),
        signal,
      ),
    stage,
    applyTerms(wanted, swap) {
      terms = wanted;
      assemble(swap);
    },
    withheld: () => withheld,
    health: () => healthOf(entries),
    announce,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      for (const entry of entries) entry.stop();
      const all = new Set(entries.flatMap((entry) => [entry.source, entry.serving().source]));
      await Promise.all([...all].map((source) => source.close?.()));
    },
  };
}

/** A source may serve for its successor only if both stand for the same server: a new address must not inherit names. */
const isSuccessor = (next: ToolSource, old: ToolSource): boolean =>
  next.identity !== undefined && next.identity === old.identity;

const healthOf = (entries: readonly SourceEntry[]): Readonly<Record<string, SourceHealth>> =>
  Object.fromEntries(entries.map((entry) => [entry.source.id, entry.health()]));
