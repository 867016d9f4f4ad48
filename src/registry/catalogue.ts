import { definitionHash } from '../core/definition.js';
import type { Prompt, Resource, ResourceTemplate } from '../core/prompt.js';
import type { Withheld } from '../core/source.js';
import { listedName, type Tool } from '../core/tool.js';
import type { NameFilter } from './filter.js';
import { passesFilter } from './filter.js';
import { isToolName } from './naming.js';
import { assignAddresses, type SourceAddresses } from './resource-owners.js';
import type { ShownTools } from './shown-tools.js';
import type { SourceEntry, SourceListing } from './source-entry.js';

/** Snapshot of everything offered; replaced at each change, so it can be compared by identity. */
export interface Catalogue {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** The same by source, in the order in which addresses are assigned. */
  readonly addresses: readonly SourceAddresses[];
  /** Names, as listed, of tools that the filter of the operator leaves out. */
  readonly filtered: ReadonlySet<string>;
  /** Names of tools that are switched off. */
  readonly disabled: ReadonlySet<string>;
}

/** What the configuration does to the lists of the sources; part of every listing, also of sources that are listed late. */
export interface CatalogueTerms {
  /** By the names that the sources list. */
  readonly filter: NameFilter;
  /** Applies the limits and effects of the operator. */
  adjust(tool: Tool): Tool;
  /** Applies the names and texts of the operator; absent: all tools are shown as listed. */
  readonly shown?: ShownTools;
  /** Whether the configuration switches a tool off, by the name that its source lists. */
  isDisabled(name: string): boolean;
}

export type WithheldItem = Withheld & { readonly source: string };

interface Assembled {
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
  const listed = new Map<string, Tool>();
  const filtered = new Set<string>();
  for (const entry of entries) {
    const { source } = entry;
    const problem = entry.problem();
    if (problem !== undefined) withheld.push({ source: source.id, what: source.id, why: problem });
    for (const item of source.withheld?.() ?? [])
      if (item.why !== problem) withheld.push({ source: source.id, ...item });
    for (const tool of entry.serving().listing().tools) {
      if (!passesFilter(terms.filter, tool.name)) {
        filtered.add(tool.name);
        continue;
      }
      const why = !isToolName(tool.name)
        ? 'the name does not match ^[A-Za-z0-9_-]{1,64}$'
        : listed.has(tool.name)
          ? `the name is taken by source ${listed.get(tool.name)?.source}`
          : undefined;
      if (why === undefined) listed.set(tool.name, terms.adjust(tool));
      else withheld.push({ source: source.id, what: tool.name, why });
    }
  }
  // Judged as listed: a new name must not hide that a tool imitates another.
  for (const [name, why] of options.quarantine?.(listed.values()) ?? []) {
    withheld.push({ source: listed.get(name)?.source ?? '', what: name, why });
    listed.delete(name);
  }
  const { tools, newNames, taken } = showTools(listed, terms.shown);
  withheld.push(...taken);
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
  const addresses = entries.map((entry): SourceAddresses => {
    const { source } = entry.serving();
    return { source, ...withNewNames(entry.serving().listing(), newNames) };
  });
  const owned = assignAddresses(addresses, tools);
  withheld.push(...owned.withheld);
  const catalogue: Catalogue = {
    tools: new Map([...tools].sort(([a], [b]) => (a < b ? -1 : 1))),
    prompts: [...prompts.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    resources: owned.resources,
    templates: owned.templates,
    addresses,
    filtered,
    disabled: disabledIn(tools.values(), terms, options.switches),
  };
  return { catalogue, withheld };
}

/**
 * Applies the names of the operator. A name that the operator gave belongs to that tool alone, also while its source is down: rules name
 * it, and another server must not answer for it (tool shadowing).
 */
function showTools(
  listed: ReadonlyMap<string, Tool>,
  shown: ShownTools | undefined,
): {
  readonly tools: ReadonlyMap<string, Tool>;
  /** New names, by the listed ones. */
  readonly newNames: ReadonlyMap<string, string>;
  readonly taken: readonly WithheldItem[];
} {
  if (shown === undefined) return { tools: listed, newNames: new Map(), taken: [] };
  const tools = new Map<string, Tool>();
  const newNames = new Map<string, string>();
  const taken: WithheldItem[] = [];
  for (const [own, tool] of listed) {
    const as = shown.show(tool);
    const owners = shown.ownersOf(as.name);
    const owner = tools.get(as.name);
    const why =
      owners.length > 0 && !owners.includes(own)
        ? `the name is taken by tool.overrides.${owners[0]}.name`
        : owner && `the name ${as.name} is taken by ${listedName(owner)} of source ${owner.source}`;
    if (why !== undefined) {
      taken.push({ source: tool.source, what: own, why });
      continue;
    }
    tools.set(as.name, as);
    if (as.name !== own) newNames.set(own, as.name);
  }
  return { tools, newNames, taken };
}

/** A listing whose resources refer to their tools by the new names. */
function withNewNames(listing: SourceListing, newNames: ReadonlyMap<string, string>): SourceListing {
  if (newNames.size === 0) return listing;
  const renamed = <Item extends Resource | ResourceTemplate>(item: Item): Item => {
    const name = typeof item.read === 'function' ? undefined : newNames.get(item.read.tool);
    return name === undefined ? item : { ...item, read: { ...item.read, tool: name } };
  };
  return { ...listing, resources: listing.resources.map(renamed), templates: listing.templates.map(renamed) };
}

/** Names that are switched off: by the operator at run time, else by the configuration. */
export function disabledIn(
  tools: Iterable<Tool>,
  terms: CatalogueTerms,
  switches: ReadonlyMap<string, boolean>,
): ReadonlySet<string> {
  const disabled = new Set<string>();
  for (const tool of tools)
    if (!(switches.get(tool.name) ?? !terms.isDisabled(listedName(tool)))) disabled.add(tool.name);
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
