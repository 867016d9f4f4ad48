import type { Withheld } from '../../core/source.js';
import { isObject } from '../../wire/message.js';
import { readItem } from './definitions.js';
import type { Item, ItemKind } from './definitions.js';
import { readList } from './inventory.js';
import type { ListBudget } from './inventory.js';
import type { Session } from './session.js';

/** Everything a server offers that can be read, and what cannot. */
export interface Stock {
  readonly items: readonly Item[];
  readonly withheld: readonly Withheld[];
}

const lists = [
  { kind: 'tool', method: 'tools/list', field: 'tools', capability: 'tools' },
  { kind: 'prompt', method: 'prompts/list', field: 'prompts', capability: 'prompts' },
  { kind: 'resource', method: 'resources/list', field: 'resources', capability: 'resources' },
  { kind: 'template', method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
] as const satisfies readonly {
  readonly kind: ItemKind;
  readonly method: string;
  readonly field: string;
  readonly capability: string;
}[];

/** Reads the lists that a server has; one that fails is reported, and only a failing list of tools is the end. */
export async function takeStock(
  session: Session,
  budget: ListBudget,
  signal?: AbortSignal,
): Promise<Stock | { readonly problem: string }> {
  const { capabilities } = session.introduction;
  const items: Item[] = [];
  const withheld: Withheld[] = [];
  const known = new Set<string>();
  for (const { kind, method, field, capability } of lists) {
    if (!isObject(capabilities[capability])) continue;
    const read = await readList(session, method, field, budget, signal);
    if ('problem' in read) {
      if (kind === 'tool' || session.end) return read;
      // Templates came later than resources, and many servers have the one without the other.
      if (kind !== 'template') withheld.push({ what: method, why: read.problem });
      continue;
    }
    if (read.cut !== undefined) withheld.push({ what: `the rest of ${method}`, why: read.cut });
    if (read.broken > 0) withheld.push({ what: `${read.broken} entries of ${method}`, why: 'they are no objects' });
    for (const definition of read.items) {
      const item = readItem(kind, definition);
      if ('why' in item) withheld.push(item);
      else if (known.has(`${kind} ${item.name}`))
        withheld.push({ what: `${kind} ${item.name}`, why: 'the server lists it twice' });
      else {
        known.add(`${kind} ${item.name}`);
        items.push(item);
      }
    }
  }
  return { items, withheld };
}
