import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { clients, scopes, scopesOf, type AssistantKind, type Scope } from '../../assistants/clients.js';
import { applyChange, backupOf, planChange, undoChange, type ServersFile } from '../connect/edit.js';
import type { Reach } from '../../assistants/entry-formats.js';
import { gatewayReach } from '../connect/gateway-reach.js';
import type { Places } from '../../assistants/places.js';
import { didYouMean, failure, parseCommandLine, usageError } from '../command-line.js';
import type { JsonObject } from '../../core/json.js';
import type { Io } from '../io.js';

export const help = `Usage: toolgate connect <assistant ...> [--write | --undo] [options]
       toolgate connect --all [--write | --undo] [options]
       toolgate connect --print [options]

Shows the entry an assistant needs to use this gateway; changes nothing without --write. Without an assistant it lists those
that are installed here.

${Object.entries(clients)
  .map(([name, client]) => `  ${name.padEnd(16)} ${client.title}: ${scopesOf(client).join(', ')}`)
  .join('\n')}

  --write          write the entry; comments and everything else stay, and an existing file is kept as <file>.before-toolgate
  --undo           remove the entry again
  --all            all assistants that are installed here
  --scope SCOPE    user, project or local; by default the first one listed above, with --all user
  --print          print an entry for any other assistant
  --http           connect to a running gateway instead of starting one; the assistant reads the token from
                   TOOLGATE_TOKEN, it is never written to the file
  --url ADDRESS    address of the running gateway (default http://127.0.0.1:8080/mcp); implies --http
  --name NAME      name of the entry (default toolgate)
  --config FILE    configuration file of the started gateway (default: the one found from here)
  --project DIR    project folder (default: this folder)
`;

/** Options of this verb. */
const options = {
  write: { type: 'boolean' },
  undo: { type: 'boolean' },
  all: { type: 'boolean' },
  print: { type: 'boolean' },
  http: { type: 'boolean' },
  url: { type: 'string' },
  scope: { type: 'string' },
  name: { type: 'string' },
  config: { type: 'string' },
  project: { type: 'string' },
} as const;

/** Shows, writes or removes the configuration entries of assistants. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('connect', argv, options, io, []);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const asJson = values.json === true;
  const { name = 'toolgate', write = false, undo = false, all = false, scope } = values;
  // The name ends up in files that other programs turn into commands, so shell metacharacters are rejected (command injection).
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    return wrong(io, `--name ${JSON.stringify(name)} must be 1 to 64 letters, digits, _ or -`);
  if (write && undo) return wrong(io, 'use either --write or --undo');
  if (all && positionals.length > 0) return wrong(io, 'name assistants or use --all, not both');
  if (scope !== undefined && !isScope(scope))
    return wrong(io, `unknown scope ${JSON.stringify(scope)}${didYouMean(scope, scopes)}`);
  const unknown = positionals.find((each) => !Object.hasOwn(clients, each));
  if (unknown !== undefined)
    return wrong(
      io,
      `unknown assistant ${JSON.stringify(unknown)}${didYouMean(unknown, Object.keys(clients)) || ';'} --print prints an entry for any other`,
    );
  const reach = await gatewayReach(values, io);
  if ('problem' in reach) return wrong(io, reach.problem);
  if (values.print === true) {
    io.out(
      // The format of Claude Code is what most other clients accept.
      `${JSON.stringify({ mcpServers: { [name]: clients['claude-code']?.entry.write(reach, name) } }, null, 2)}\n`,
    );
    return 0;
  }
  const places = placesOf(io, values.project);
  const installed = installedClients(places);
  if (positionals.length === 0 && !all) return listAssistants(installed, asJson, io);
  if (all && installed.length === 0) {
    return failure('connect', `no assistant was found; known are ${Object.keys(clients).join(', ')}`, io);
  }
  let code = 0;
  const results: JsonObject[] = [];
  for (const id of all ? installed : positionals) {
    // With --all the user scope is chosen: a project file belongs to its project.
    const client = clients[id] as AssistantKind; // checked above
    const chosen: Scope | undefined = scope ?? (all && client.scopes.user ? 'user' : scopesOf(client)[0]);
    const place = chosen === undefined ? undefined : client.scopes[chosen]?.(places);
    if (place === undefined) {
      if (!all) return wrong(io, `${id} has no scope ${String(chosen)}; use ${scopesOf(client).join(' or ')}`);
      continue;
    }
    const file = { ...place, client };
    const result = undo
      ? await removeEntry(file, name, { id, asJson, results }, io)
      : await showEntry(file, name, reach, { id, write, asJson, results }, io);
    code = Math.max(code, result);
    if (result === 2 && !all) return 2;
  }
  if (asJson) io.out(`${JSON.stringify({ assistants: results }, null, 2)}\n`);
  // With --all an assistant that cannot be connected is no wrong use.
  return all ? Math.min(code, 1) : code;
}

/** Whether a text is a scope. */
const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text);

/** Where files of assistants are looked for. */
export const placesOf = (io: Io, project = '.'): Places => ({
  home: io.env['HOME'] ?? homedir(),
  project: resolve(project),
  platform: process.platform,
  env: io.env,
});

/** Assistants that left traces on this machine. */
export const installedClients = (places: Places): readonly string[] =>
  Object.entries(clients)
    .filter(([, client]) => client.traces(places).some((path) => existsSync(path)))
    .map(([id]) => id);

/** Lists the known assistants and whether they are installed. */
function listAssistants(installed: readonly string[], asJson: boolean, io: Io): number {
  if (asJson) {
    const assistants = Object.entries(clients).map(([id, client]) => ({
      id,
      title: client.title,
      scopes: scopesOf(client),
      installed: installed.includes(id),
    }));
    io.out(`${JSON.stringify({ assistants }, null, 2)}\n`);
    return 0;
  }
  for (const [id, { title }] of Object.entries(clients))
    io.out(`${id.padEnd(16)} ${title.padEnd(24)} ${installed.includes(id) ? 'installed' : '-'}\n`);
  io.err('Nothing was changed; toolgate connect <assistant> shows an entry, --write writes it.\n');
  return 0;
}

/** How the result of one assistant is shown: printed at once, or collected for `--json`. */
interface Shown {
  readonly id: string;
  readonly asJson: boolean;
  readonly results: JsonObject[];
}

/** Shows the entry of one assistant and writes it if asked to. */
async function showEntry(
  place: ServersFile,
  name: string,
  reach: Reach,
  { id, write, asJson, results }: Shown & { readonly write: boolean },
  io: Io,
): Promise<number> {
  const { client, file, member } = place;
  const entry = client.entry.write(reach, name);
  if (entry === undefined) return wrong(io, `${id} can only start a gateway over stdio; remove --http and --url`);
  const change = await planChange(place, { [name]: entry });
  // Shown with its key, so that it can be pasted.
  const shown = JSON.stringify(
    { [member.at(-1) ?? '']: client.isList === true ? [entry] : { [name]: entry } },
    null,
    2,
  );
  if (asJson) {
    const problem = 'problem' in change ? { problem: change.problem } : {};
    const isChange = !('problem' in change) && change.before !== change.after;
    if (isChange && write) applyChange(change);
    results.push({ id, file, entry: entry as JsonObject, changed: isChange && write, ...problem });
    return 'problem' in change ? 1 : 0;
  }
  if ('problem' in change) {
    failure('connect', `${change.problem}. Add this yourself:`, io);
    io.out(`${shown}\n`);
    return 1;
  }
  const isNew = change.before === undefined;
  io.out(`${file}${isNew ? ' (new)' : ''}\n${shown}\n`);
  if (change.before === change.after) io.err('Already connected; nothing to change.\n');
  else if (write) {
    applyChange(change);
    io.err(
      `Written. ${isNew ? 'There was no file before' : `The original file is kept as ${backupOf(file)}`}; --undo removes the entry.${client.note ? ` ${client.note}` : ''}\n`,
    );
  } else io.err('Nothing was changed; add --write to write it.\n');
  if (reach.transport === 'http' && client.isDesktop === true)
    io.err(
      `Set TOOLGATE_TOKEN where ${client.title} is started from: a menu or dock does not pass on variables of a shell.\n`,
    );
  return 0;
}

/** Removes the entry, or restores the file from before. */
async function removeEntry(place: ServersFile, name: string, { id, asJson, results }: Shown, io: Io): Promise<number> {
  const result = await undoChange(place, name);
  if (asJson) {
    results.push({ id, file: place.file, ...(typeof result === 'object' ? { problem: result.problem } : { result }) });
    return typeof result === 'object' ? 1 : 0;
  }
  if (typeof result === 'object') return failure('connect', result.problem, io);
  io.out(
    `${place.file}: ${{ nothing: 'no entry to remove', restored: 'restored to the original file', removed: 'entry removed; other changes kept' }[result]}\n`,
  );
  return 0;
}

/** Reports wrong use of this verb. */
const wrong = (io: Io, message: string): number => usageError('connect', message, io);
