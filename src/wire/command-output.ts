import { behaviourOf } from '../core/errors.js';
import type { ToolError } from '../core/errors.js';
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

/** Facts about a call that every door returns with its result. */
interface CallFacts {
  readonly correlationId: string;
  readonly durationMs: number;
  readonly error?: ToolError | undefined;
}

/** Execution time in seconds, with the precision of a microsecond. */
export const executionSeconds = (durationMs: number): number => Math.round(durationMs * 1000) / 1_000_000;

/** The result of a command as REST and MCP return it: its output, its error, how long it took and the id of the call. */
export const toToolOutput = (output: CommandOutput, { correlationId, durationMs, error }: CallFacts): JsonObject => ({
  stdout: output.stdout,
  stderr: output.stderr,
  returncode: output.returncode,
  truncated_stdout: output.truncated_stdout,
  truncated_stderr: output.truncated_stderr,
  timed_out: output.timed_out,
  error: error?.message ?? null,
  error_type: error ? behaviourOf(error).type : null,
  execution_time: executionSeconds(durationMs),
  correlation_id: correlationId,
  metadata: output.metadata,
});

/** Output of a call that ran no program: a missing one has the exit code of a shell, any other refusal 1. */
export function unstartedOutput(error: ToolError | undefined, text: string): CommandOutput {
  const stated = error?.data?.['returncode'];
  return {
    stdout: text,
    stderr: '',
    returncode: error === undefined ? 0 : typeof stated === 'number' ? stated : 1,
    truncated_stdout: false,
    truncated_stderr: false,
    timed_out: error?.code === 'timeout',
    metadata: {},
  };
}
