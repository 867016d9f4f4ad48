import type { JsonObject } from '../../core/json.js';
import { isObject } from '../../wire/message.js';

/** A variable that a plugin takes. */
export interface Variable {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly secret: boolean;
}

/** How a plugin is started, whichever shape its manifest had. */
export interface PluginManifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly transport: 'stdio' | 'sse' | 'streamable_http';
  readonly runtime?: string;
  /** The whole command line, where the manifest gives one. */
  readonly command: readonly string[];
  /** A package of a registry, with its version. */
  readonly package?: string;
  readonly url?: string;
  readonly variables: readonly Variable[];
}

/** The files that may describe a plugin, in the order they are looked for. */
export const manifestFiles = ['plugin.json', 'server.json'] as const;

const transports: Readonly<Record<string, PluginManifest['transport']>> = {
  stdio: 'stdio',
  sse: 'sse',
  streamable_http: 'streamable_http',
  'streamable-http': 'streamable_http',
};
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Reads a manifest in either shape: `packages[].command` with `environment_variables`, or that of the MCP registry. */
export function readManifest(given: unknown): PluginManifest | { readonly problems: readonly string[] } {
  if (!isObject(given)) return { problems: ['the manifest must be an object'] };
  const name = text(given['name']);
  const packages = Array.isArray(given['packages']) ? given['packages'].filter(isObject) : [];
  const remotes = Array.isArray(given['remotes']) ? given['remotes'].filter(isObject) : [];
  const problems: string[] = [];
  if (name === undefined) problems.push('name must be a text');
  const [first] = packages.length > 0 ? packages : remotes;
  if (first === undefined) problems.push('packages must hold at least one package');
  if (name === undefined || first === undefined) return { problems };
  const read =
    packages.length === 0
      ? remote(first)
      : 'registryType' in first || 'identifier' in first
        ? registryPackage(first)
        : seedPackage(first);
  if ('problems' in read) return read;
  const [version, description] = [text(given['version']), text(given['description'])];
  return {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    ...read,
  };
}

type Read = Omit<PluginManifest, 'name' | 'version' | 'description'> | { readonly problems: readonly string[] };

function seedPackage(given: JsonObject): Read {
  const transport = transports[text(given['transport_type']) ?? 'stdio'];
  const command = texts(given['command']);
  const runtime = text(given['runtime']);
  const problems = [
    ...(transport === undefined ? ['packages[0].transport_type must be stdio, sse or streamable_http'] : []),
    ...(command.length === 0 && runtime === undefined ? ['packages[0] needs a command or a runtime'] : []),
  ];
  if (transport === undefined || problems.length > 0) return { problems };
  return {
    transport,
    command,
    ...(runtime !== undefined && { runtime }),
    variables: variablesOf(given['environment_variables'], 'required', 'secret'),
  };
}

function registryPackage(given: JsonObject): Read {
  const { transport: way, registryType, identifier, version } = given;
  const transport = transports[(isObject(way) ? text(way['type']) : undefined) ?? 'stdio'];
  const id = text(identifier);
  const pinned = text(version);
  const runtime = text(given['runtimeHint']) ?? { npm: 'npx', pypi: 'uvx', oci: 'docker' }[text(registryType) ?? ''];
  if (transport === undefined || id === undefined || runtime === undefined)
    return { problems: ['packages[0] needs identifier, registryType and a known transport.type'] };
  const joined =
    runtime === 'uvx'
      ? `${id}==${pinned ?? ''}`
      : runtime === 'docker'
        ? pinned === undefined
          ? id
          : `${id}:${pinned}`
        : `${id}@${pinned ?? ''}`;
  return {
    transport,
    runtime,
    package: joined,
    command: argumentsOf(given['packageArguments']),
    variables: variablesOf(given['environmentVariables'], 'isRequired', 'isSecret'),
  };
}

function remote(given: JsonObject): Read {
  const transport = transports[text(given['type']) ?? ''];
  const url = text(given['url']);
  if (transport === undefined || transport === 'stdio' || url === undefined)
    return { problems: ['remotes[0] needs url and type'] };
  return { transport, url, command: [], variables: [] };
}

const argumentsOf = (given: unknown): readonly string[] =>
  (Array.isArray(given) ? given.filter(isObject) : []).flatMap((argument) => {
    const [name, value] = [text(argument['name']), text(argument['value'])];
    return argument['type'] === 'named'
      ? [...(name === undefined ? [] : [name]), ...(value === undefined ? [] : [value])]
      : value === undefined
        ? []
        : [value];
  });

function variablesOf(given: unknown, required: string, secret: string): readonly Variable[] {
  return (Array.isArray(given) ? given.filter(isObject) : []).flatMap((variable) => {
    const name = text(variable['name']);
    if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [];
    const description = text(variable['description']);
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
