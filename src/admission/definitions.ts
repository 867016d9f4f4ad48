import { findInjectionSigns } from '../hostile-text/definition-injection.js';
import type { JsonObject } from '../core/json.js';
import type { Tool } from '../core/tool.js';
import type { AdmissionMode, PinBook, Pinnable } from './pins/pins.js';
import { PinsUnavailable } from './pins/pins-unavailable.js';
import { emptyBook, comparePins, lookAlikeKind, unsourcedKind } from './pins/pins.js';
import { findLookAlikes } from './look-alikes.js';
import type { CatalogItem } from '../sources/mcp/catalog/definitions.js';
import type { Admit } from '../sources/mcp/source.js';
import { sourceIdentity } from '../sources/mcp/admission.js';
import type { McpConfig } from '../sources/mcp/config.js';
import type { PinStore } from './pins/pin-files.js';
import type { SourceAdmission } from './source-admission.js';

/** Pin book of a source, found by identity if the source was renamed, so that a rename does not reset its pins. */
export const pinBookFor = (files: PinStore, id: string, identity: string, stored = files.read(id)): PinBook =>
  stored ?? {
    ...(files.all().find((other) => other.identity === identity) ?? emptyBook(id, identity)),
    source: id,
    identity,
  };

/** What definitions are compared by. */
interface DefinitionAdmissionOptions {
  readonly files: PinStore;
  /** Compares live tools with the tools that the scanned code registers. */
  readonly sourceAdmission?: Pick<SourceAdmission, 'compare'> | undefined;
  onEvent(event: string, fields: JsonObject): void;
  readonly now?: () => Date;
}

/** Decides which definitions of a source are offered, by its pins and by the tools its code registers. */
export function definitionAdmission({
  files,
  sourceAdmission,
  onEvent,
  now = () => new Date(),
}: DefinitionAdmissionOptions): (id: string, config: McpConfig) => Admit {
  // Logged once per change.
  const reported = new Map<string, string>();
  const reportUnsourced = (source: string, tools: readonly JsonObject[]): void => {
    const text = JSON.stringify(tools);
    if (reported.get(source) === text) return;
    reported.set(source, text);
    if (tools.length > 0) onEvent('source.not_in_source', { source, tools });
  };
  return (id, config) => async (items, server) => {
    // Instructions go to the model as well, so they are pinned like a definition.
    const greeting: Pinnable = {
      kind: 'server',
      name: 'instructions',
      definition: { instructions: server.instructions ?? '' },
    };
    const unsourced =
      config.admission === 'open'
        ? new Map<CatalogItem, Unsourced>()
        : findUnsourced(id, items, sourceAdmission, reportUnsourced);
    // Pure: `update` may call it again if another process wrote meanwhile.
    const compare = (stored: PinBook | undefined, mode: AdmissionMode) => {
      const book = pinBookFor(files, id, sourceIdentity(config), stored);
      const compared = comparePins<Pinnable>(book, [...items, greeting], mode, injectionReason, now().toISOString());
      const held = addPending(compared.book, heldBy(config.admission, unsourced), now().toISOString());
      return { book, compared, held };
    };
    let result: ReturnType<typeof compare> | undefined;
    try {
      // Read, compared and written under one lock (TOCTOU).
      await files.update(id, (stored) => {
        result = compare(stored, config.admission);
        return { ...result.held.book, server: { name: server.name, version: server.version } };
      });
    } catch (error) {
      if (!(error instanceof PinsUnavailable)) throw error;
      // What cannot be pinned now could be another definition on every replica: only what is pinned already is offered.
      result = compare(files.read(id), config.admission === 'open' ? 'open' : 'strict');
      onEvent('source.pins_unavailable', { source: id, problem: error.message });
    }
    const { book, compared, held } = result ?? compare(files.read(id), config.admission);
    // Bounded: a server may rename all of its tools.
    if (compared.news.length > 0) onEvent('source.withheld', { source: id, news: compared.news.slice(0, 50) });
    if (book.server && book.server.version !== server.version)
      onEvent('source.changed', { source: id, from: book.server.version, to: server.version });
    const rejected = new Map([...held.withheld, ...[...compared.withheld].filter(isOfItem)]);
    // Instructions are pinned like a definition but are not an item of the source; withheld ones are left out.
    return { rejected, ...(!compared.withheld.has(greeting) && { instructions: server.instructions }) };
  };
}

/**
 * Decides which resources of one principal are offered. They cannot be pinned, because pins are shared and every principal has others:
 * `strict` offers none of them, `pin` those without instructions to the model.
 */
export const personalAdmission = ({ admission }: Pick<McpConfig, 'admission'>): Admit => {
  const reason = (item: CatalogItem): string | undefined =>
    admission === 'open'
      ? undefined
      : admission === 'strict'
        ? 'resources of a principal cannot be approved'
        : injectionReason(item);
  return (items) =>
    Promise.resolve({
      rejected: new Map(
        items.flatMap((item) => {
          const why = reason(item);
          return why === undefined ? [] : [[item, why] as const];
        }),
      ),
    });
};

/** Items of the source; the instructions of the server are none. */
const isOfItem = (entry: [Pinnable, string]): entry is [CatalogItem, string] => entry[0].kind !== 'server';

/** Evidence that the code of a server does not register a tool. */
interface Unsourced {
  readonly why: string;
  /** `high` if the code was analysed completely. */
  readonly severity: string;
}

/**
 * Tools that wait for approval: under `strict` all of them, under `pin` those that complete code does not register. Incomplete code was
 * already held as unknown, and starts only if an operator allowed that.
 */
const heldBy = (
  admission: McpConfig['admission'],
  unsourced: ReadonlyMap<CatalogItem, Unsourced>,
): ReadonlyMap<CatalogItem, string> =>
  new Map(
    [...unsourced].flatMap(([item, { why, severity }]) =>
      admission === 'strict' || severity === 'high' ? [[item, why] as const] : [],
    ),
  );

/** Tools that the server lists but its code does not register, each with the evidence. */
function findUnsourced(
  id: string,
  items: readonly CatalogItem[],
  sourceAdmission: DefinitionAdmissionOptions['sourceAdmission'],
  report: (source: string, tools: readonly JsonObject[]) => void,
): ReadonlyMap<CatalogItem, Unsourced> {
  const tools = items.filter(({ kind }) => kind === 'tool');
  const live = tools.map(({ name, definition: { description, inputSchema } }) => ({
    name,
    inputSchema,
    ...(typeof description === 'string' && { description }),
  }));
  const found = (sourceAdmission?.compare(id, live) ?? []).filter(({ kind }) => kind === 'not-in-source');
  report(
    id,
    found.slice(0, 50).map(({ tool, severity, why }) => ({ tool, severity, why })),
  );
  return new Map(
    found.flatMap(({ tool, why, severity }) =>
      tools.filter(({ name }) => name === tool).map((item) => [item, { why, severity }] as const),
    ),
  );
}

/** Adds such tools to the pending pins, so that an operator must approve them. */
function addPending(
  book: PinBook,
  unsourced: ReadonlyMap<CatalogItem, string>,
  now: string,
): { readonly book: PinBook; readonly withheld: ReadonlyMap<CatalogItem, string> } {
  // Answers of an earlier comparison are replaced, not accumulated.
  const pending = Object.fromEntries(
    Object.entries(book.pending).filter(([key]) => !key.startsWith(`${unsourcedKind} `)),
  );
  const asked = new Map(
    [...unsourced].map(
      ([item, why]) => [{ kind: unsourcedKind, name: item.name, definition: { name: item.name, why } }, item] as const,
    ),
  );
  const compared = comparePins({ ...book, pending }, [...asked.keys()], 'strict', () => undefined, now);
  const withheld = [...compared.withheld.keys()].flatMap((one) => {
    const item = asked.get(one);
    return item ? [[item, `${unsourced.get(item) ?? ''}; see toolgate pins diff ${book.source}`] as const] : [];
  });
  return { book: { ...book, pending: { ...pending, ...compared.book.pending } }, withheld: new Map(withheld) };
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
  files: PinStore,
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
      const compared = comparePins(book, [asked], 'strict', () => undefined, now().toISOString());
      if (compared.withheld.size === 0) found.delete(tool.name);
      else {
        found.set(tool.name, `${why}; see toolgate pins diff ${tool.source}`);
        const pending = compared.book.pending;
        const stored = files.update(tool.source, (latest = book) => ({
          ...latest,
          pending: { ...latest.pending, ...pending },
        }));
        // It is withheld in any case; without the entry an operator sees it later.
        if (stored instanceof Promise) stored.catch(() => {});
      }
    }
    return found;
  };
}
