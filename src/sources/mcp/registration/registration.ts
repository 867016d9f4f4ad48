import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../../core/json.js';
import { looksLikeLiteralSecret } from '../../../hostile-text/literal-secret.js';
import { isJsonObject } from '../../../wire/message.js';
import { manifestFiles, parseManifest, type PluginManifest } from './manifest.js';
import { nonEmptyText, textsIn } from './text-fields.js';

/** An entry of `sources` and its id. */
export interface SourceEntry {
  readonly id: string;
  readonly entry: JsonObject;
}

type RegistrationProblems = { readonly problems: readonly string[] };

/** An entry without an id, or the problems found. */
export type EntryResult = { readonly entry: JsonObject } | RegistrationProblems;

const sourceId = /^[A-Za-z0-9_-]{1,64}$/;
const envReference = /^(?:env:)([A-Za-z_][A-Za-z0-9_]*)$/;

/**
 * Converts a registration (`source_type: "mcp"`, `mcp_plugin_dir`, `mcp_server_url` …) into a `sources` entry; lists every
 * problem at once. Literal secrets are rejected: a registration may only refer to environment variables.
 */
export function fromRegistration(given: JsonObject, base: string): SourceEntry | RegistrationProblems {
  const id = nonEmptyText(given['name']);
  const problems: string[] = [];
  if (id === undefined || !sourceId.test(id)) problems.push('name must be 1 to 64 letters, digits, _ or -');
  if (given['source_type'] !== 'mcp') problems.push('source_type must be "mcp"');
  const transport =
    nonEmptyText(given['mcp_transport_type']) ?? (given['mcp_server_url'] === undefined ? 'stdio' : 'streamable_http');
  if (!['stdio', 'sse', 'streamable_http'].includes(transport))
    problems.push('mcp_transport_type must be stdio, sse or streamable_http');
  const lifecycle = nonEmptyText(given['mcp_lifecycle_mode']) ?? 'singleton';
  if (!['transient', 'singleton'].includes(lifecycle))
    problems.push('mcp_lifecycle_mode must be transient or singleton');
  const env = parseEnvironment(given['mcp_env_vars'], problems);
  const description = nonEmptyText(given['description']);
  const common = { kind: 'mcp', ...(description !== undefined && { description }) };
  const url = nonEmptyText(given['mcp_server_url']);
  const folder = nonEmptyText(given['mcp_plugin_dir']);
  if (url === undefined && folder === undefined)
    problems.push('either mcp_plugin_dir (a plugin) or mcp_server_url (a remote server) is needed');
  if (url !== undefined && transport === 'stdio') problems.push('a remote server is reached by streamable_http or sse');
  if (url === undefined && transport === 'sse') problems.push('sse is for remote servers only');
  if (problems.length > 0 || id === undefined) return { problems };
  if (url !== undefined)
    return {
      id,
      entry: { ...common, url, transport, ...(Object.keys(env).length > 0 && { headers: toHeaders(env) }) },
    };
  const manifest = readPluginManifest(resolve(base, folder ?? ''));
  if ('problems' in manifest) return manifest;
  const plugin = pluginEntry(manifest, given, resolve(base, folder ?? ''));
  return 'problems' in plugin
    ? plugin
    : {
        id,
        entry: {
          ...common,
          ...plugin.entry,
          lifecycle,
          ...requiredEnv(manifest),
          ...registryName(manifest),
          ...(Object.keys(env).length > 0 && { env }),
        },
      };
}

function readPluginManifest(folder: string): PluginManifest | RegistrationProblems {
  const file = manifestFiles.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return { problems: [`the plugin folder contains neither ${manifestFiles.join(' nor ')}`] };
  try {
    const read = parseManifest(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    return 'problems' in read ? { problems: read.problems.map((problem) => `${file}: ${problem}`) } : read;
  } catch {
    return { problems: [`${file} is not JSON`] };
  }
}

function pluginEntry(manifest: PluginManifest, given: JsonObject, folder: string): EntryResult {
  const override = nonEmptyText(given['mcp_command']);
  const extra = textsIn(given['mcp_args']);
  const runtime = nonEmptyText(given['mcp_runtime_hint']) ?? manifest.runtime;
  if (override !== undefined) return { entry: { command: override, args: extra, cwd: folder } };
  if (runtime !== undefined && !['uvx', 'npx', 'python', 'node', 'docker'].includes(runtime))
    return { problems: ['mcp_runtime_hint must be uvx, npx, python, node or docker'] };
  if (manifest.package !== undefined && (runtime === 'npx' || runtime === 'uvx'))
    return { entry: { runtime, package: manifest.package, args: [...manifest.command, ...extra] } };
  if (manifest.package !== undefined)
    return { entry: { runtime: runtime ?? 'docker', args: [manifest.package, ...manifest.command, ...extra] } };
  const [program, ...args] = manifest.command;
  if (program === undefined) return { problems: ['the manifest has no command; set mcp_command'] };
  if (program === 'npx' || program === 'uvx') return { entry: packageEntry(program, args, extra) };
  if (program === 'node' || program === 'python' || program === 'python3')
    return { entry: { runtime: program === 'node' ? 'node' : 'python', args: [...args, ...extra], cwd: folder } };
  return { entry: { command: program, args: [...args, ...extra], cwd: folder } };
}

/** Converts `npx -y pkg@1.2.3 …` into a package entry; the schema then requires an exact version. */
function packageEntry(runtime: 'npx' | 'uvx', args: readonly string[], extra: readonly string[]): JsonObject {
  const words = args.filter((word) => word !== '-y' && word !== '--yes' && word !== '--from');
  return { runtime, package: words[0] ?? '', args: [...words.slice(1), ...extra] };
}

/** `owner/name` is the format of MCP registry names; other names are not looked up. */
const registryName = ({ name }: PluginManifest): JsonObject =>
  /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(name) && name.length <= 200 ? { registry_name: name } : {};

const requiredEnv = ({ variables }: PluginManifest): JsonObject => {
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  return required.length > 0 ? { required_env: required } : {};
};

/** Converts `env:NAME` into references; a literal secret is a problem, and is not echoed in the message. */
export function parseEnvironment(given: unknown, problems: string[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(isJsonObject(given) ? given : {})) {
    if (typeof value !== 'string') problems.push(`the value of ${name} must be a string`);
    else if (envReference.test(value)) env[name] = `\${${envReference.exec(value)?.[1] ?? ''}}`;
    else if (looksLikeLiteralSecret(name, value) !== undefined)
      problems.push(`${name} looks like a literal secret; write env:${name} and set the variable`);
    else env[name] = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(value) ? value : value.replaceAll('$', '$$$$');
  }
  return env;
}

/** Maps `MCP_HEADER_X_FOO` to the header `X-FOO`. */
const toHeaders = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.replace(/^MCP_HEADER_/, '').replaceAll('_', '-'), value]),
  );
