import { findInjectionSigns } from '../hostile-text/definition-injection.js';
import type { JsonObject } from '../core/json.js';
import type { Tool } from '../core/tool.js';
import type { PinBook, Pinnable } from './pins/pins.js';
import { emptyBook, comparePins, lookAlikeKind, unsourcedKind } from './pins/pins.js';
import { findLookAlikes } from './look-alikes.js';
import type { CatalogItem } from '../sources/mcp/catalog/definitions.js';
import type { Admit } from '../sources/mcp/source.js';
import { sourceIdentity } from '../sources/mcp/admission.js';
import type { McpConfig } from '../sources/mcp/config.js';
import type { PinFiles } from './pins/pin-files.js';
import type { SourceAdmission } from './source-admission.js';

/** Pin book of a source, found by identity if the source was renamed, so that a rename does not reset its pins. */
export const pinBookFor = (files: PinFiles, id: string, identity: string): PinBook =>
  files.read(id) ?? {
    ...(files.all().find((other) => other.identity === identity) ?? emptyBook(id, identity)),
    source: id,
    identity,
  };

export interface DefinitionAdmissionOptions {
  readonly files: PinFiles;
  /** Compares live tools with the tools that the scanned code registers. */
  readonly sourceAdmission?: Pick<SourceAdmission, 'compare'> | undefined;
  onEvent(event: string, fields: JsonObject): void;
  readonly now?: () => Date;
}

/** Decides which definitions of a source are offered, by its pins and by the tools its code registers. */
export function definitionAdmission({
  files,
  sourceAdmission: screens,
  onEvent,
  now = () => new Date(),
}: DefinitionAdmissionOptions): (id: string, config: McpConfig) => Admit {
  const reported = new Map<string, string>();
  const reportUnsourced = (source: string, tools: readonly JsonObject[]): void => {
    const text = JSON.stringify(tools);
    if (reported.get(source) === text) return;
    reported.set(source, text);
    if (tools.length > 0) onEvent('source.not_in_source', { source, tools });
  };
  return (id, config) => async (items, server) => {
    const book = pinBookFor(files, id, sourceIdentity(config));
    const greeting: Pinnable = {
      kind: 'server',
      name: 'instructions',
      definition: { instructions: server.instructions ?? '' },
    };
    const compared = comparePins<Pinnable>(
      book,
      [...items, greeting],
      config.admission,
      injectionReason,
      now().toISOString(),
    );
    const unsourced =
      config.admission === 'open' ? new Map<CatalogItem, string>() : findUnsourced(id, items, screens, reportUnsourced);
    const held =
      config.admission === 'strict'
        ? addPending(compared.book, unsourced, now().toISOString())
        : { book: compared.book, withheld: new Map<CatalogItem, string>() };
    files.write({ ...held.book, server: { name: server.name, version: server.version } });
    if (compared.news.length > 0) onEvent('source.withheld', { source: id, news: compared.news.slice(0, 50) });
    if (book.server && book.server.version !== server.version)
      onEvent('source.changed', { source: id, from: book.server.version, to: server.version });
    // Instructions are pinned like a definition but are not an item of the source, so they are only reported.
    return new Map([...held.withheld, ...[...compared.withheld].filter(([item]) => item !== greeting)]) as ReadonlyMap<
      CatalogItem,
      string
    >;
  };
}

/** Tools that the server lists but its code does not register, each with the evidence. */
function findUnsourced(
  id: string,
  items: readonly CatalogItem[],
  screens: DefinitionAdmissionOptions['sourceAdmission'],
  tell: (source: string, tools: readonly JsonObject[]) => void,
): ReadonlyMap<CatalogItem, string> {
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

/** Adds such tools to the pending pins, so that an operator must approve them. */
function addPending(
  book: PinBook,
  unsourced: ReadonlyMap<CatalogItem, string>,
  now: string,
): { readonly book: PinBook; readonly withheld: ReadonlyMap<CatalogItem, string> } {
  const pending = Object.fromEntries(
    Object.entries(book.pending).filter(([key]) => !key.startsWith(`${unsourcedKind} `)),
  );
  const asked = new Map(
    [...unsourced].map(
      ([item, why]) => [{ kind: unsourcedKind, name: item.name, definition: { name: item.name, why } }, item] as const,
    ),
  );
  const judged = comparePins({ ...book, pending }, [...asked.keys()], 'strict', () => undefined, now);
  const withheld = [...judged.withheld.keys()].flatMap((one) => {
    const item = asked.get(one);
    return item ? [[item, `${unsourced.get(item) ?? ''}; see toolgate pins diff ${book.source}`] as const] : [];
  });
  return { book: { ...book, pending: { ...pending, ...judged.book.pending } }, withheld: new Map(withheld) };
}

/** Why a definition is suspected of tool poisoning: it contains instructions to the model. */
function injectionReason({ definition }: Pinnable): string | undefined {
  const found = findInjectionSigns(definition);
  return found.length > 0
    ? `its definition contains instructions to the model (${[...new Set(found.map(({ rule }) => rule))].slice(0, 3).join(', ')})`
    : undefined;
}

/** Withholds look-alike tools (tool shadowing) until an operator approves them; they are pending in the pins of their source. */
export function quarantineLookAlikes(
  files: PinFiles,
  now: () => Date = () => new Date(),
): (tools: Iterable<Tool>) => ReadonlyMap<string, string> {
  return (tools) => {
    const all = [...tools];
    const found = new Map(findLookAlikes(all));
    for (const tool of all) {
      const why = found.get(tool.name);
      if (why === undefined) continue;
      const book = files.read(tool.source) ?? emptyBook(tool.source, tool.source);
      const asked = {
        kind: lookAlikeKind,
        name: tool.name,
        definition: { name: tool.name, description: tool.description, why },
      };
      const judged = comparePins(book, [asked], 'strict', () => undefined, now().toISOString());
      if (judged.withheld.size === 0) found.delete(tool.name);
      else {
        found.set(tool.name, `${why}; see toolgate pins diff ${tool.source}`);
        files.write({ ...book, pending: { ...book.pending, ...judged.book.pending } });
      }
    }
    return found;
  };
}
