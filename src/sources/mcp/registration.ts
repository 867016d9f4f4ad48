import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../core/json.js';
import { looksLikeLiteralSecret } from '../../hostile-text/literal-secret.js';
import { isObject } from '../../wire/message.js';
import { manifestFiles, readManifest, type PluginManifest } from './manifest.js';

/** An entry of `sources`, as it would stand in the configuration, and the id it would have. */
export interface Registered {
  readonly id: string;
  readonly entry: JsonObject;
}

export type RegistrationProblems = { readonly problems: readonly string[] };

/** An entry without a name, or what is wrong with it. */
export type Entry = { readonly entry: JsonObject } | RegistrationProblems;

const ids = /^[A-Za-z0-9_-]{1,64}$/;
const reference = /^(?:env:)([A-Za-z_][A-Za-z0-9_]*)$/;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/**
 * Translates a registration (`source_type: "mcp"`, `mcp_plugin_dir`, `mcp_server_url` …) into an entry of the configuration;
 * every problem is listed. Values that look like secrets are refused: a registration may only refer to them.
 */
export function fromRegistration(given: JsonObject, base: string): Registered | RegistrationProblems {
  const id = text(given['name']);
  const problems: string[] = [];
  if (id === undefined || !ids.test(id)) problems.push('name must be 1 to 64 letters, digits, _ or -');
  if (given['source_type'] !== 'mcp') problems.push('source_type must be "mcp"');
  const transport =
    text(given['mcp_transport_type']) ?? (given['mcp_server_url'] === undefined ? 'stdio' : 'streamable_http');
  if (!['stdio', 'sse', 'streamable_http'].includes(transport))
    problems.push('mcp_transport_type must be stdio, sse or streamable_http');
  const lifecycle = text(given['mcp_lifecycle_mode']) ?? 'singleton';
  if (!['transient', 'singleton'].includes(lifecycle))
    problems.push('mcp_lifecycle_mode must be transient or singleton');
  const env = environment(given['mcp_env_vars'], problems);
  const description = text(given['description']);
  const common = { kind: 'mcp', ...(description !== undefined && { description }) };
  const url = text(given['mcp_server_url']);
  const folder = text(given['mcp_plugin_dir']);
  if (url === undefined && folder === undefined)
    problems.push('either mcp_plugin_dir (a plugin) or mcp_server_url (a remote server) is needed');
  if (url !== undefined && transport === 'stdio') problems.push('a remote server is reached by streamable_http or sse');
  if (url === undefined && transport === 'sse') problems.push('sse is for remote servers only');
  if (problems.length > 0 || id === undefined) return { problems };
  if (url !== undefined)
    return {
      id,
      entry: { ...common, url, transport, ...(Object.keys(env).length > 0 && { headers: headersOf(env) }) },
    };
  const manifest = manifestIn(resolve(base, folder ?? ''));
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
          ...requiredOf(manifest),
          ...registryName(manifest),
          ...(Object.keys(env).length > 0 && { env }),
        },
      };
}

function manifestIn(folder: string): PluginManifest | RegistrationProblems {
  const file = manifestFiles.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return { problems: [`the plugin folder holds neither ${manifestFiles.join(' nor ')}`] };
  try {
    const read = readManifest(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    return 'problems' in read ? { problems: read.problems.map((problem) => `${file}: ${problem}`) } : read;
  } catch {
    return { problems: [`${file} is not JSON`] };
  }
}

function pluginEntry(manifest: PluginManifest, given: JsonObject, folder: string): Entry {
  const override = text(given['mcp_command']);
  const extra = Array.isArray(given['mcp_args'])
    ? given['mcp_args'].filter((word): word is string => typeof word === 'string')
    : [];
  const runtime = text(given['mcp_runtime_hint']) ?? manifest.runtime;
  if (override !== undefined) return { entry: { command: override, args: extra, cwd: folder } };
  if (runtime !== undefined && !['uvx', 'npx', 'python', 'node', 'docker'].includes(runtime))
    return { problems: ['mcp_runtime_hint must be uvx, npx, python, node or docker'] };
  if (manifest.package !== undefined && (runtime === 'npx' || runtime === 'uvx'))
    return { entry: { runtime, package: manifest.package, args: [...manifest.command, ...extra] } };
  if (manifest.package !== undefined)
    return { entry: { runtime: runtime ?? 'docker', args: [manifest.package, ...manifest.command, ...extra] } };
  const [program, ...args] = manifest.command;
  if (program === undefined) return { problems: ['the manifest names no command; set mcp_command'] };
  if (program === 'npx' || program === 'uvx') return { entry: packaged(program, args, extra) };
  if (program === 'node' || program === 'python' || program === 'python3')
    return { entry: { runtime: program === 'node' ? 'node' : 'python', args: [...args, ...extra], cwd: folder } };
  return { entry: { command: program, args: [...args, ...extra], cwd: folder } };
}

/** `npx -y pkg@1.2.3 …`: what would be fetched must be named with its version. */
function packaged(runtime: 'npx' | 'uvx', args: readonly string[], extra: readonly string[]): JsonObject {
  const words = args.filter((word) => word !== '-y' && word !== '--yes' && word !== '--from');
  return { runtime, package: words[0] ?? '', args: [...words.slice(1), ...extra] };
}

/** Names with an owner before them are those of the MCP registry. */
const registryName = ({ name }: PluginManifest): JsonObject =>
  /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(name) && name.length <= 200 ? { registry_name: name } : {};

const requiredOf = ({ variables }: PluginManifest): JsonObject => {
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  return required.length > 0 ? { required_env: required } : {};
};

/** Variables by reference; a value that looks like a secret is a problem, and is not repeated. */
export function environment(given: unknown, problems: string[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    if (typeof value !== 'string') problems.push(`the value of ${name} must be a text`);
    else if (reference.test(value)) env[name] = `\${${reference.exec(value)?.[1] ?? ''}}`;
    else if (looksLikeLiteralSecret(name, value) !== undefined)
      problems.push(`${name} looks like a secret written out; write env:${name} and set the variable`);
    else env[name] = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(value) ? value : value.replaceAll('$', '$$$$');
  }
  return env;
}

/** `MCP_HEADER_X_FOO` stands for the header `X-FOO`. */
const headersOf = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.replace(/^MCP_HEADER_/, '').replaceAll('_', '-'), value]),
  );
