import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '../../core/json.js';
import { looksLikeLiteralSecret } from '../../hostile-text/literal-secret.js';
import { findExecutable, isExecutable } from '../../processes/executables.js';
import { mcpEntry } from '../../sources/mcp/registration/added-entry.js';
import type { WantedProblem, WantedServer } from '../../sources/mcp/registration/server-command.js';
import { toConfigValue, type ReferenceOptions } from './secret-references.js';
import { resolvePackage, type VersionOptions } from './versions.js';

/** An entry of `sources` with a short form for people. */
interface PlannedEntry {
  readonly entry: JsonObject;
  readonly shown: string;
  readonly remarks: readonly string[];
  /** Why it cannot be started here, as far as that shows before it is tried. */
  readonly missing?: string;
}

/** How entries are planned: versions, references and the folder of relative paths. */
interface PlanOptions extends VersionOptions {
  readonly references: ReferenceOptions;
  /** Folder that relative paths refer to. */
  readonly base: string;
}

/** Turns what is wanted into an entry: with an exact version, an absolute program, and references in place of secrets. */
export async function planEntry(
  wanted: WantedServer,
  env: Readonly<Record<string, string>>,
  options: PlanOptions,
): Promise<PlannedEntry | WantedProblem> {
  const { references } = options;
  const values = (given: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toConfigValue(name, value, references)]));
  if (wanted.kind === 'remote') {
    const headers = values(wanted.headers);
    const entry = mcpEntry({
      url: wanted.url,
      ...(wanted.sse === true && { transport: 'sse' }),
      ...(Object.keys(headers).length > 0 && { headers }),
    });
    return { entry, shown: wanted.url, remarks: [] };
  }
  // Variables of the command line take precedence over those of the image.
  const environment = values({ ...(wanted.kind === 'docker' ? wanted.env : {}), ...env });
  const started = await startedEntry(wanted, options);
  if ('problem' in started) return started;
  const { entry, ...facts } = started;
  return {
    ...facts,
    entry: mcpEntry({ ...entry, ...(Object.keys(environment).length > 0 && { env: environment }) }),
    remarks: [...started.remarks, ...argumentRemarks(wanted.args)],
  };
}

/** Entry of a server that is started on this machine. */
async function startedEntry(
  wanted: Exclude<WantedServer, { kind: 'remote' }>,
  options: PlanOptions,
): Promise<PlannedEntry | WantedProblem> {
  const { args } = wanted;
  const withArgs = args.length > 0 ? { args } : {};
  if (wanted.kind === 'package') {
    // Pinned to the version of today: `latest` would start other code after each release (supply chain).
    const found = await resolvePackage(wanted, options);
    return 'problem' in found
      ? { problem: `${wanted.name}: ${found.problem}` }
      : { entry: { runtime: found.runtime, package: found.package, ...withArgs }, shown: found.shown, remarks: [] };
  }
  if (wanted.kind === 'docker') {
    // The word after -e is a variable, not the image.
    const image = args.find((word, index) => !word.startsWith('-') && args[index - 1] !== '-e') ?? '';
    return {
      entry: { runtime: 'docker', args },
      shown: `docker ${image}`,
      remarks: image.includes('@sha256:') ? [] : ['the image has no digest, so its content is not pinned'],
    };
  }
  if (wanted.kind === 'node' || wanted.kind === 'python') {
    // Relative scripts are resolved now: the gateway starts them in another working directory.
    const absolute = args.map((word, index) =>
      index === 0 && !word.startsWith('-') ? resolve(options.base, word) : word,
    );
    const [script = ''] = absolute;
    return {
      ...missingFile(script),
      entry: { runtime: wanted.kind, args: absolute },
      shown: `${wanted.kind} ${absolute[0] ?? ''}`,
      remarks: [],
    };
  }
  const { command } = wanted;
  // An absolute path, because the PATH of an assistant differs from that of a shell.
  const program = isAbsolute(command)
    ? command
    : command.includes('/')
      ? resolve(options.base, command)
      : findExecutable(command, options.env['PATH'] ?? '');
  if (program === undefined)
    return { problem: `${command} is not on PATH; install it or name it by its absolute path` };
  return {
    entry: { command: program, ...withArgs },
    shown: [program, ...args].join(' '),
    remarks: [],
    ...(isExecutable(program) || !existsSync(program)
      ? missingFile(program)
      : { missing: `${program} is not executable; run chmod +x on it, or name its interpreter before it` }),
  };
}

const missingFile = (path: string): Pick<PlannedEntry, 'missing'> =>
  isAbsolute(path) && !existsSync(path) ? { missing: `${path}: no such file` } : {};

/** Arguments are visible in the process list and stay in the file, so a secret among them is worth a warning. */
const argumentRemarks = (args: readonly string[]): readonly string[] => {
  const isSecret = (word: string): boolean => {
    // `--token=value` is judged by its key; a bare word by its own shape.
    const [, key = '', value = word] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
    return looksLikeLiteralSecret(key, value) !== undefined;
  };
  return args.some(isSecret)
    ? ['an argument looks like a secret; pass it in a variable if the server can read one']
    : [];
};
