import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { JsonObject } from '../../core/json.js';
import { parseJsonWithComments } from '../../sources/mcp/registration/json-with-comments.js';
import { fromRegistration } from '../../sources/mcp/registration/registration.js';
import { isRuntime, parseRuntimeCommand } from '../../sources/mcp/registration/runtime-command.js';
import type { WantedProblem, WantedServer } from '../../sources/mcp/registration/server-command.js';
import { sourceIdFrom } from '../../sources/mcp/registration/source-id.js';
import { isJsonObject } from '../../wire/message.js';
import { failure } from '../command-line.js';
import type { Io } from '../io.js';
import { progressLines } from '../progress-lines.js';
import { addSource } from './add-source.js';
import { fileByPath, readClientServers } from './client-servers.js';
import { planEntry } from './plan-source.js';
import { openTarget, presentSources, targetFile, type Target } from './target-file.js';

/** Options of `toolgate sources add`. */
interface AddedServers {
  readonly from?: string;
  readonly registration?: string;
  readonly url?: string;
  readonly package?: string;
  readonly runtime?: string;
  readonly command?: string;
  readonly config?: string;
  readonly home?: string;
  readonly 'no-test'?: boolean;
  readonly json?: boolean;
}

/** One server to add, before its versions and secrets are resolved. */
interface ServerToAdd {
  readonly id: string;
  readonly wanted: WantedServer | WantedProblem;
  readonly env: Readonly<Record<string, string>>;
  readonly declared?: ReadonlySet<string>;
  readonly base: string;
  readonly keys: JsonObject;
  readonly notes: readonly string[];
}

/** Servers to add, or everything that is wrong with the request. */
type ServersToAdd = { readonly servers: readonly ServerToAdd[] } | { readonly problems: readonly string[] };

/** Adds the servers that the options name; each is tried before it is written, and one that fails does not stop the others. */
export async function addSources(
  id: string | undefined,
  values: AddedServers,
  args: readonly string[],
  io: Io,
): Promise<number> {
  const read = await readServers(id, values, args);
  if ('problems' in read) return reportProblems(read.problems, io);
  const file = await targetFile(values.config, io);
  const target = await openTarget(file, values.home, io);
  let code = 0;
  // The worst result is the exit code; the others are added all the same.
  for (const server of read.servers) code = Math.max(code, await addServer(server, file, target, values, io));
  return code;
}

/** Plans one server, tries it and writes it. */
async function addServer(
  server: ServerToAdd,
  file: string,
  target: Target,
  values: AddedServers,
  io: Io,
): Promise<number> {
  const { id, wanted, env, base, keys, notes } = server;
  if ('problem' in wanted) return reportProblems([`${id}: ${wanted.problem}`], io);
  // Checked per server, because two of one file may want the same id.
  if (presentSources(file).has(id))
    return reportProblems([`source ${JSON.stringify(id)} already exists; remove it first or choose another id`], io);
  const references = target.references(id, server.declared);
  const progress = progressLines(io);
  const planned = await planEntry(wanted, env, {
    references,
    env: io.env,
    packages: target.packages,
    signal: io.signal,
    base,
  });
  if ('problem' in planned) return reportProblems([`${id} was not added: ${planned.problem}`], io);
  if (planned.missing !== undefined && values['no-test'] !== true)
    return reportProblems([`${id} was not added: ${planned.missing}`], io);
  const missing = [...references.missing];
  if (missing.length > 0)
    return reportProblems(
      [`${id} was not added: not set: ${missing.join(', ')}; set them here, or run toolgate secret set ${missing[0]}`],
      io,
    );
  return addSource(
    {
      id,
      file,
      entry: { ...planned.entry, ...keys },
      shown: planned.shown,
      remarks: [...notes, ...planned.remarks],
      secrets: references.secrets,
      store: target.store,
    },
    { io, progress, verb: 'sources add', isUntested: values['no-test'] === true, asJson: values.json === true },
  );
}

/** Servers from a client's file, from a registration or from options. */
async function readServers(
  id: string | undefined,
  values: AddedServers,
  args: readonly string[],
): Promise<ServersToAdd> {
  if (values.from !== undefined) return readClientFile(values.from);
  if (values.registration !== undefined) return readRegistration(resolve(values.registration));
  const server = { id: id ?? '', env: {}, base: process.cwd(), keys: {}, notes: [] };
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(server.id)) return { problems: ['the id must be 1 to 64 letters, digits, _ or -'] };
  const wanted = optionsServer(values, args);
  return typeof wanted === 'string' ? { problems: [wanted] } : { servers: [{ ...server, wanted }] };
}

/** The server of `--url`, `--package` or `--command`. */
function optionsServer(
  { url, package: packaged, runtime, command }: AddedServers,
  args: readonly string[],
): WantedServer | WantedProblem | string {
  if ([url, packaged, command].filter((option) => option !== undefined).length !== 1)
    return 'needs exactly one of --url, --package and --command';
  if (runtime !== undefined && !isRuntime(runtime)) return '--runtime must be npx or uvx';
  if (url !== undefined) return URL.canParse(url) ? { kind: 'remote', url, headers: {} } : `${url} is not a URL`;
  return packaged !== undefined
    ? parseRuntimeCommand(runtime ?? 'npx', [packaged, ...args])
    : parseRuntimeCommand(runtime, [command ?? '', ...args]);
}

/** Servers of any client's configuration file. */
async function readClientFile(path: string): Promise<ServersToAdd> {
  const place = await fileByPath(path);
  if ('problem' in place) return { problems: [place.problem] };
  const servers = await readClientServers(path, place);
  if ('problem' in servers) return { problems: [servers.problem] };
  return {
    servers: servers.map(({ name, wanted, env, isDisabled, cwd }) => ({
      // A name without a single usable character still gets an id.
      id: sourceIdFrom(name) || 'server',
      wanted,
      env,
      base: cwd ?? dirname(place.file),
      keys: { ...(cwd !== undefined && { cwd }), ...(isDisabled && { enabled: false }) },
      notes: [],
    })),
  };
}

/** The server of one registration file. */
function readRegistration(path: string): ServersToAdd {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return {
      problems: [`cannot read ${path} (${error instanceof Error && 'code' in error ? String(error.code) : ''})`],
    };
  }
  const read = parseJsonWithComments(text);
  if ('problem' in read) return { problems: [`${path}: ${read.problem}`] };
  if (!isJsonObject(read.value)) return { problems: ['the registration must be a JSON object'] };
  const server = fromRegistration(read.value, dirname(path));
  return 'problems' in server ? server : { servers: [{ ...server, declared: server.secretNames }] };
}

/** Reports problems, one per line or together as JSON; returns the exit code 1. */
export function reportProblems(problems: readonly string[], io: Io): number {
  if (io.json === true) return failure('sources', problems.join('; '), io);
  for (const problem of problems) failure('sources', problem, io);
  return 1;
}
