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

/** Lists of the protocol with the capability that announces each. */
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

/** Which lists are read: those that all callers share, those that each principal has, or all. */
export type ListOwner = 'shared' | 'personal' | 'all';

/** Kinds that may differ between principals. */
const isPersonal = (kind: CatalogItemKind): boolean => kind === 'resource' || kind === 'template';

/** Reads the lists of a server; a failed list is reported, and only a failure of the main one (tools, or resources if personal) fails the whole catalog. */
export async function readCatalog(
  session: Session,
  budget: ListBudget,
  signal?: AbortSignal,
  of: ListOwner = 'all',
): Promise<Catalog | { readonly problem: string }> {
  const { capabilities } = session.peer;
  const items: CatalogItem[] = [];
  const withheld: Withheld[] = [];
  // Two definitions with one name could be used to swap one after approval.
  const seen = new Set<string>();
  for (const { kind, method, field, capability } of listMethods) {
    // A list that the server does not announce is not requested.
    if (!isJsonObject(capabilities[capability])) continue;
    if (of !== 'all' && isPersonal(kind) !== (of === 'personal')) continue;
    const read = await readList(session, method, field, budget, signal);
    if ('problem' in read) {
      // Without tools the source offers nothing; a failed list of prompts is only reported.
      if (kind === (of === 'personal' ? 'resource' : 'tool') || session.end) return read;
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
