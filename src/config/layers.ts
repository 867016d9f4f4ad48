import { configFileVariable, settings, type Setting } from './env.js';
import type { Note, Problem, Remark } from './problem.js';

/** Values by configuration key, with the problems found while parsing them. */
interface Layer {
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** Settings from the environment; an empty variable counts as unset. */
export function environmentLayer(env: NodeJS.ProcessEnv): Layer {
  // Driven by the table of settings: variables that are not in it are never read.
  return parseSettings(
    settings.flatMap((setting) => {
      const text = env[setting.name];
      return text === undefined || text.trim() === '' ? [] : [{ setting, text, from: setting.name }];
    }),
  );
}

/** The parsed command line of a verb. */
export interface Flags extends Layer {
  readonly configFile?: string;
  readonly insecureDev: boolean;
  /** Arguments that are not settings, for the verb itself. */
  readonly rest: readonly string[];
}

/** Extracts the settings from a command line; `--http` and `--stdio` are short for `--transport`, a bare switch means true. */
export function flagsLayer(argv: readonly string[]): Flags {
  const found: GivenSetting[] = [];
  const missing: Problem[] = [];
  const rest: string[] = [];
  let configFile: string | undefined;
  let insecureDev = false;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    // Everything behind `--` belongs to the verb, even if it looks like a setting.
    if (word === '--') {
      rest.push(...argv.slice(index));
      break;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const flag = equals < 0 ? word : word.slice(0, equals);
    const value = (): string | undefined => {
      if (equals >= 0) return word.slice(equals + 1);
      const next = argv[index + 1];
      // A flag that follows means that the value was forgotten; `--flag=--value` is the way to pass one.
      if (next === undefined || next.startsWith('--')) return undefined;
      index += 1;
      return next;
    };
    // Flags of the verb itself are unknown here and stay in `rest`.
    const setting = settings.find((one) => one.flag === flag);
    // Only the bare switch: `--insecure-dev=false` must not count as set.
    if (flag === '--insecure-dev' && equals < 0) insecureDev = true;
    else if ((flag === '--http' || flag === '--stdio') && equals < 0)
      found.push({ setting: transportSetting, text: flag.slice(2), from: flag });
    else if (flag === '--allow-intrusive' && equals < 0 && setting !== undefined)
      found.push({ setting, text: 'true', from: flag });
    else if (flag === '--config' || setting !== undefined) {
      const text = value();
      if (text === undefined || text === '')
        missing.push({ file: flag, path: setting?.path ?? '', message: 'needs a value' });
      else if (setting === undefined) configFile = text;
      else found.push({ setting, text, from: flag });
    } else rest.push(word);
  }
  const read = parseSettings(found);
  return {
    ...read,
    problems: [...missing, ...read.problems],
    rest,
    insecureDev,
    ...(configFile !== undefined && { configFile }),
  };
}

/** The settings part of `--help`. */
export function settingsHelp(): string {
  const rows = settings.map((setting) => [setting.flag ?? '', setting.name, setting.describes] as const);
  const all = [
    [
      '--config',
      configFileVariable,
      "the configuration file (default: toolgate.yaml in the current folder, then the user's)",
    ] as const,
    ...rows,
  ];
  return all.map(([flag, name, describes]) => `  ${flag.padEnd(18)} ${name.padEnd(33)} ${describes}`).join('\n');
}

/** A setting as given, with the flag or variable that problems name. */
interface GivenSetting {
  readonly setting: Setting;
  readonly text: string;
  readonly from: string;
}

// Found by path, so that `--http` and `--stdio` do not depend on the order of the table.
const transportSetting = settings.find((setting) => setting.path === 'server.transport') ?? (settings[0] as Setting);

/** Parses given settings; problems are collected, not thrown, so that all of them are reported at once. */
function parseSettings(given: readonly GivenSetting[]): Layer {
  const values = new Map<string, unknown>();
  const problems: Problem[] = [];
  const notes: Remark[] = [];
  for (const { setting, text, from } of given) {
    const read = setting.parse(text);
    if (!read.ok) problems.push({ file: from, path: setting.path, message: `must be ${read.expected}` });
    else {
      values.set(setting.path, read.value);
      if (read.remark !== undefined) notes.push({ event: 'config.remark', param: from, message: read.remark });
    }
  }
  return { values, problems, notes };
}
