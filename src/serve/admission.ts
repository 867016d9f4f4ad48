import { suspects } from '../core/admission.js';
import type { JsonObject } from '../core/json.js';
import type { Tool } from '../core/tool.js';
import type { PinBook, Pinnable } from '../registry/pins.js';
import { emptyBook, judgePins, lookAlikeKind, unsourcedKind } from '../registry/pins.js';
import { imitations } from '../registry/quarantine.js';
import type { Item } from '../sources/mcp/definitions.js';
import type { Admit } from '../sources/mcp/source.js';
import type { McpConfig } from './mcp-sources.js';
import type { PinFiles } from './pin-files.js';
import type { Screens } from './screening/screening.js';

/** What a source really is, whatever it is called: its package, its address, or its command line. */
export function identityOf({ package: packaged, runtime, url, command, args }: McpConfig): string {
  if (url !== undefined) return url;
  if (packaged !== undefined) return `${runtime ?? ''}:${packaged.replace(/(?<=.)(?:@|==)[^@=]*$/, '')}`;
  return [command ?? runtime ?? '', ...args].join(' ');
}

/** The pins of a source; a renamed one is still the one that was pinned. */
export const bookOf = (files: PinFiles, id: string, identity: string): PinBook =>
  files.read(id) ?? {
    ...(files.all().find((other) => other.identity === identity) ?? emptyBook(id, identity)),
    source: id,
    identity,
  };

export interface AdmissionOptions {
  readonly files: PinFiles;
  /** Knows what the code of each source says it offers. */
  readonly screens?: Pick<Screens, 'compare'> | undefined;
  onEvent(event: string, fields: JsonObject): void;
  readonly now?: () => Date;
}

/** Decides what of a source is offered, by its pins and by what its code registers. */
export function admission({
  files,
  screens,
  onEvent,
  now = () => new Date(),
}: AdmissionOptions): (id: string, config: McpConfig) => Admit {
  const told = new Map<string, string>();
  const tell = (source: string, tools: readonly JsonObject[]): void => {
    const text = JSON.stringify(tools);
    if (told.get(source) === text) return;
    told.set(source, text);
    if (tools.length > 0) onEvent('source.not_in_source', { source, tools });
  };
  return (id, config) => async (items, server) => {
    const book = bookOf(files, id, identityOf(config));
    const greeting: Pinnable = {
      kind: 'server',
      name: 'instructions',
      definition: { instructions: server.instructions ?? '' },
    };
    const judged = judgePins<Pinnable>(book, [...items, greeting], config.admission, suspicion, now().toISOString());
    const unsourced = config.admission === 'open' ? new Map<Item, string>() : unsourcedOf(id, items, screens, tell);
    const held =
      config.admission === 'strict'
        ? waiting(judged.book, unsourced, now().toISOString())
        : { book: judged.book, withheld: new Map<Item, string>() };
    files.write({ ...held.book, server: { name: server.name, version: server.version } });
    if (judged.news.length > 0) onEvent('source.withheld', { source: id, news: judged.news.slice(0, 50) });
    if (book.server && book.server.version !== server.version)
      onEvent('source.changed', { source: id, from: book.server.version, to: server.version });
    // The items given are the ones judged; the greeting is only reported.
    return new Map([...held.withheld, ...[...judged.withheld].filter(([item]) => item !== greeting)]) as ReadonlyMap<
      Item,
      string
    >;
  };
}

/** The tools that run but that nothing in the code registers, each with why that is known. */
function unsourcedOf(
  id: string,
  items: readonly Item[],
  screens: AdmissionOptions['screens'],
  tell: (source: string, tools: readonly JsonObject[]) => void,
): ReadonlyMap<Item, string> {
  const tools = items.filter(({ kind }) => kind === 'tool');
  const live = tools.map(({ name, definition: { description, inputSchema } }) => ({
    name,
    inputSchema,
    ...(typeof description === 'string' && { description }),
  }));
  const found = (screens?.compare(id, live) ?? []).filter(({ kind }) => kind === 'not-in-source');
  tell(
    id,
    found.slice(0, 50).map(({ tool, severity, why }) => ({ tool, severity, why })),
  );
  return new Map(
    found.flatMap(({ tool, why }) => tools.filter(({ name }) => name === tool).map((item) => [item, why] as const)),
  );
}

/** Has such tools wait for approval beside the rest. */
function waiting(
  book: PinBook,
  unsourced: ReadonlyMap<Item, string>,
  now: string,
): { readonly book: PinBook; readonly withheld: ReadonlyMap<Item, string> } {
  const pending = Object.fromEntries(
    Object.entries(book.pending).filter(([key]) => !key.startsWith(`${unsourcedKind} `)),
  );
  const asked = new Map(
    [...unsourced].map(
      ([item, why]) => [{ kind: unsourcedKind, name: item.name, definition: { name: item.name, why } }, item] as const,
    ),
  );
  const judged = judgePins({ ...book, pending }, [...asked.keys()], 'strict', () => undefined, now);
  const withheld = [...judged.withheld.keys()].flatMap((one) => {
    const item = asked.get(one);
    return item ? [[item, `${unsourced.get(item) ?? ''}; see toolgate pins diff ${book.source}`] as const] : [];
  });
  return { book: { ...book, pending: { ...pending, ...judged.book.pending } }, withheld: new Map(withheld) };
}

/** Words of a definition that are meant for the model rather than about the tool. */
function suspicion({ definition }: Pinnable): string | undefined {
  const found = suspects(definition);
  return found.length > 0
    ? `its definition gives orders to the model (${[...new Set(found.map(({ rule }) => rule))].slice(0, 3).join(', ')})`
    : undefined;
}

/** Keeps imitations out unless somebody approved them; what waits is written into the pins of its source. */
export function quarantine(
  files: PinFiles,
  now: () => Date = () => new Date(),
): (tools: Iterable<Tool>) => ReadonlyMap<string, string> {
  return (tools) => {
    const all = [...tools];
    const found = new Map(imitations(all));
    for (const tool of all) {
      const why = found.get(tool.name);
      if (why === undefined) continue;
      const book = files.read(tool.source) ?? emptyBook(tool.source, tool.source);
      const asked = {
        kind: lookAlikeKind,
        name: tool.name,
        definition: { name: tool.name, description: tool.description, why },
      };
      const judged = judgePins(book, [asked], 'strict', () => undefined, now().toISOString());
      if (judged.withheld.size === 0) found.delete(tool.name);
      else {
        found.set(tool.name, `${why}; see toolgate pins diff ${tool.source}`);
        files.write({ ...book, pending: { ...book.pending, ...judged.book.pending } });
      }
    }
    return found;
  };
}
