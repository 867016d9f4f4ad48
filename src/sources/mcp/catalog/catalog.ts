import type { Withheld } from '../../../core/source.js';
import { isJsonObject } from '../../../wire/message.js';
import { parseItem } from './definitions.js';
import type { CatalogItem, CatalogItemKind } from './definitions.js';
import { readList } from './paged-list.js';
import type { ListBudget } from './paged-list.js';
import type { Session } from '../sessions/session.js';

/** All valid items of a server, and what was left out. */
export interface Catalog {
  readonly items: readonly CatalogItem[];
  readonly withheld: readonly Withheld[];
}

const listMethods = [
  { kind: 'tool', method: 'tools/list', field: 'tools', capability: 'tools' },
  { kind: 'prompt', method: 'prompts/list', field: 'prompts', capability: 'prompts' },
  { kind: 'resource', method: 'resources/list', field: 'resources', capability: 'resources' },
  { kind: 'template', method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
] as const satisfies readonly {
  readonly kind: CatalogItemKind;
  readonly method: string;
  readonly field: string;
  readonly capability: string;
}[];

/** Reads all lists of a server; a failed list is reported, and only a failed tools/list fails the whole catalog. */
export async function readCatalog(
  session: Session,
  budget: ListBudget,
  signal?: AbortSignal,
): Promise<Catalog | { readonly problem: string }> {
  const { capabilities } = session.peer;
  const items: CatalogItem[] = [];
  const withheld: Withheld[] = [];
  const seen = new Set<string>();
  for (const { kind, method, field, capability } of listMethods) {
    if (!isJsonObject(capabilities[capability])) continue;
    const read = await readList(session, method, field, budget, signal);
    if ('problem' in read) {
      if (kind === 'tool' || session.end) return read;
      // Many servers implement resources without templates.
      if (kind !== 'template') withheld.push({ what: method, why: read.problem });
      continue;
    }
    if (read.cut !== undefined) withheld.push({ what: `the rest of ${method}`, why: read.cut });
    if (read.broken > 0) withheld.push({ what: `${read.broken} entries of ${method}`, why: 'not JSON objects' });
    for (const definition of read.items) {
      const item = parseItem(kind, definition);
      if ('why' in item) withheld.push(item);
      else if (seen.has(`${kind} ${item.name}`))
        withheld.push({ what: `${kind} ${item.name}`, why: 'the server lists it twice' });
      else {
        seen.add(`${kind} ${item.name}`);
        items.push(item);
      }
    }
  }
  return { items, withheld };
}
