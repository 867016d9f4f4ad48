import { definitionHash } from '../core/definition.js';
import type { Prompt, Resource, ResourceTemplate } from '../core/prompt.js';
import type { Withheld } from '../core/source.js';
import type { Tool } from '../core/tool.js';
import type { NameFilter } from './filter.js';
import { passesFilter } from './filter.js';
import { isToolName } from './naming.js';
import { assignAddresses } from './resource-owners.js';
import type { SourceEntry } from './source-entry.js';

/** Snapshot of everything offered; replaced at each change, so it can be compared by identity. */
export interface Catalogue {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** Names of tools that are switched off. */
  readonly disabled: ReadonlySet<string>;
}

/** What the configuration does to the lists of the sources; part of every listing, also of sources that are listed late. */
export interface CatalogueTerms {
  readonly filter: NameFilter;
  /** Applies the overrides of the operator. */
  adjust(tool: Tool): Tool;
  /** Whether the configuration switches a tool off. */
  isDisabled(name: string): boolean;
}

export type WithheldItem = Withheld & { readonly source: string };

export interface Assembled {
  readonly catalogue: Catalogue;
  readonly withheld: readonly WithheldItem[];
}

/** Merges the lists of all sources. The first source keeps a name; a later one is reported as withheld. */
export function assembleCatalogue(
  entries: readonly SourceEntry[],
  terms: CatalogueTerms,
  options: {
    readonly quarantine?: ((tools: Iterable<Tool>) => ReadonlyMap<string, string>) | undefined;
    /** Switches set at run time; they take precedence over the configuration. */
    readonly switches: ReadonlyMap<string, boolean>;
  },
): Assembled {
  const withheld: WithheldItem[] = [];
  const tools = new Map<string, Tool>();
  for (const entry of entries) {
    const { source } = entry;
    const problem = entry.problem();
    if (problem !== undefined) withheld.push({ source: source.id, what: source.id, why: problem });
    for (const item of source.withheld?.() ?? [])
      if (item.why !== problem) withheld.push({ source: source.id, ...item });
    for (const tool of entry.serving().listing().tools) {
      if (!passesFilter(terms.filter, tool.name)) continue;
      const why = !isToolName(tool.name)
        ? 'the name does not match ^[A-Za-z0-9_-]{1,64}$'
        : tools.has(tool.name)
          ? `the name is taken by source ${tools.get(tool.name)?.source}`
          : undefined;
      if (why === undefined) tools.set(tool.name, terms.adjust(tool));
      else withheld.push({ source: source.id, what: tool.name, why });
    }
  }
  for (const [name, why] of options.quarantine?.(tools.values()) ?? []) {
    withheld.push({ source: tools.get(name)?.source ?? '', what: name, why });
    tools.delete(name);
  }
  const prompts = new Map<string, Prompt>();
  for (const prompt of entries.flatMap((entry) => entry.serving().listing().prompts)) {
    const taken = prompts.get(prompt.name);
    if (taken === undefined) prompts.set(prompt.name, prompt);
    else
      withheld.push({
        source: prompt.source,
        what: `prompt ${prompt.name}`,
        why: `it is taken by source ${taken.source}`,
      });
  }
  const addresses = assignAddresses(
    entries.map((entry) => ({ source: entry.source, ...entry.serving().listing() })),
    tools,
  );
  withheld.push(...addresses.withheld);
  const catalogue: Catalogue = {
    tools: new Map([...tools].sort(([a], [b]) => (a < b ? -1 : 1))),
    prompts: [...prompts.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    resources: addresses.resources,
    templates: addresses.templates,
    disabled: disabledIn(tools.keys(), terms, options.switches),
  };
  return { catalogue, withheld };
}

/** Names that are switched off: by the operator at run time, else by the configuration. */
export function disabledIn(
  names: Iterable<string>,
  terms: CatalogueTerms,
  switches: ReadonlyMap<string, boolean>,
): ReadonlySet<string> {
  const disabled = new Set<string>();
  for (const name of names) if (!(switches.get(name) ?? !terms.isDisabled(name))) disabled.add(name);
  return disabled;
}

/** Whether clients see the same items: a source may rebuild them without a change. */
export const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length &&
  a.every((item, index) => item === b[index] || JSON.stringify(item) === JSON.stringify(b[index]));

/** Whether clients see the same tools: a source may rebuild them without a change. */
export function sameTools(a: Catalogue, b: Catalogue): boolean {
  if (a.tools.size !== b.tools.size) return false;
  for (const [name, tool] of a.tools) {
    const other = b.tools.get(name);
    if (a.disabled.has(name) !== b.disabled.has(name)) return false;
    if (other === tool) continue;
    if (other === undefined || (other.unavailable === undefined) !== (tool.unavailable === undefined)) return false;
    if (definitionHash(other) !== definitionHash(tool)) return false;
  }
  return true;
}
