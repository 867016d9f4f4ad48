import { definitionHash } from '../core/definition.js';
import type { ChangedList } from '../core/gateway.js';
import type { Prompt, Resource, ResourceTemplate } from '../core/prompt.js';
import type { SourceHealth, ToolSource, Withheld } from '../core/source.js';
import type { Tool } from '../core/tool.js';
import { neverAborted } from '../lib/light-signal.js';
import type { NameFilter } from './filter.js';
import { passesFilter } from './filter.js';
import { isToolName } from './naming.js';
import { assignAddresses } from './resource-owners.js';

/** Snapshot of everything offered; replaced at each change, so it can be compared by identity. */
export interface Catalogue {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** Names of tools that are switched off. */
  readonly disabled: ReadonlySet<string>;
}

export interface Registry {
  catalogue(): Catalogue;
  /** False if the tool does not exist. */
  setEnabled(name: string, enabled: boolean): boolean;
  /** Lists all sources again, or one; a source that fails keeps its last list and is reported. */
  refresh(signal: AbortSignal, source?: string): Promise<void>;
  /** Swaps sources and filter, and closes sources that were removed. */
  replace(sources: readonly ToolSource[], filter: NameFilter, signal: AbortSignal): Promise<void>;
  withheld(): readonly (Withheld & { readonly source: string })[];
  health(): Readonly<Record<string, SourceHealth>>;
  onChange(listener: (what: ChangedList) => void): () => void;
  /** Notifies listeners of a change in visibility that did not change the lists of the sources. */
  announce(what: ChangedList): void;
  close(): Promise<void>;
}

interface SourceEntry {
  readonly source: ToolSource;
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  resources: readonly Resource[];
  templates: readonly ResourceTemplate[];
  problem?: string | undefined;
  stop?: (() => void) | undefined;
}

/** Merges the lists of all sources. A broken source is reported and its tools are withheld; the others keep working. */
export function registry(options: {
  readonly sources: readonly ToolSource[];
  readonly filter: NameFilter;
  readonly onProblem?: (source: string, problem: string) => void;
  readonly quarantine?: (tools: Iterable<Tool>) => ReadonlyMap<string, string>;
  /** Applies the overrides of the operator. */ readonly adjust?: (tool: Tool) => Tool;
}): Registry {
  const { adjust = (tool: Tool) => tool } = options;
  let filter = options.filter;
  let shelves = options.sources.map(shelf);
  let left: (Withheld & { readonly source: string })[] = [];
  let disabled: ReadonlySet<string> = new Set();
  let current: Catalogue = { tools: new Map(), prompts: [], resources: [], templates: [], disabled };
  const listeners = new Set<(what: ChangedList) => void>();

  const announce = (what: ChangedList): void => {
    for (const listener of listeners) listener(what);
  };

  function shelf(source: ToolSource): SourceEntry {
    return { source, tools: [], prompts: [], resources: [], templates: [] };
  }

  async function fill(of: SourceEntry, signal: AbortSignal): Promise<void> {
    of.stop ??= of.source.onChange?.(() => void refresh(neverAborted(), of.source.id));
    try {
      const [tools, prompts, resources, templates] = await Promise.all([
        of.source.list(signal),
        of.source.prompts?.(signal) ?? [],
        of.source.resources?.(signal) ?? [],
        of.source.templates?.(signal) ?? [],
      ]);
      Object.assign(of, { tools, prompts, resources, templates, problem: undefined });
    } catch (error) {
      of.problem = error instanceof Error ? error.message : String(error);
      options.onProblem?.(of.source.id, of.problem);
    }
  }

  function assemble(): void {
    const tools = new Map<string, Tool>();
    const problems: (Withheld & { readonly source: string })[] = [];
    /** First item of each name; a later one of another source is reported as withheld. */
    const unique = <T extends { readonly source: string }>(
      kind: string,
      of: (each: SourceEntry) => readonly T[],
      key: (item: T) => string,
    ): readonly T[] => {
      const first = new Map<string, T>();
      for (const item of shelves.flatMap(of)) {
        const taken = first.get(key(item));
        if (taken === undefined) first.set(key(item), item);
        else
          problems.push({
            source: item.source,
            what: `${kind} ${key(item)}`,
            why: `it is taken by source ${taken.source}`,
          });
      }
      return [...first.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    };
    for (const { source, tools: offered, problem } of shelves) {
      if (problem !== undefined) problems.push({ source: source.id, what: source.id, why: problem });
      for (const withheld of source.withheld?.() ?? [])
        if (withheld.why !== problem) problems.push({ source: source.id, ...withheld });
      for (const tool of offered) {
        if (!passesFilter(filter, tool.name)) continue;
        const why = !isToolName(tool.name)
          ? 'the name does not match ^[A-Za-z0-9_-]{1,64}$'
          : tools.has(tool.name)
            ? `the name is taken by source ${tools.get(tool.name)?.source}`
            : undefined;
        if (why === undefined) tools.set(tool.name, adjust(tool));
        else problems.push({ source: source.id, what: tool.name, why });
      }
    }
    for (const [name, why] of options.quarantine?.(tools.values()) ?? []) {
      problems.push({ source: tools.get(name)?.source ?? '', what: name, why });
      tools.delete(name);
    }
    const addresses = assignAddresses(shelves, tools);
    const sorted = new Map([...tools].sort(([a], [b]) => (a < b ? -1 : 1)));
    const next: Catalogue = {
      tools: sorted,
      disabled,
      prompts: unique(
        'prompt',
        (each) => each.prompts,
        ({ name }) => name,
      ),
      resources: addresses.resources,
      templates: addresses.templates,
    };
    problems.push(...addresses.withheld);
    const before = current;
    current = next;
    left = problems;
    if (!sameTools(before.tools, next.tools)) announce('tools');
    if (!sameList(before.prompts, next.prompts)) announce('prompts');
    if (!sameList(before.resources, next.resources) || !sameList(before.templates, next.templates))
      announce('resources');
  }

  async function refresh(signal: AbortSignal, id?: string): Promise<void> {
    await Promise.all(
      shelves.filter((each) => id === undefined || each.source.id === id).map((each) => fill(each, signal)),
    );
    assemble();
  }

  const closeShelf = async (each: SourceEntry): Promise<void> => {
    each.stop?.();
    await each.source.close?.();
  };

  return {
    catalogue: () => current,
    setEnabled(name, enabled) {
      if (!current.tools.has(name)) return false;
      if (enabled !== disabled.has(name)) return true;
      const names = new Set(disabled);
      if (enabled) names.delete(name);
      else names.add(name);
      disabled = names;
      current = { ...current, disabled };
      announce('tools');
      return true;
    },
    refresh,
    async replace(sources, newFilter, signal) {
      const kept = new Set(sources);
      const gone = shelves.filter((each) => !kept.has(each.source));
      const known = new Map(shelves.map((each) => [each.source, each]));
      const next = sources.map((source) => known.get(source) ?? shelf(source));
      // New sources are listed before the swap, so that no caller sees an empty catalogue.
      await Promise.all(next.filter((each) => !known.has(each.source)).map((each) => fill(each, signal)));
      shelves = next;
      filter = newFilter;
      assemble();
      await Promise.all(gone.map(closeShelf));
    },
    withheld: () => left,
    health() {
      const report: Record<string, SourceHealth> = {};
      for (const each of shelves)
        report[each.source.id] =
          each.problem === undefined
            ? (each.source.health?.() ?? { status: 'healthy' })
            : { status: 'unhealthy', detail: each.problem };
      return report;
    },
    announce,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      await Promise.all(shelves.map(closeShelf));
    },
  };
}

/** Whether clients see the same items: a source may rebuild them without a change. */
const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length &&
  a.every((item, index) => item === b[index] || JSON.stringify(item) === JSON.stringify(b[index]));

/** Whether clients see the same tools: a source may rebuild them without a change. */
function sameTools(a: ReadonlyMap<string, Tool>, b: ReadonlyMap<string, Tool>): boolean {
  if (a.size !== b.size) return false;
  for (const [name, tool] of a) {
    const other = b.get(name);
    if (other === tool) continue;
    if (other === undefined || (other.unavailable === undefined) !== (tool.unavailable === undefined)) return false;
    if (definitionHash(other) !== definitionHash(tool)) return false;
  }
  return true;
}
