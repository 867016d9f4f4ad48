import type { Json, JsonObject } from '../core/json.js';

/** `data` of a command's outcome: output, exit status and parsed metadata; the public JSON shape of command results. */
export type CommandOutput = {
  readonly stdout: string;
  readonly stderr: string;
  readonly returncode: number;
  readonly truncated_stdout: boolean;
  readonly truncated_stderr: boolean;
  readonly timed_out: boolean;
  readonly metadata: JsonObject;
};

/** Narrows data to a command's output, so that a transport can distinguish commands from other tools. */
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
  // Every field was checked above.
  return isOutput ? (data as CommandOutput) : undefined;
}
