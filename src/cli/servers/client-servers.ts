import { existsSync, readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../core/json.js';
import { nonEmptyText, textsIn } from '../../sources/mcp/registration/text-fields.js';
import {
  parseServerCommand,
  type WantedProblem,
  type WantedServer,
} from '../../sources/mcp/registration/server-command.js';
import { clients, scopesOf, type AssistantKind } from '../../assistants/clients.js';
import { openDocument } from '../../assistants/document.js';
import { readServers, type ServersFile } from '../connect/edit.js';
import { commonEntry } from '../../assistants/entry-formats.js';
import { isPlainObject } from '../../assistants/plain-object.js';
import type { Places } from '../../assistants/places.js';

/** A server that an assistant has. */
export interface ClientServer {
  readonly client: string;
  readonly name: string;
  readonly place: ServersFile;
  readonly wanted: WantedServer | WantedProblem;
  readonly env: Readonly<Record<string, string>>;
  readonly isDisabled: boolean;
  readonly cwd?: string;
}

/**
 * Keys under which clients keep their servers, for files that are named by path. The first that exists is taken, so that
 * `mcp` comes last: it is also the parent of `mcp.servers`.
 */
const knownMembers: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['mcp_servers'],
  ['context_servers'],
  ['extensions'],
  ['mcp'],
];

/** All files of an assistant that exist, in every scope. */
export const filesOf = (id: string, places: Places): readonly ServersFile[] => {
  const client = clients[id];
  if (client === undefined) return [];
  return (
    scopesOf(client)
      .flatMap((scope) => client.scopes[scope]?.(places) ?? [])
      .filter(({ file }) => existsSync(file))
      // In the home folder the files of two scopes may be the same.
      .filter(
        ({ file, member }, index, all) =>
          all.findIndex((other) => other.file === file && isDeepStrictEqual(other.member, member)) === index,
      )
      .map((place) => ({ ...place, client }))
  );
};

/** The servers of a file that is named by its path, in the format of any client. */
export async function fileByPath(path: string): Promise<ServersFile | WantedProblem> {
  const file = resolve(path);
  const format = { '.toml': 'toml', '.yaml': 'yaml', '.yml': 'yaml' }[extname(file)] ?? 'json';
  // The kind of a file named by path: format from its extension, entries in the form most clients share.
  const kind: AssistantKind = {
    title: file,
    format: format === 'toml' || format === 'yaml' ? format : 'json',
    scopes: {},
    entry: commonEntry({ variable: '${TOOLGATE_TOKEN}' }),
    traces: () => [],
  };
  if (!existsSync(file)) return { problem: `${path} is neither an assistant nor a file` };
  const document = await openDocument(kind.format, readFileSync(file, 'utf8'));
  if ('problem' in document) return { problem: `${file}: ${document.problem}` };
  const found = knownMembers.find((member) =>
    isPlainObject(member.reduce<unknown>((at, key) => (isPlainObject(at) ? at[key] : undefined), document.value)),
  );
  if (found === undefined) return { problem: `${file} has no mcpServers` };
  // A client with the same format and member reads its entries the same way.
  const like = Object.values(clients).find(
    (client) => client.format === kind.format && scopesOf(client).some((scope) => memberOf(client, scope) === found[0]),
  );
  return { file, member: found, client: { ...kind, entry: like?.entry ?? kind.entry } };
}

/** Places that do not matter: only the member of a scope is of interest. */
const nowhere: Places = { home: '/', project: '/', platform: 'linux', env: {} };
const memberOf = (client: AssistantKind, scope: 'user' | 'project' | 'local'): string | undefined =>
  client.scopes[scope]?.(nowhere).member[0];

/** Reads the servers of one file; the gateway itself and parts of the assistant are left out. */
export async function readClientServers(
  id: string,
  place: ServersFile,
): Promise<readonly ClientServer[] | WantedProblem> {
  const read = await readServers(place);
  if ('problem' in read) return read;
  return Object.entries(read.entries).flatMap(([name, raw]) => {
    const entry = place.client.entry.read(raw);
    // The gateway must not import itself: it would start itself endlessly.
    if (entry['builtin'] === true || isGateway(entry)) return [];
    const cwd = nonEmptyText(entry['cwd']);
    return [
      {
        client: id,
        name,
        place,
        wanted: toWanted(entry),
        env: stringValues(entry['env']),
        isDisabled: entry['disabled'] === true || entry['enabled'] === false,
        ...(cwd !== undefined && { cwd }),
      },
    ];
  });
}

/** Whether an entry starts this gateway; its command may be `npx`, `node` or an absolute path. */
const isGateway = (entry: JsonObject): boolean => {
  const words = textsIn(entry['args']);
  return (
    words.includes('serve') && words.includes('--stdio') && /toolgate/.test([entry['command'], ...words].join(' '))
  );
};

/** What an entry starts or connects to; clients use three spellings of the key for a URL. */
function toWanted(entry: JsonObject): WantedServer | WantedProblem {
  const url = nonEmptyText(entry['url']) ?? nonEmptyText(entry['serverUrl']) ?? nonEmptyText(entry['httpUrl']);
  if (url !== undefined)
    return {
      kind: 'remote',
      url,
      headers: stringValues(entry['headers']),
      ...((entry['type'] === 'sse' || entry['transport'] === 'sse') && { sse: true }),
    };
  const command = nonEmptyText(entry['command']);
  if (command === undefined) return { problem: 'it has neither command nor url' };
  return parseServerCommand(command, textsIn(entry['args']));
}

/** Scalars as strings: YAML clients write ports and flags without quotes. */
const stringValues = (value: unknown): Readonly<Record<string, string>> =>
  isPlainObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, item]) =>
          typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean'
            ? [[name, String(item)]]
            : [],
        ),
      )
    : {};
