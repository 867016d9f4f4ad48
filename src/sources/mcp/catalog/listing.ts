import type { Prompt, Resource, ResourceTemplate } from '../../../core/prompt.js';
import type { Withheld } from '../../../core/source.js';
import type { Tool } from '../../../core/tool.js';
import { clean } from '../../../hostile-text/clean.js';
import type { Catalog } from './catalog.js';
import type { CatalogItem } from './definitions.js';
import { toRelayedPrompt, toRelayedResource, toRelayedTemplate, toRelayedTool } from './relayed-items.js';
import type { ItemContext } from './relayed-items.js';

/** What a source offers after admission, and what it withholds. */
export interface Listing {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly withheld: readonly Withheld[];
  /** Instructions of the server for the model, cleaned. */
  readonly instructions?: string;
}

/** The listing of a source that offers nothing. */
export const emptyListing: Listing = { tools: [], prompts: [], resources: [], templates: [], withheld: [] };

/** What admission decided about a catalog: the rejected items with the reason, and the instructions if they may be shown. */
export interface Admitted {
  readonly rejected: ReadonlyMap<CatalogItem, string>;
  readonly instructions?: string | undefined;
}

/** Characters of the instructions that are passed on. */
const maxInstructions = 16_384;

/** Converts the admitted items of a catalog; rejected ones are reported with their reason. */
export function toListing(catalog: Catalog, { rejected, instructions = '' }: Admitted, context: ItemContext): Listing {
  const offered = catalog.items.filter((item) => !rejected.has(item));
  const ofKind = (kind: CatalogItem['kind']): readonly CatalogItem[] => offered.filter((item) => item.kind === kind);
  // Cut before cleaning, so that a huge text costs nothing.
  const shown = clean(instructions.slice(0, maxInstructions)).text;
  return {
    ...(shown !== '' && { instructions: shown }),
    tools: ofKind('tool').map((item) => toRelayedTool(item, context)),
    prompts: ofKind('prompt').map((item) => toRelayedPrompt(item, context)),
    resources: ofKind('resource').map((item) => toRelayedResource(item, context)),
    templates: ofKind('template').map((item) => toRelayedTemplate(item, context)),
    withheld: [
      ...catalog.withheld,
      ...[...rejected].map(([{ kind, name }, why]) => ({ what: `${kind} ${name}`, why })),
    ],
  };
}
