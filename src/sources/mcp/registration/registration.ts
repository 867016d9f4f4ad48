import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../../core/json.js';
import { splitWords } from '../../../lib/text/split-words.js';
import { isJsonObject } from '../../../wire/message.js';
import { parseJsonWithComments } from './json-with-comments.js';
import { unknownKeys } from './known-keys.js';
import { manifestFiles, parseManifest, type PluginManifest } from './manifest.js';
import { isRuntime, parseRuntimeCommand, runtimes, type Runtime } from './runtime-command.js';
import type { WantedServer } from './server-command.js';
import { sourceIdFrom } from './source-id.js';
import { nonEmptyText } from './text-fields.js';
import { toReference } from './value-references.js';

/** A registration as a server to plan, with the keys of its entry that do not depend on how it is started. */
interface RegisteredServer {
  readonly id: string;
  readonly wanted: WantedServer;
  /** Variables of the process, with references; `wanted` holds the headers of a remote server. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the manifest declares secret: masked by declaration, whatever their value looks like. */
  readonly secretNames: ReadonlySet<string>;
  /** Folder that relative paths refer to. */
  readonly base: string;
  readonly keys: JsonObject;
  /** Choices that were made. */
  readonly notes: readonly string[];
}

/** Everything that is wrong with a registration. */
type RegistrationProblems = { readonly problems: readonly string[] };

/** Every key of a registration. */
const registrationKeys = [
  'name',
  'url',
  'source_type',
  'description',
  'mcp_plugin_dir',
  'mcp_package',
  'mcp_transport_type',
  'mcp_runtime_hint',
  'mcp_lifecycle_mode',
  'mcp_env_vars',
  'mcp_command',
  'mcp_args',
  'mcp_server_url',
] as const;

/** Fields that are read before the manifest. */
interface Fields {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly lifecycle: string;
  readonly transport: string;
  readonly runtime?: Runtime;
  readonly command?: readonly string[];
  readonly args: readonly string[];
}

/**
 * Converts a registration (`source_type: "mcp"`, `mcp_plugin_dir`, `mcp_server_url` …) into a server to plan; lists every problem
 * at once. Only the registration names variables: a manifest is untrusted and could ask for any of them.
 */
export function fromRegistration(given: JsonObject, base: string): RegisteredServer | RegistrationProblems {
  const fields = readFields(given);
  if ('problems' in fields) return fields;
  const { name, env, lifecycle, transport } = fields;
  const id = sourceIdFrom(name);
  const description = nonEmptyText(given['description']) ?? (id === name ? undefined : name);
  const keys = description === undefined ? {} : { description };
  const url = nonEmptyText(given['mcp_server_url']);
  if (url !== undefined) {
    const wanted = { kind: 'remote', url, headers: toHeaders(env), ...(transport === 'sse' && { sse: true }) } as const;
    return { id, wanted, env: {}, secretNames: new Set(), base, keys, notes: [] };
  }
  const folder = resolve(base, nonEmptyText(given['mcp_plugin_dir']) ?? '');
  const manifest = readPluginManifest(folder, given, fields);
  if ('problems' in manifest) return manifest;
  // Checked now: a server without its variable fails later and less clearly.
  const missing = manifest.variables.filter((variable) => variable.required && !env[variable.name]);
  if (missing.length > 0) return { problems: missing.map(missingVariable) };
  const words = [...(fields.command ?? manifest.command), ...fields.args];
  // A command of the registration replaces that of the manifest, and so its runtime.
  const runtime = fields.runtime ?? (fields.command === undefined ? manifest.runtime : undefined);
  const wanted = parseRuntimeCommand(runtime, words);
  if ('problem' in wanted) return { problems: [wanted.problem] };
  const required = manifest.variables.filter((variable) => variable.required).map((variable) => variable.name);
  return {
    id,
    wanted: wanted.kind === 'docker' ? { ...wanted, args: withVariables(wanted.args, Object.keys(env)) } : wanted,
    env,
    secretNames: new Set(manifest.variables.filter(({ secret }) => secret).map((variable) => variable.name)),
    base: folder,
    keys: {
      ...keys,
      // A script runs in its folder; packages and containers need none.
      ...(wanted.kind !== 'package' && wanted.kind !== 'docker' && { cwd: folder }),
      lifecycle,
      ...(required.length > 0 && { required_env: required }),
      ...registryName(manifest),
    },
    notes: manifest.chosen === undefined ? [] : [manifest.chosen],
  };
}

/** Reads and checks the fields that do not depend on the manifest. */
function readFields(given: JsonObject): Fields | RegistrationProblems {
  const problems: string[] = [...unknownKeys(given, registrationKeys)];
  const text = (key: (typeof registrationKeys)[number]): string | undefined => {
    const value = given[key];
    if (value !== undefined && value !== null && typeof value !== 'string') problems.push(`${key} must be a string`);
    return nonEmptyText(value);
  };
  const choice = (key: (typeof registrationKeys)[number], options: readonly string[]): string | undefined => {
    const value = text(key);
    if (value !== undefined && !options.includes(value)) problems.push(`${key} must be one of ${options.join(', ')}`);
    return value;
  };
  const name = text('name');
  if (name === undefined || sourceIdFrom(name) === '')
    problems.push('name must contain letters or digits; it becomes the id of the source');
  if (given['source_type'] !== 'mcp') problems.push('source_type must be "mcp"');
  const [url, folder, address] = [text('mcp_server_url'), text('mcp_plugin_dir'), text('url')];
  // Exactly one of the two: otherwise the registration could mean either.
  if (url === undefined && folder === undefined)
    problems.push('either mcp_plugin_dir (a plugin) or mcp_server_url (a remote server) is needed');
  if (url !== undefined && folder !== undefined)
    problems.push('mcp_plugin_dir and mcp_server_url name two servers; remove one of them');
  // A reader of the file must not see another address than the one that is used.
  if (address !== undefined && folder !== undefined && !address.startsWith('mcp://'))
    problems.push('url of a plugin must be mcp://<name>');
  if (address !== undefined && url !== undefined && address !== url)
    problems.push('url and mcp_server_url name different addresses');
  const transport =
    choice('mcp_transport_type', ['stdio', 'sse', 'streamable_http']) ??
    (url === undefined ? 'stdio' : 'streamable_http');
  if (url !== undefined && transport === 'stdio') problems.push('a remote server is reached by streamable_http or sse');
  if (url === undefined && transport !== 'stdio') problems.push(`${transport} is for remote servers only`);
  const lifecycle = choice('mcp_lifecycle_mode', ['transient', 'singleton']) ?? 'singleton';
  const runtime = choice('mcp_runtime_hint', runtimes);
  const command = readCommand(given['mcp_command'], problems);
  const args = readWords('mcp_args', given['mcp_args'], problems) ?? [];
  const env = readVariables(given['mcp_env_vars'], problems);
  // Read for their type only.
  text('description');
  text('mcp_package');
  if (problems.length > 0 || name === undefined) return { problems };
  return {
    name,
    env,
    lifecycle,
    transport,
    args,
    ...(runtime !== undefined && isRuntime(runtime) && { runtime }),
    ...(command && { command }),
  };
}

/** A command as a list, or as one text with the quoting of a shell (and nothing else of it). */
function readCommand(given: unknown, problems: string[]): readonly string[] | undefined {
  if (typeof given !== 'string') return readWords('mcp_command', given, problems);
  const split = splitWords(given);
  if (split.ok && split.words.length > 0) return split.words;
  problems.push(`mcp_command ${split.ok ? 'is empty' : split.reason}; write it as a list of words`);
  return undefined;
}

/** A list of words; numbers are accepted, since ports are often written without quotes. */
function readWords(key: string, given: unknown, problems: string[]): readonly string[] | undefined {
  if (given === undefined || given === null) return undefined;
  const words = Array.isArray(given) ? (given as readonly unknown[]) : [];
  const texts = words.flatMap((word) => (typeof word === 'string' || typeof word === 'number' ? [String(word)] : []));
  if (Array.isArray(given) && texts.length === words.length) return texts;
  problems.push(`${key} must be a list of strings`);
  return undefined;
}

/** Variables with references in place of values. */
function readVariables(given: unknown, problems: string[]): Record<string, string> {
  const env: Record<string, string> = {};
  if (given === undefined || given === null) return env;
  if (!isJsonObject(given)) {
    problems.push('mcp_env_vars must be an object');
    return env;
  }
  for (const [name, value] of Object.entries(given)) {
    const read =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? toReference(name, String(value))
        : { problem: `the value of ${name} must be a string` };
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) problems.push(`${JSON.stringify(name)} is not the name of a variable`);
    else if ('problem' in read) problems.push(read.problem);
    else env[name] = read.text;
  }
  return env;
}

/** The manifest of a plugin folder; comments in it are allowed. */
function readPluginManifest(
  folder: string,
  given: JsonObject,
  { runtime, command }: Fields,
): PluginManifest | RegistrationProblems {
  const file = manifestFiles.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return { problems: [`the plugin folder contains neither ${manifestFiles.join(' nor ')}`] };
  const read = parseJsonWithComments(readFileSync(join(folder, file), 'utf8'));
  if ('problem' in read) return { problems: [`${file}: ${read.problem}`] };
  const name = nonEmptyText(given['mcp_package']);
  const manifest = parseManifest(read.value, {
    ...(name !== undefined && { name }),
    // A runtime without a command chooses among packages; with one it describes the command.
    ...(runtime !== undefined && command === undefined && { runtime }),
  });
  if ('problems' in manifest) return { problems: manifest.problems.map((problem) => `${file}: ${problem}`) };
  // A plugin folder is started; a URL in it would be ignored silently.
  if (manifest.url !== undefined)
    return { problems: [`${file} describes a remote server; register it with mcp_server_url ${manifest.url}`] };
  return manifest;
}

/** Characters of a description in a message. */
const maxDescription = 120;

/** What to add to the registration for a missing variable. */
const missingVariable = ({ name, description }: PluginManifest['variables'][number]): string =>
  `${name} is required${description === undefined ? '' : ` (${description.slice(0, maxDescription)})`}: add "${name}": "env:${name}" to mcp_env_vars`;

/** Options that pass variables into the container: those of the client of docker stay outside. */
const withVariables = (args: readonly string[], names: readonly string[]): readonly string[] => {
  const passed = new Set(args.flatMap((word, index) => (args[index - 1] === '-e' ? [word] : [])));
  return [...names.filter((name) => !passed.has(name)).flatMap((name) => ['-e', name]), ...args];
};

/** `owner/name` is the format of MCP registry names; other names are not looked up. */
const registryName = ({ name }: PluginManifest): JsonObject =>
  /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(name) && name.length <= 200 ? { registry_name: name } : {};

/** Maps `MCP_HEADER_X_FOO` and `X_FOO` to the header `X-FOO`. */
const toHeaders = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.replace(/^MCP_HEADER_/, '').replaceAll('_', '-'), value]),
  );
