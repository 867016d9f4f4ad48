import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { sourceKinds } from '../sources/index.js';
import type { SourceKind } from '../sources/kind.js';
import { findConflicts, type Conflict } from './conflicts.js';
import { resolveAliases } from './alias-names.js';
import { clampNumbers } from './clamp.js';
import { defaults } from './defaults.js';
import { configFileVariable, settings } from './env.js';
import { environmentLayer, flagsLayer, type Flags } from './layers.js';
import type { Note, Problem } from './problem.js';
import type { Config } from './schema.js';
import { bindStoredValues } from './secrets/stored-values.js';
import { configFileName, userConfigFile } from './user-file.js';
import type { YamlFile } from './yaml-file.js';

/** Inputs of a load; those of the process by default. */
export interface LoadOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  /** Kinds of sources that the file may use; the built-in ones by default. */
  readonly kinds?: readonly SourceKind[];
  /** Configuration in the shape of the file, in place of one; no file is looked for. */
  readonly object?: unknown;
}

/** A usable configuration, or all its problems. */
export type LoadResult = LoadedConfig | RejectedConfig;

/** Why a configuration was rejected, with everything that can be reported. */
interface RejectedConfig {
  readonly ok: false;
  readonly problems: readonly Problem[];
  readonly file?: string;
  /** The well-formed configuration if only its keys conflict; for lints, never for use. */
  readonly unusable?: Pick<LoadedConfig, 'config' | 'place' | 'notes'>;
  /** Command-line arguments that are not configuration. */
  readonly rest: readonly string[];
}

/** A configuration that is valid, layered and ready to use. */
export interface LoadedConfig {
  readonly ok: true;
  readonly config: Config;
  readonly notes: readonly Note[];
  /** Absolute path of the file; absent if there was none. */
  readonly file?: string;
  /** Base folder of relative paths. */
  readonly base: string;
  /** Position of a key in the file; undefined without a file. */
  place(path: string): { readonly line: number; readonly column: number } | undefined;
  /** Command-line arguments that are not configuration. */
  readonly rest: readonly string[];
}

/** Largest configuration file; bounds parser time and memory. */
export const maxFileBytes = 1_048_576;

/** Loads defaults < file < environment < command line; never throws, and lists all problems at once. */
export async function loadConfig({
  env = process.env,
  argv = [],
  cwd = process.cwd(),
  kinds = sourceKinds,
  object,
}: LoadOptions = {}): Promise<LoadResult> {
  // Both layers are parsed before the file, since a flag or variable may name it.
  const flags = flagsLayer(argv);
  const environment = environmentLayer(env);
  const found = object === undefined ? await findFile(flags, env, cwd) : undefined;
  const read =
    object !== undefined
      ? // Through the same parser as a file, so that embedded programs get the same checks and messages.
        await parseConfig(JSON.stringify(object), 'config', kinds)
      : found === undefined
        ? { ok: true as const, config: defaults satisfies Config, yaml: undefined }
        : await readConfig(found, kinds);
  const where = found === undefined ? {} : { file: found.path };
  // Problems of all layers together: fixing one at a time would take several starts.
  const problems = [...(read.ok ? [] : read.problems), ...environment.problems, ...flags.problems];
  if (!read.ok || problems.length > 0) return { ok: false, problems, rest: flags.rest, ...where };

  // Aliases are resolved after layering, because variables and flags may name tools, too.
  const layered = resolveAliases(withValues(read.config, new Map([...environment.values, ...flags.values])));
  // Clamped after layering, so that variables and flags are bounded as well.
  const { config, notes } = clampNumbers(layered);
  // References are resolved once here; a missing one is a conflict and not a failure at the first call.
  const stored = await bindStoredValues(config, env);
  const conflicts = findConflicts(config, env, flags.insecureDev, kinds, stored.problems);
  const checked = {
    config,
    notes: [...environment.notes, ...flags.notes, ...notes],
    place: (path: string) => read.yaml?.place(path.split('.')),
  };
  if (conflicts.length > 0)
    return {
      ok: false,
      problems: conflicts.map((one) => locateConflict(one, flags, environment.values, found, read.yaml)),
      unusable: checked,
      rest: flags.rest,
      ...where,
    };
  return {
    ok: true,
    ...checked,
    base: found === undefined ? cwd : dirname(found.path),
    rest: flags.rest,
    ...where,
  };
}

/** The file that is loaded, and how it was chosen. */
interface ConfigFile {
  readonly path: string;
  /** Path as given by the operator, used in problems. */
  readonly shown: string;
  readonly isNamed: boolean;
}

/** The file that a load with these inputs would read: its absolute path, and whether the operator named it. */
export const findConfigFile = (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<{ readonly path: string; readonly isNamed: boolean } | undefined> => findFile(flagsLayer(argv), env, cwd);

async function findFile(flags: Flags, env: NodeJS.ProcessEnv, cwd: string): Promise<ConfigFile | undefined> {
  const named = flags.configFile ?? (env[configFileVariable]?.trim() || undefined);
  if (named !== undefined) return { path: resolve(cwd, named), shown: named, isNamed: true };
  // The folder before the user: a project may bring its own configuration.
  const places = [
    { path: resolve(cwd, configFileName), shown: configFileName },
    { path: userConfigFile(env), shown: userConfigFile(env) },
  ];
  for (const place of places) if (await mayExist(place.path)) return { ...place, isNamed: false };
  return undefined;
}

/** False only if the file is certainly absent: an unreadable one must be reported instead of ignored. */
async function mayExist(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
  }
}

/** Result of reading the file alone, before the other layers. */
type ReadConfig =
  | { readonly ok: true; readonly config: Config; readonly yaml: YamlFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

async function readConfig({ path, shown }: ConfigFile, kinds: readonly SourceKind[]): Promise<ReadConfig> {
  const fileProblem = (message: string, hint?: string): ReadConfig => ({
    ok: false,
    problems: [{ file: shown, path: '', message, ...(hint !== undefined && { hint }) }],
  });
  let text: string;
  try {
    const stats = await stat(path);
    // A pipe or device has no size and may never end.
    if (!stats.isFile()) return fileProblem('is not a regular file');
    if (stats.size > maxFileBytes) return fileProblem(`is larger than ${maxFileBytes} bytes`);
    // Fatal: replacement characters would silently change a secret or a path.
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return fileProblem('no such file', 'Check --config and MCP_CONFIG_FILE');
    return fileProblem(
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? 'is not UTF-8 text'
        : `cannot be read (${code || 'unknown error'})`,
    );
  }
  return parseConfig(text, shown, kinds);
}

/** Parses and validates the text of a file; JSON is YAML. */
async function parseConfig(text: string, shown: string, kinds: readonly SourceKind[]): Promise<ReadConfig> {
  // Lazy import: parser and schema cost more than the rest of the start together.
  const [{ yamlFile }, { schema: builtin, schemaFor }] = await Promise.all([
    import('./yaml-file.js'),
    import('./schema.js'),
  ]);
  const yaml = yamlFile(text, shown);
  if (!yaml.ok) return yaml;
  // The built-in schema is shared; one with other kinds is built per load.
  const schema = kinds === sourceKinds ? builtin : await schemaFor(kinds);
  const parsed = schema.safeParse(yaml.file.value);
  if (parsed.success) return { ok: true, config: parsed.data, yaml: yaml.file };
  const { toProblems } = await import('./schema-issues.js');
  return { ok: false, problems: toProblems(parsed.error.issues, yaml.file, shown) };
}

/** Copies the configuration with some keys replaced; a test checks all setting paths against the schema. */
function withValues(config: Config, values: ReadonlyMap<string, unknown>): Config {
  const copy = (value: unknown, path: string): unknown => {
    if (values.has(path)) return values.get(path);
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    const prefix = path === '' ? '' : `${path}.`;
    const known = Object.entries(value).map(([key, item]) => [key, copy(item, prefix + key)]);
    // Keys that the defaults leave out, such as an optional limit, are added at their level.
    const added = [...values].filter(
      ([at]) =>
        at.startsWith(prefix) &&
        !at.slice(prefix.length).includes('.') &&
        !Object.hasOwn(value, at.slice(prefix.length)),
    );
    return Object.fromEntries([...known, ...added.map(([at, item]) => [at.slice(prefix.length), item])]);
  };
  // The parser of each setting returns the type that the schema has at its path.
  return copy(config, '') as Config;
}

/** Attributes a conflict to the flag, variable or file position that set the key, else to the defaults. */
function locateConflict(
  conflict: Conflict,
  flags: Flags,
  environment: ReadonlyMap<string, unknown>,
  found: ConfigFile | undefined,
  yaml: YamlFile | undefined,
): Problem {
  const setting = settings.find((one) => one.path === conflict.path);
  // The layer that won is named, because that is where the value must be changed.
  if (flags.values.has(conflict.path)) return { file: setting?.flag ?? 'command line', ...conflict };
  if (environment.has(conflict.path)) return { file: setting?.name ?? 'environment', ...conflict };
  if (found === undefined || yaml === undefined) return { file: 'defaults', ...conflict };
  return { file: found.shown, ...yaml.place(conflict.path.split('.')), ...conflict };
}
