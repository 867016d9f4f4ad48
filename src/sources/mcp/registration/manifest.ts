import type { JsonObject } from '../../../core/json.js';
import { isJsonObject } from '../../../wire/message.js';
import { misspeltKeys, unknownKeys } from './known-keys.js';
import { isRuntime, runtimes, type Runtime } from './runtime-command.js';
import { nonEmptyText, textsIn } from './text-fields.js';

/** An environment variable of a plugin. */
interface Variable {
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
  /** `name` or `identifier` of the package. */
  readonly label?: string;
  /** Which of several packages this is, and why. */
  readonly chosen?: string;
  /** Runs `command`; they belong together. */
  readonly runtime?: Runtime;
  readonly command: readonly string[];
  readonly url?: string;
  readonly variables: readonly Variable[];
}

/** File names of plugin manifests, in search order. */
export const manifestFiles = ['plugin.json', 'server.json'] as const;

/** Both spellings of transports. */
const transports: Readonly<Record<string, PluginManifest['transport']>> = {
  stdio: 'stdio',
  sse: 'sse',
  streamable_http: 'streamable_http',
  'streamable-http': 'streamable_http',
};

/** What a registration demands of the package to choose. */
interface PackageWish {
  /** Its `name` or `identifier`. */
  readonly name?: string;
  readonly runtime?: string;
}

/** Keys of a manifest; others are reported if they look misspelt. */
const manifestKeys = ['name', 'version', 'description', 'packages', 'remotes'];

/**
 * Parses a manifest in either format: `packages[].command` with `environment_variables`, or that of the MCP registry. Of several
 * packages the named one is chosen, else the first one over stdio whose runtime fits.
 */
export function parseManifest(
  given: unknown,
  wish: PackageWish = {},
): PluginManifest | { readonly problems: readonly string[] } {
  if (!isJsonObject(given)) return { problems: ['the manifest must be an object'] };
  const name = nonEmptyText(given['name']);
  const packages = Array.isArray(given['packages']) ? given['packages'] : [];
  const remotes = Array.isArray(given['remotes']) ? given['remotes'].filter(isJsonObject) : [];
  // All problems at once.
  const problems: string[] = [...misspeltKeys(given, manifestKeys)];
  if (name === undefined) problems.push('name must be a non-empty string');
  const [remote] = remotes;
  if (packages.length === 0 && remote === undefined) problems.push('packages must hold at least one package');
  if (problems.length > 0 || name === undefined) return { problems };
  const read =
    packages.length === 0 && remote !== undefined
      ? parseRemote(remote)
      : choosePackage(
          packages.map((each, index) =>
            isJsonObject(each) ? parsePackage(each, index) : { problems: [`packages[${index}] must be an object`] },
          ),
          wish,
        );
  if ('problems' in read) return read;
  const [version, description] = [nonEmptyText(given['version']), nonEmptyText(given['description'])];
  return {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    ...read,
  };
}

/** The package to run and why; a package that cannot be read is a problem only if it would be chosen. */
function choosePackage(packages: readonly ParsedPackage[], { name, runtime }: PackageWish): ParsedPackage {
  const chosen = (found: PackageFields, why: string): ParsedPackage => ({
    ...found,
    ...(packages.length > 1 && {
      chosen: `package ${packages.indexOf(found) + 1} of ${packages.length}${found.label === undefined ? '' : ` (${found.label})`}, ${why}`,
    }),
  });
  // A broken package beside the chosen one is no reason to fail.
  const readable = packages.flatMap((each) => ('problems' in each ? [] : [each]));
  const problems = packages.flatMap((each) => ('problems' in each ? each.problems : []));
  const labels = readable.map(({ label, runtime: own }) => label ?? own ?? 'unnamed').join(', ');
  if (name !== undefined) {
    const named = readable.find(({ label }) => label === name);
    return named
      ? chosen(named, 'named by mcp_package')
      : { problems: [`no package is named ${JSON.stringify(name)}; there are ${labels}`, ...problems] };
  }
  const local = readable.filter(({ transport }) => transport === 'stdio');
  const fitting = local.find((each) => runtime === undefined || (each.runtime ?? runtime) === runtime);
  if (fitting)
    return chosen(
      fitting,
      runtime === undefined ? 'the first that runs over stdio' : `the first that runs over stdio with ${runtime}`,
    );
  if (problems.length > 0) return { problems };
  return local.length > 0
    ? { problems: [`no package runs with ${runtime ?? ''}, the mcp_runtime_hint; there are ${labels}`] }
    : { problems: ['no package runs over stdio; register the running server with mcp_server_url'] };
}

/** What a package contributes to the manifest. */
type PackageFields = Omit<PluginManifest, 'name' | 'version' | 'description'>;
/** A parsed package, or its problems. */
type ParsedPackage = PackageFields | { readonly problems: readonly string[] };

/** The two formats differ by their keys. */
const parsePackage = (given: JsonObject, index: number): ParsedPackage =>
  'registryType' in given || 'identifier' in given
    ? parseRegistryPackage(given, `packages[${index}]`)
    : parseCommandPackage(given, `packages[${index}]`);

/** Keys of a package with a command line. */
const commandKeys = ['name', 'description', 'transport_type', 'runtime', 'command', 'environment_variables'];

/** Parses a package with a command line. */
function parseCommandPackage(given: JsonObject, at: string): ParsedPackage {
  const transport = transports[nonEmptyText(given['transport_type']) ?? 'stdio'];
  const words = given['command'];
  const command = typeof words === 'string' && words !== '' ? [words] : textsIn(words);
  const runtime = nonEmptyText(given['runtime']);
  const label = nonEmptyText(given['name']);
  const problems = [
    ...unknownKeys(given, commandKeys, `${at}.`),
    ...(transport === undefined ? [`${at}.transport_type must be stdio, sse or streamable_http`] : []),
    ...(command.length === 0 && runtime === undefined ? [`${at} needs a command or a runtime`] : []),
    ...(Array.isArray(words) && words.length !== command.length ? [`${at}.command must be a list of strings`] : []),
    ...(runtime !== undefined && !isRuntime(runtime) ? [`${at}.runtime must be one of ${runtimes.join(', ')}`] : []),
  ];
  if (transport === undefined || problems.length > 0) return { problems };
  return {
    transport,
    command,
    ...(label !== undefined && { label }),
    ...(runtime !== undefined && isRuntime(runtime) && { runtime }),
    variables: parseVariables(given['environment_variables'], 'required', 'secret'),
  };
}

/** Parses a package of a registry and derives its command line. */
function parseRegistryPackage(given: JsonObject, at: string): ParsedPackage {
  const { transport: declaredTransport, registryType, identifier, version } = given;
  const transport =
    transports[(isJsonObject(declaredTransport) ? nonEmptyText(declaredTransport['type']) : undefined) ?? 'stdio'];
  const id = nonEmptyText(identifier);
  const exactVersion = nonEmptyText(version);
  const runtime =
    // The registry type implies the program that runs it.
    nonEmptyText(given['runtimeHint']) ?? { npm: 'npx', pypi: 'uvx', oci: 'docker' }[nonEmptyText(registryType) ?? ''];
  if (transport === undefined || id === undefined || runtime === undefined || !isRuntime(runtime))
    return { problems: [`${at} needs identifier, a supported registryType and a known transport.type`] };
  const suffix = exactVersion === undefined ? '' : `${versionMark[runtime] ?? '@'}${exactVersion}`;
  return {
    transport,
    runtime,
    label: id,
    command: [
      ...(runtime === 'docker' ? parseArguments(given['runtimeArguments']) : []),
      `${id}${suffix}`,
      ...parseArguments(given['packageArguments']),
    ],
    variables: parseVariables(given['environmentVariables'], 'isRequired', 'isSecret'),
  };
}

/** How each runtime separates a version. */
const versionMark: Readonly<Record<string, string>> = { uvx: '==', docker: ':' };

/** Parses a remote server. */
function parseRemote(given: JsonObject): ParsedPackage {
  const transport = transports[nonEmptyText(given['type']) ?? ''];
  const url = nonEmptyText(given['url']);
  if (transport === undefined || transport === 'stdio' || url === undefined)
    return { problems: ['remotes[0] needs url and type'] };
  return { transport, url, command: [], variables: [] };
}

/** Arguments as words; a named one is its name and its value. */
const parseArguments = (given: unknown): readonly string[] =>
  (Array.isArray(given) ? given.filter(isJsonObject) : []).flatMap((argument) => {
    const [name, value] = [nonEmptyText(argument['name']), nonEmptyText(argument['value'] ?? argument['default'])];
    return argument['type'] === 'named'
      ? [...(name === undefined ? [] : [name]), ...(value === undefined ? [] : [value])]
      : value === undefined
        ? []
        : [value];
  });

/** Variables of a package; invalid names are left out. */
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
