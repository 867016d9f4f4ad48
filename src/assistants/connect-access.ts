import type { JsonObject } from '../core/json.js';
import { clients, scopesOf, type AssistantKind } from './clients.js';
import type { Reach } from './entry-formats.js';

/** What the pages about assistants read. */
interface ConnectOptions {
  /** The entry by which assistants of this machine start the gateway or attach to it. */
  readonly stdio: () => Reach;
  /** Client programs with the time of their last call, by the names they declare. */
  readonly seen: () => readonly { readonly client: string; readonly at: number; readonly calls: number }[];
}

/** Clients spell their names differently; only letters and digits are compared. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
/** Names that programs declare and that do not begin with their id or title. */
const declaredNames: Readonly<Record<string, string>> = { claudeai: 'claude-desktop' };

/** The assistant that a declared client name belongs to; the longest match, since `cline` and `claude-code` share prefixes. */
function assistantOf(declared: string): string | undefined {
  const name = plain(declared);
  if (Object.hasOwn(declaredNames, name)) return declaredNames[name];
  return Object.entries(clients)
    .flatMap(([id, { title }]) => [plain(id), plain(title)].map((prefix) => ({ id, prefix })))
    .filter(({ prefix }) => name.startsWith(prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length)[0]?.id;
}

/** Entries of assistants for this gateway, and when each last called. Never contains a token. */
export function connectAccess({ stdio, seen }: ConnectOptions) {
  const lastCallOf = (id: string): string | null => {
    const found = seen().find(({ client }) => assistantOf(client) === id);
    return found === undefined ? null : new Date(found.at).toISOString();
  };
  const summary = (id: string, { title, note }: AssistantKind): JsonObject => ({
    id,
    title,
    note: note ?? null,
    last_call: lastCallOf(id),
  });
  return {
    list: (): JsonObject => ({
      clients: Object.entries(clients).map(([id, client]) => summary(id, client)),
      seen: seen().map(({ client, at, calls }) => ({
        client,
        assistant: assistantOf(client) ?? null,
        calls,
        last_call: new Date(at).toISOString(),
      })),
    }),
    find(id: string, url: string): JsonObject | undefined {
      // Object.hasOwn: the id comes from a URL.
      const client = Object.hasOwn(clients, id) ? clients[id] : undefined;
      if (client === undefined) return undefined;
      const entryText = (reach: Reach): string | null => {
        const entry = client.entry.write(reach, 'toolgate');
        // Some assistants cannot use a URL, so that there is no entry to show.
        return entry === undefined ? null : JSON.stringify(entryDocument(client, entry), null, 2);
      };
      return {
        ...summary(id, client),
        format: client.format,
        command: `toolgate connect ${id} --write`,
        scopes: scopesOf(client),
        stdio: entryText(stdio()),
        http: entryText({ transport: 'http', url }),
      };
    },
  };
}

/** The part of the assistant's file that holds the entry. */
function entryDocument(client: AssistantKind, entry: JsonObject): JsonObject {
  // Only the key is needed here, so the paths are placeholders.
  const place = Object.values(client.scopes)[0];
  const member =
    place?.({ home: '~', project: '.', platform: process.platform, env: {} }).member.at(-1) ?? 'mcpServers';
  return { [member]: client.isList === true ? [entry] : { toolgate: entry } };
}
