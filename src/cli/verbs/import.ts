import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadConfig } from '../../config/load.js';
import { secretStore } from '../../config/secrets/store.js';
import type { JsonObject } from '../../core/json.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { homeOf } from '../../serve/home.js';
import { clients } from '../../assistants/clients.js';
import { sourceIdFrom } from '../../sources/mcp/registration/source-id.js';
import { applyChange, planChange, undoChange, type ServersFile } from '../connect/edit.js';
import { gatewayReach } from '../connect/gateway-reach.js';
import { didYouMean, failure, parseCommandLine, usageError } from '../command-line.js';
import type { Io } from '../io.js';
import { fileByPath, filesOf, readClientServers, type ClientServer } from '../servers/client-servers.js';
import { planEntry } from '../servers/plan-source.js';
import type { NewSecrets } from '../servers/secret-references.js';
import { changeSources } from '../sources-file.js';
import { presentSources, targetFile } from '../servers/target-file.js';
import { installedClients, placesOf } from './connect.js';

export const help = `Usage: toolgate import [assistant ... | file] [--write | --undo] [options]

Reads the MCP servers that assistants on this machine have, and shows what each would become as a source of this gateway; by
default of all assistants that are installed. Changes nothing without --write.

  --write          add the sources, move literal secrets to the secret store, and put the gateway in the place of the imported
                   servers in the assistants' files (kept as <file>.before-toolgate-import)
  --sources-only   with --write: leave the assistants' files alone
  --undo           put the servers back into the assistants' files
  --config FILE    configuration file to write (default: toolgate.yaml here, then the user's)
  --project DIR    project folder (default: this folder)
  --json           print the table as JSON

Known assistants: ${Object.keys(clients).join(', ')}
`;

/** Options of this verb. */
const options = {
  write: { type: 'boolean' },
  undo: { type: 'boolean' },
  'sources-only': { type: 'boolean' },
  config: { type: 'string' },
  project: { type: 'string' },
} as const;

/** A server of an assistant with what becomes of it. */
interface Row {
  readonly server: ClientServer;
  readonly id: string;
  readonly state: 'new' | 'same' | 'problem';
  readonly entry?: JsonObject;
  readonly shown: string;
  readonly remarks: readonly string[];
}

/** Name of the gateway in the files of assistants. */
const gateName = 'toolgate';
/** Path of the backup; another name than that of `connect`, whose undo must not restore this one. */
const importBackup = (file: string): string => `${file}.before-toolgate-import`;

/** Imports servers of assistants. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('import', argv, options, io, []);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  if (values.write === true && values.undo === true) return usageError('import', 'use either --write or --undo', io);
  const places = placesOf(io, values.project);
  const files: { readonly id: string; readonly place: ServersFile }[] = [];
  // A word that is no assistant is a file, so that any client's configuration can be imported.
  for (const each of positionals.length > 0 ? positionals : installedClients(places)) {
    if (Object.hasOwn(clients, each)) files.push(...filesOf(each, places).map((place) => ({ id: each, place })));
    else {
      const place = await fileByPath(each);
      if ('problem' in place)
        return usageError('import', `${place.problem}${didYouMean(each, Object.keys(clients))}`, io);
      files.push({ id: each, place });
    }
  }
  if (values.undo === true) return undoImports(files, io);
  const servers: ClientServer[] = [];
  const problems: string[] = [];
  const report = (problem: string): void => {
    problems.push(problem);
    if (values.json !== true) failure('import', problem, io);
  };
  let code = 0;
  for (const { id, place } of files) {
    const read = await readClientServers(id, place);
    if ('problem' in read) {
      report(read.problem);
      code = 1;
    } else servers.push(...read);
  }
  const file = await targetFile(values.config, io);
  // Loaded for the state folder only; a configuration that conflicts still names it.
  const loaded = await loadConfig({ env: io.env, cwd: dirname(file) });
  const home = homeOf(io.env, (loaded.ok ? loaded.config : loaded.unusable?.config)?.state.directory);
  const store = secretStore(home.folder);
  const secrets: NewSecrets = new Map();
  const rows = await planRows(servers, {
    file,
    secrets,
    stored: (name) => store.get(name),
    packages: home.packages,
    io,
  });
  showRows(rows, { secrets, problems, asJson: values.json === true }, io);
  if (rows.some(({ state }) => state === 'problem')) code = 1;
  if (values.write !== true) {
    if (rows.length > 0) io.err('Nothing was changed; add --write to import them.\n');
    return code;
  }
  // Nothing new: the files of the assistants stay untouched, too.
  if (rows.every(({ state }) => state !== 'new')) return code;
  // Secrets are stored before the file refers to them; a gateway that follows the file would reload at once.
  for (const [name, value] of secrets) store.set(name, value);
  const fileProblems = changeSources(file, (sources) => {
    for (const { id, entry, state } of rows) if (state === 'new' && entry !== undefined) sources.set(id, entry);
  });
  if (fileProblems.length > 0) {
    // The entries were not written, so the secrets would be orphans.
    for (const name of secrets.keys()) store.remove(name);
    return failure('import', `nothing was written: ${fileProblems.join('; ')}`, io);
  }
  io.err(`Written to ${file}.\n`);
  // Last: until here the assistants still work as before.
  return values['sources-only'] === true ? code : Math.max(code, await replaceServers(rows, file, io));
}

/** Plans every server: a new source, one that is there already, or a problem. */
async function planRows(
  servers: readonly ClientServer[],
  context: {
    readonly file: string;
    readonly secrets: NewSecrets;
    readonly stored: (name: string) => string | undefined;
    readonly packages: string;
    readonly io: Io;
  },
): Promise<readonly Row[]> {
  const { io } = context;
  const taken = new Set(presentSources(context.file));
  const ids = servers.map(({ name }) => sourceIdFrom(name, 40) || 'server');
  // In parallel: resolving the version of each package takes a request to its registry.
  const planned = await Promise.all(
    servers.map(async (server, index) => {
      const missing = new Set<string>();
      const references = {
        id: ids[index] ?? '',
        env: io.env,
        stored: context.stored,
        secrets: context.secrets,
        missing,
      };
      const one =
        'problem' in server.wanted
          ? server.wanted
          : await planEntry(server.wanted, server.env, {
              references,
              env: io.env,
              packages: context.packages,
              signal: io.signal,
              // Relative paths in an entry refer to its working directory, else to the folder of the file.
              base: server.cwd ?? dirname(server.place.file),
            });
      if ('problem' in one) return one;
      if (missing.size > 0)
        return {
          problem: `not set: ${[...missing].join(', ')}; run toolgate secret set ${[...missing][0]} and import again`,
        };
      const entry: JsonObject = {
        ...one.entry,
        ...(server.cwd !== undefined && { cwd: server.cwd }),
        ...(server.isDisabled && { enabled: false }),
      };
      return { ...one, entry };
    }),
  );
  const known: { readonly id: string; readonly entry: JsonObject }[] = [];
  return servers.map((server, index): Row => {
    const one = planned[index];
    const wantedId = ids[index] ?? '';
    if (one === undefined || 'problem' in one)
      return { server, id: wantedId, state: 'problem', shown: one?.problem ?? '', remarks: [] };
    // The same server in several assistants becomes one source.
    const twin = known.find(({ entry }) => isDeepStrictEqual(entry, one.entry));
    if (twin) return { server, id: twin.id, state: 'same', shown: one.shown, remarks: [] };
    let id = wantedId;
    // A number is appended until the id is free; an existing source is never overwritten.
    for (let count = 2; taken.has(id); count += 1) id = `${wantedId}-${count}`;
    taken.add(id);
    known.push({ id, entry: one.entry });
    const renamed = id === server.name ? [] : [`renamed from ${JSON.stringify(server.name)}`];
    return {
      server,
      id,
      state: 'new',
      entry: one.entry,
      shown: one.shown,
      remarks: [...renamed, ...one.remarks, ...(one.missing === undefined ? [] : [one.missing])],
    };
  });
}

/** Prints what would be imported. */
function showRows(
  rows: readonly Row[],
  {
    secrets,
    problems,
    asJson,
  }: { readonly secrets: NewSecrets; readonly problems: readonly string[]; readonly asJson: boolean },
  io: Io,
): void {
  if (asJson) {
    const servers = rows.map(({ server, id, state, shown, remarks, entry }) => ({
      client: server.client,
      file: server.place.file,
      name: server.name,
      id,
      state,
      becomes: shown,
      remarks,
      ...(entry && { entry }),
    }));
    io.out(`${JSON.stringify({ servers, secrets: [...secrets.keys()], problems }, null, 2)}\n`);
    return;
  }
  if (rows.length === 0) io.err('No servers were found.\n');
  const wide = Math.max(8, ...rows.map(({ id }) => id.length));
  for (const { server, id, state, shown, remarks } of rows) {
    io.out(`${server.client.padEnd(15)} ${id.padEnd(wide)} ${state.padEnd(8)} ${escapeInvisible(shown)}\n`);
    for (const remark of remarks) io.out(`${' '.repeat(16 + wide)} ${' '.repeat(8)} ${escapeInvisible(remark)}\n`);
  }
  for (const name of secrets.keys()) io.out(`secret          ${name} moves to the secret store\n`);
}

/** Replaces imported servers in the files of assistants by the gateway. */
async function replaceServers(rows: readonly Row[], config: string, io: Io): Promise<number> {
  const reach = await gatewayReach({ config }, io);
  if ('problem' in reach) return usageError('import', reach.problem, io);
  let code = 0;
  // Several rows may share a file; it is changed once.
  for (const place of new Set(rows.map(({ server }) => server.place))) {
    // Entries that could not be imported stay, so that the assistant keeps them.
    const imported = rows.filter((row) => row.server.place === place && row.state !== 'problem');
    if (imported.length === 0) continue;
    const entry = place.client.entry.write(reach, gateName);
    const change = await planChange(place, {
      ...Object.fromEntries(imported.map(({ server }) => [server.name, undefined])),
      [gateName]: entry,
    });
    if ('problem' in change) {
      code = failure('import', change.problem, io);
      continue;
    }
    applyChange(change, importBackup(place.file));
    io.err(
      `${place.file}: ${imported.length} servers replaced by the gateway; the original is kept as ${importBackup(place.file)}\n`,
    );
  }
  return code;
}

/** Restores the files of assistants from their backups. */
async function undoImports(files: readonly { readonly place: ServersFile }[], io: Io): Promise<number> {
  let code = 0;
  for (const { place } of files) {
    const result = await undoChange(place, gateName, { backup: importBackup(place.file), all: true });
    if (typeof result === 'object') {
      code = failure('import', result.problem, io);
    } else if (io.json === true) io.out(`${JSON.stringify({ file: place.file, result })}\n`);
    else if (result !== 'nothing')
      io.out(
        `${place.file}: ${result === 'restored' ? 'restored to the original file' : 'servers put back; other changes kept'}\n`,
      );
  }
  return code;
}
