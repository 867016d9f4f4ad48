import { suspects } from '../core/admission.js';
import type { JsonObject } from '../core/json.js';
import type { Tool } from '../core/tool.js';
import type { Pinnable } from '../registry/pins.js';
import { emptyBook, judgePins, lookAlikeKind } from '../registry/pins.js';
import { imitations } from '../registry/quarantine.js';
import type { Item } from '../sources/mcp/definitions.js';
import type { Admit } from '../sources/mcp/source.js';
import type { McpConfig } from './mcp-sources.js';
import type { PinFiles } from './pin-files.js';

/** What a source really is, whatever it is called: its package, its address, or its command line. */
export function identityOf({ package: packaged, runtime, url, command, args }: McpConfig): string {
  if (url !== undefined) return url;
  if (packaged !== undefined) return `${runtime ?? ''}:${packaged.replace(/(?<=.)(?:@|==)[^@=]*$/, '')}`;
  return [command ?? runtime ?? '', ...args].join(' ');
}

export interface AdmissionOptions {
  readonly files: PinFiles;
  onEvent(event: string, fields: JsonObject): void;
  readonly now?: () => Date;
}

/** Decides what of a source is offered, by its pins. */
export function admission({ files, onEvent, now = () => new Date() }: AdmissionOptions): (id: string, config: McpConfig) => Admit {
  return (id, config) => async (items, server) => {
    const identity = identityOf(config);
    // A renamed source is still the one that was pinned.
    const book = files.read(id) ?? { ...(files.all().find((other) => other.identity === identity) ?? emptyBook(id, identity)), source: id, identity };
    const greeting: Pinnable = { kind: 'server', name: 'instructions', definition: { instructions: server.instructions ?? '' } };
    const judged = judgePins<Pinnable>(book, [...items, greeting], config.admission, suspicion, now().toISOString());
    files.write({ ...judged.book, server: { name: server.name, version: server.version } });
    if (judged.news.length > 0) onEvent('source.withheld', { source: id, news: judged.news.slice(0, 50) });
    if (book.server && book.server.version !== server.version) onEvent('source.changed', { source: id, from: book.server.version, to: server.version });
    // The items given are the ones judged; the greeting is only reported.
    return new Map([...judged.withheld].filter(([item]) => item !== greeting)) as ReadonlyMap<Item, string>;
  };
}

/** Words of a definition that are meant for the model rather than about the tool. */
function suspicion({ definition }: Pinnable): string | undefined {
  const found = suspects(definition);
  return found.length > 0 ? `its definition gives orders to the model (${[...new Set(found.map(({ rule }) => rule))].slice(0, 3).join(', ')})` : undefined;
}

/** Keeps imitations out unless somebody approved them; what waits is written into the pins of its source. */
export function quarantine(files: PinFiles, now: () => Date = () => new Date()): (tools: Iterable<Tool>) => ReadonlyMap<string, string> {
  return (tools) => {
    const all = [...tools];
    const found = new Map(imitations(all));
    for (const tool of all) {
      const why = found.get(tool.name);
      if (why === undefined) continue;
      const book = files.read(tool.source) ?? emptyBook(tool.source, tool.source);
      const asked = { kind: lookAlikeKind, name: tool.name, definition: { name: tool.name, description: tool.description, why } };
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
