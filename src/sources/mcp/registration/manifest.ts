import type { JsonObject } from '../../../core/json.js';
import { isJsonObject } from '../../../wire/message.js';
import { nonEmptyText, textsIn } from './text-fields.js';

/** An environment variable of a plugin. */
export interface Variable {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly secret: boolean;
}

/** How a plugin is started, independent of the manifest format. */
export interface PluginManifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly transport: 'stdio' | 'sse' | 'streamable_http';
  readonly runtime?: string;
  /** The complete command line, if the manifest has one. */
  readonly command: readonly string[];
  /** A registry package with its version. */
  readonly package?: string;
  readonly url?: string;
  readonly variables: readonly Variable[];
}

/** File names of plugin manifests, in search order. */
export const manifestFiles = ['plugin.json', 'server.json'] as const;

const transports: Readonly<Record<string, PluginManifest['transport']>> = {
  stdio: 'stdio',
  sse: 'sse',
  streamable_http: 'streamable_http',
  'streamable-http': 'streamable_http',
};

/** Parses a manifest in either format: `packages[].command` with `environment_variables`, or that of the MCP registry. */
export function parseManifest(given: unknown): PluginManifest | { readonly problems: readonly string[] } {
  if (!isJsonObject(given)) return { problems: ['the manifest must be an object'] };
  const name = nonEmptyText(given['name']);
  const packages = Array.isArray(given['packages']) ? given['packages'].filter(isJsonObject) : [];
  const remotes = Array.isArray(given['remotes']) ? given['remotes'].filter(isJsonObject) : [];
  const problems: string[] = [];
  if (name === undefined) problems.push('name must be a non-empty string');
  const [first] = packages.length > 0 ? packages : remotes;
  if (first === undefined) problems.push('packages must hold at least one package');
  if (name === undefined || first === undefined) return { problems };
  const read =
    packages.length === 0
      ? parseRemote(first)
      : 'registryType' in first || 'identifier' in first
        ? parseRegistryPackage(first)
        : parseCommandPackage(first);
  if ('problems' in read) return read;
  const [version, description] = [nonEmptyText(given['version']), nonEmptyText(given['description'])];
  return {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    ...read,
  };
}

type ParsedPackage =
  Omit<PluginManifest, 'name' | 'version' | 'description'> | { readonly problems: readonly string[] };

function parseCommandPackage(given: JsonObject): ParsedPackage {
  const transport = transports[nonEmptyText(given['transport_type']) ?? 'stdio'];
  const command = textsIn(given['command']);
  const runtime = nonEmptyText(given['runtime']);
  const problems = [
    ...(transport === undefined ? ['packages[0].transport_type must be stdio, sse or streamable_http'] : []),
    ...(command.length === 0 && runtime === undefined ? ['packages[0] needs a command or a runtime'] : []),
  ];
  if (transport === undefined || problems.length > 0) return { problems };
  return {
    transport,
    command,
    ...(runtime !== undefined && { runtime }),
    variables: parseVariables(given['environment_variables'], 'required', 'secret'),
  };
}

function parseRegistryPackage(given: JsonObject): ParsedPackage {
  const { transport: declaredTransport, registryType, identifier, version } = given;
  const transport =
    transports[(isJsonObject(declaredTransport) ? nonEmptyText(declaredTransport['type']) : undefined) ?? 'stdio'];
  const id = nonEmptyText(identifier);
  const exactVersion = nonEmptyText(version);
  const runtime =
    nonEmptyText(given['runtimeHint']) ?? { npm: 'npx', pypi: 'uvx', oci: 'docker' }[nonEmptyText(registryType) ?? ''];
  if (transport === undefined || id === undefined || runtime === undefined)
    return { problems: ['packages[0] needs identifier, registryType and a known transport.type'] };
  const packageSpec =
    runtime === 'uvx'
      ? `${id}==${exactVersion ?? ''}`
      : runtime === 'docker'
        ? exactVersion === undefined
          ? id
          : `${id}:${exactVersion}`
        : `${id}@${exactVersion ?? ''}`;
  return {
    transport,
    runtime,
    package: packageSpec,
    command: parseArguments(given['packageArguments']),
    variables: parseVariables(given['environmentVariables'], 'isRequired', 'isSecret'),
  };
}

function parseRemote(given: JsonObject): ParsedPackage {
  const transport = transports[nonEmptyText(given['type']) ?? ''];
  const url = nonEmptyText(given['url']);
  if (transport === undefined || transport === 'stdio' || url === undefined)
    return { problems: ['remotes[0] needs url and type'] };
  return { transport, url, command: [], variables: [] };
}

const parseArguments = (given: unknown): readonly string[] =>
  (Array.isArray(given) ? given.filter(isJsonObject) : []).flatMap((argument) => {
    const [name, value] = [nonEmptyText(argument['name']), nonEmptyText(argument['value'])];
    return argument['type'] === 'named'
      ? [...(name === undefined ? [] : [name]), ...(value === undefined ? [] : [value])]
      : value === undefined
        ? []
        : [value];
  });

function parseVariables(given: unknown, required: string, secret: string): readonly Variable[] {
  return (Array.isArray(given) ? given.filter(isJsonObject) : []).flatMap((variable) => {
    const name = nonEmptyText(variable['name']);
    if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [];
    const description = nonEmptyText(variable['description']);
    return [
      {
        name,
        required: variable[required] === true,
        secret: variable[secret] === true,
        ...(description !== undefined && { description }),
      },
    ];
  });
}
