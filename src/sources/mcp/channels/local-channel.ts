import { existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { redactor } from '../../../hostile-text/redact.js';
import type { GuardedProfile, Processes, ProcessLimits, ProcessSpec, Tier } from '../../../processes/index.js';
import { fixedPath, resolveProgram } from '../../../processes/index.js';
import type { Channel, ChannelEvents, ChannelEnd, OpenChannel } from './channel.js';
import { stdioChannel } from './stdio-channel.js';

/** The program to start and its arguments. */
export interface LaunchCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Folders the program must be able to read in the `bwrap` tier. */
  readonly readable?: readonly string[];
  /** Folder of the package's own code (without dependencies), if it was installed from a registry. */
  readonly code?: string;
}

export interface LocalChannelOptions {
  readonly id: string;
  readonly processes: Pick<Processes, 'open'>;
  /** Called at each start: installs the package if needed and compares it with its lock. */
  readonly command: (signal?: AbortSignal) => Promise<LaunchCommand | ChannelEnd>;
  /** The complete environment of the process, its secrets, and required variables that are not set. */
  readonly env: () => {
    readonly values: Readonly<Record<string, string>>;
    readonly secrets: readonly string[];
    readonly missing: readonly string[];
  };
  readonly cwd?: string;
  readonly tier: Tier;
  /** Uses the `guarded` profile of the bwrap tier. */
  readonly guarded?: GuardedProfile;
  readonly network: 'host' | 'none';
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  readonly limits: ProcessLimits;
  readonly maxLineBytes?: number;
  readonly onInvalidLine?: (what: string) => void;
  readonly onStderrLine?: (line: string) => void;
}

/** Starts a local server in its sandbox tier; if required variables are missing it names all of them instead. */
export const localChannel =
  (options: LocalChannelOptions): OpenChannel =>
  async (events: ChannelEvents, _owner: string, signal?: AbortSignal): Promise<Channel | ChannelEnd> => {
    const {
      id,
      processes,
      tier,
      guarded,
      network,
      limits,
      cwd,
      writable,
      maxLineBytes,
      onInvalidLine: onNoise,
    } = options;
    const { values, secrets, missing } = options.env();
    if (missing.length > 0)
      return { message: `needs ${missing.join(', ')}, which ${missing.length === 1 ? 'is' : 'are'} not set` };
    const command = await options.command(signal);
    if ('message' in command) return command;
    const found = await resolveProgram(command.program);
    if (found.kind === 'problem')
      return {
        message:
          found.reason === 'unsafe'
            ? 'its program can be replaced by any user of this machine'
            : `${programName(command.program)} is not installed`,
      };
    const readable = [...(options.readable ?? []), ...(command.readable ?? [])];
    const spec: ProcessSpec = {
      // The name as found, not the resolved link: busybox and pyenv dispatch on argv[0]; the folder is vetted either way.
      file: found.found,
      args: command.args,
      env: { PATH: fixedPath, ...values },
      tier,
      network,
      limits,
      ...(cwd !== undefined && { cwd }),
      ...(guarded && { guarded: { ...guarded, named: namedPaths(command.args, values, cwd) } }),
      ...(readable.length > 0 && { readable }),
      ...(writable && { writable }),
    };
    const mask = redactor(secrets);
    return stdioChannel(
      {
        processes,
        spec,
        displayName: id,
        mask: (text) => mask.text(text),
        ...(maxLineBytes !== undefined && { maxLineBytes }),
        ...(onNoise && { onInvalidLine: onNoise }),
        ...(options.onStderrLine && { onStderrLine: options.onStderrLine }),
      },
      events,
    );
  };

/**
 * Paths that the operator names in the arguments (`/data`, `--config=/etc/x`) or as a file in a variable. Arguments come from the
 * configuration only, never from a caller.
 */
function namedPaths(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string | undefined,
): readonly string[] {
  const words = args.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  const found = words.map((word) => (isAbsolute(word) || cwd === undefined ? word : resolve(cwd, word)));
  const files = Object.values(env).filter((value) => isAbsolute(value) && isFile(value));
  return [...new Set([...found.filter((word) => isAbsolute(word) && existsSync(word)), ...files])];
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const programName = (program: string): string => program.slice(program.lastIndexOf('/') + 1);
