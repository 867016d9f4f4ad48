import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { conflicts, type Conflict } from './checks.js';
import { clamped } from './clamp.js';
import { defaults } from './defaults.js';
import { CONFIG_FILE, settings } from './env.js';
import { environmentLayer, flagsLayer, type Flags } from './layers.js';
import type { Note, Problem } from './problem.js';
import type { Config } from './schema.js';
import type { YamlFile } from './yaml-file.js';

/** What a load may look at; the process's own when absent. */
export interface LoadFrom {
  readonly env?: NodeJS.ProcessEnv;
  readonly argv?: readonly string[];
  readonly cwd?: string;
}

/** A configuration that may be used, or everything that is wrong with it. */
export type Loaded = Good | Bad;

export interface Bad {
  readonly ok: false;
  readonly problems: readonly Problem[];
  readonly file?: string;
  /** What was read, where it is well formed and only its keys do not go together: a lint may look at it, nobody may use it. */
  readonly unusable?: Pick<Good, 'config' | 'place' | 'notes'>;
}

export interface Good {
  readonly ok: true;
  readonly config: Config;
  readonly notes: readonly Note[];
  /** The file it came from, absolute; absent where there was none. */
  readonly file?: string;
  /** What relative paths in it are relative to. */
  readonly base: string;
  /** Where a key stands in the file; undefined where there is no file. */
  place(path: string): { readonly line: number; readonly column: number } | undefined;
  /** What the command line said that is not configuration. */
  readonly rest: readonly string[];
}

/** The largest file read: people write configurations by hand, and this is a thick book. */
export const MAX_FILE_BYTES = 1_048_576;

/** Loads defaults < file < environment < command line; it never throws and lists every problem at once. */
export async function load({ env = process.env, argv = [], cwd = process.cwd() }: LoadFrom = {}): Promise<Loaded> {
  const flags = flagsLayer(argv);
  const environment = environmentLayer(env);
  const found = await findFile(flags, env, cwd);
  const read =
    found === undefined
      ? { ok: true as const, config: defaults satisfies Config, yaml: undefined }
      : await readConfig(found);
  const where = found === undefined ? {} : { file: found.path };
  const problems = [...(read.ok ? [] : read.problems), ...environment.problems, ...flags.problems];
  if (!read.ok || problems.length > 0) return { ok: false, problems, ...where };

  const layered = withValues(read.config, new Map([...environment.values, ...flags.values]));
  const { config, notes } = clamped(layered);
  const wrong = conflicts(config, env, flags.insecureDev);
  const seen = {
    config,
    notes: [...environment.notes, ...flags.notes, ...notes],
    place: (path: string) => read.yaml?.place(path.split('.')),
  };
  if (wrong.length > 0)
    return {
      ok: false,
      problems: wrong.map((one) => blame(one, flags, environment.values, found, read.yaml)),
      unusable: seen,
      ...where,
    };
  return {
    ok: true,
    ...seen,
    base: found === undefined ? cwd : dirname(found.path),
    rest: flags.rest,
    ...where,
  };
}

interface Found {
  readonly path: string;
  /** As the operator wrote it, which is how problems name it. */
  readonly shown: string;
  readonly isNamed: boolean;
}

async function findFile(flags: Flags, env: NodeJS.ProcessEnv, cwd: string): Promise<Found | undefined> {
  const named = flags.configFile ?? (env[CONFIG_FILE]?.trim() || undefined);
  if (named !== undefined) return { path: resolve(cwd, named), shown: named, isNamed: true };
  const path = resolve(cwd, 'toolgate.yaml');
  try {
    await stat(path);
  } catch (error) {
    // Anything but "not there" is a file that cannot be read, and that must be said.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  }
  return { path, shown: 'toolgate.yaml', isNamed: false };
}

type ReadConfig =
  | { readonly ok: true; readonly config: Config; readonly yaml: YamlFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

async function readConfig({ path, shown }: Found): Promise<ReadConfig> {
  const whole = (message: string, hint?: string): ReadConfig => ({
    ok: false,
    problems: [{ file: shown, path: '', message, ...(hint !== undefined && { hint }) }],
  });
  let text: string;
  try {
    const facts = await stat(path);
    // A pipe or a device has no size and may never end.
    if (!facts.isFile()) return whole('is not a regular file');
    if (facts.size > MAX_FILE_BYTES) return whole(`is larger than ${MAX_FILE_BYTES} bytes`);
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return whole('is not there', 'Check --config and MCP_CONFIG_FILE');
    return whole(
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? 'is not UTF-8 text'
        : `cannot be read (${code || 'unknown fault'})`,
    );
  }
  // Parser and schema cost more than the rest of the start together; without a file neither is loaded.
  const [{ yamlFile }, { schema }] = await Promise.all([import('./yaml-file.js'), import('./schema.js')]);
  const yaml = yamlFile(text, shown);
  if (!yaml.ok) return yaml;
  const parsed = schema.safeParse(yaml.file.value);
  if (parsed.success) return { ok: true, config: parsed.data, yaml: yaml.file };
  const { problemsOf } = await import('./issues.js');
  return { ok: false, problems: problemsOf(parsed.error.issues, yaml.file, shown) };
}

/** A copy with single keys replaced; every path is one of the settings table, which a test holds against the schema. */
function withValues(config: Config, values: ReadonlyMap<string, unknown>): Config {
  const copy = (value: unknown, path: string): unknown => {
    if (values.has(path)) return values.get(path);
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    const prefix = path === '' ? '' : `${path}.`;
    const known = Object.entries(value).map(([key, item]) => [key, copy(item, prefix + key)]);
    const added = [...values].filter(
      ([at]) =>
        at.startsWith(prefix) &&
        !at.slice(prefix.length).includes('.') &&
        !Object.hasOwn(value, at.slice(prefix.length)),
    );
    return Object.fromEntries([...known, ...added.map(([at, item]) => [at.slice(prefix.length), item])]);
  };
  // Each setting's parser yields what the schema wants at its path.
  return copy(config, '') as Config;
}

/** Says who set the key that is at fault: the flag, the variable, the place in the file, or nobody but the default. */
function blame(
  conflict: Conflict,
  flags: Flags,
  environment: ReadonlyMap<string, unknown>,
  found: Found | undefined,
  yaml: YamlFile | undefined,
): Problem {
  const setting = settings.find((one) => one.path === conflict.path);
  if (flags.values.has(conflict.path)) return { file: setting?.flag ?? 'command line', ...conflict };
  if (environment.has(conflict.path)) return { file: setting?.name ?? 'environment', ...conflict };
  if (found === undefined || yaml === undefined) return { file: 'defaults', ...conflict };
  return { file: found.shown, ...yaml.place(conflict.path.split('.')), ...conflict };
}
