import { CONFIG_FILE, settings, type Setting } from './env.js';
import type { Note, Problem, Remark } from './problem.js';

/** Values by key of the file, with what went wrong while reading them. */
export interface Layer {
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** What the environment sets; an empty variable counts as none. */
export function environmentLayer(env: NodeJS.ProcessEnv): Layer {
  return layer(
    settings.flatMap((setting) => {
      const text = env[setting.name];
      return text === undefined || text.trim() === '' ? [] : [{ setting, text, from: setting.name }];
    }),
  );
}

/** The command line of a verb, taken apart. */
export interface Flags extends Layer {
  readonly configFile?: string;
  readonly insecureDev: boolean;
  /** What the table does not know, for the verb itself. */
  readonly rest: readonly string[];
}

/** Takes the settings out of a command line; `--http` and `--stdio` are short for `--transport`, a bare switch means true. */
export function flagsLayer(argv: readonly string[]): Flags {
  const found: Given[] = [];
  const missing: Problem[] = [];
  const rest: string[] = [];
  let configFile: string | undefined;
  let insecureDev = false;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') {
      rest.push(...argv.slice(index));
      break;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const flag = equals < 0 ? word : word.slice(0, equals);
    const value = (): string | undefined => {
      if (equals >= 0) return word.slice(equals + 1);
      const next = argv[index + 1];
      if (next === undefined || next.startsWith('--')) return undefined;
      index += 1;
      return next;
    };
    const setting = settings.find((one) => one.flag === flag);
    if (flag === '--insecure-dev' && equals < 0) insecureDev = true;
    else if ((flag === '--http' || flag === '--stdio') && equals < 0)
      found.push({ setting: transport, text: flag.slice(2), from: flag });
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
  const read = layer(found);
  return {
    ...read,
    problems: [...missing, ...read.problems],
    rest,
    insecureDev,
    ...(configFile !== undefined && { configFile }),
  };
}

/** The lines of `--help` about configuration, from the table. */
export function settingsHelp(): string {
  const rows = settings.map((setting) => [setting.flag ?? '', setting.name, setting.describes] as const);
  const all = [['--config', CONFIG_FILE, 'the configuration file (toolgate.yaml here when absent)'] as const, ...rows];
  return all.map(([flag, name, describes]) => `  ${flag.padEnd(18)} ${name.padEnd(33)} ${describes}`).join('\n');
}

interface Given {
  readonly setting: Setting;
  readonly text: string;
  readonly from: string;
}

// The first row of the table, by name, so that the short forms follow it wherever it moves.
const transport = settings.find((setting) => setting.path === 'server.transport') ?? (settings[0] as Setting);

function layer(given: readonly Given[]): Layer {
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
