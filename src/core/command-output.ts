import type { Json, JsonObject } from './json.js';

/** The `data` of a command's outcome: what the program printed, how it ended, and what was made of it. */
export type CommandOutput = {
  readonly stdout: string;
  readonly stderr: string;
  readonly returncode: number;
  readonly truncated_stdout: boolean;
  readonly truncated_stderr: boolean;
  readonly timed_out: boolean;
  readonly metadata: JsonObject;
};

/** The data as a command's output where it has that shape, so that a door can tell commands from other tools. */
export function asCommandOutput(data: Json | undefined): CommandOutput | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const {
    stdout,
    stderr,
    returncode,
    truncated_stdout: cutOut,
    truncated_stderr: cutErr,
    timed_out: timedOut,
    metadata,
  } = data as JsonObject;
  const isOutput =
    typeof stdout === 'string' &&
    typeof stderr === 'string' &&
    typeof returncode === 'number' &&
    typeof cutOut === 'boolean' &&
    typeof cutErr === 'boolean' &&
    typeof timedOut === 'boolean' &&
    typeof metadata === 'object' &&
    metadata !== null &&
    !Array.isArray(metadata);
  // Each field has just been looked at.
  return isOutput ? (data as CommandOutput) : undefined;
}
