import { redactor } from '../../lib/redact.js';
import type { Processes, ProcessLimits, ProcessSpec } from '../../processes/index.js';
import { fixedPath, resolveProgram } from '../../processes/index.js';
import type { Channel, ChannelEvents, Ended, OpenChannel } from './channel.js';
import { stdioChannel } from './stdio-channel.js';

/** What is started: a program and its words, or a reason why there is nothing to start. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Folders the program must be able to read in the `bwrap` tier. */
  readonly readable?: readonly string[];
  /** The code that is its own, where it is a package that was installed. */
  readonly code?: string;
}

export interface PluginOptions {
  readonly id: string;
  readonly processes: Pick<Processes, 'open'>;
  /** Asked at each start, so that a package is there and still the one that was locked. */
  readonly command: () => Promise<Command | Ended>;
  /** The variables it gets, and nothing else; every name that is required and not set. */
  readonly env: () => {
    readonly values: Readonly<Record<string, string>>;
    readonly secrets: readonly string[];
    readonly missing: readonly string[];
  };
  readonly cwd?: string;
  readonly tier: 'bwrap' | 'prlimit';
  readonly network: 'host' | 'none';
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  readonly limits: ProcessLimits;
  readonly maxLineBytes?: number;
  readonly onNoise?: (what: string) => void;
}

/** Starts a local server in its tier; with a variable missing it is not started, and all missing ones are named. */
export const pluginChannel =
  (options: PluginOptions): OpenChannel =>
  async (events: ChannelEvents): Promise<Channel | Ended> => {
    const { id, processes, tier, network, limits, cwd, writable, maxLineBytes, onNoise } = options;
    const { values, secrets, missing } = options.env();
    if (missing.length > 0)
      return { message: `needs ${missing.join(', ')}, which ${missing.length === 1 ? 'is' : 'are'} not set` };
    const command = await options.command();
    if ('message' in command) return command;
    const found = await resolveProgram(command.program);
    if (found.kind === 'problem')
      return {
        message:
          found.reason === 'unsafe'
            ? 'its program could be replaced by any user of this machine'
            : `${nameOf(command.program)} is not installed`,
      };
    const readable = [...(options.readable ?? []), ...(command.readable ?? [])];
    const spec: ProcessSpec = {
      // Some programs look at the name they were found under (busybox, pyenv); the folder was vetted either way.
      file: found.found,
      args: command.args,
      env: { PATH: fixedPath, ...values },
      tier,
      network,
      limits,
      ...(cwd !== undefined && { cwd }),
      ...(readable.length > 0 && { readable }),
      ...(writable && { writable }),
    };
    const mask = redactor(secrets);
    return stdioChannel(
      {
        processes,
        spec,
        called: id,
        mask: (text) => mask.text(text),
        ...(maxLineBytes !== undefined && { maxLineBytes }),
        ...(onNoise && { onNoise }),
      },
      events,
    );
  };

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1);
