import { asCommandOutput } from '../../core/command-output.js';
import { readable } from '../../core/content.js';
import { behaviourOf, recoveryOf } from '../../core/errors.js';
import type { ToolError } from '../../core/errors.js';
import type { Answer } from '../../core/gateway.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Outcome } from '../../core/outcome.js';

/** The one form in which REST answers a call, whatever kind of tool it was and however it ended. */
export interface Envelope {
  readonly status: number;
  readonly body: JsonObject;
  readonly error?: ToolError;
}

/** Turns an answer into what REST sends. */
export function toEnvelope(answer: Answer, target: Json | undefined): Envelope {
  const { outcome, correlationId, durationMs } = answer;
  const error = errorOf(outcome);
  const said = outcome.kind === 'confirm' ? { content: [], data: undefined, meta: undefined } : outcome;
  const output = asCommandOutput(said.data);
  const content = said.content ?? [];
  const body: JsonObject = {
    stdout: output?.stdout ?? readable(content, said.data),
    stderr: output?.stderr ?? '',
    returncode: output?.returncode ?? (error ? 1 : 0),
    truncated_stdout: output?.truncated_stdout ?? false,
    truncated_stderr: output?.truncated_stderr ?? false,
    timed_out: output?.timed_out ?? error?.code === 'timeout',
    error: error?.message ?? null,
    error_type: error ? behaviourOf(error).type : null,
    execution_time: Math.round(durationMs * 1000) / 1_000_000,
    correlation_id: correlationId,
    metadata: {
      ...output?.metadata,
      ...said.meta,
      ...(outcome.kind === 'confirm' && { state: outcome.question.state }),
    },
    ...(output === undefined &&
      !error && {
        // Content parts are JSON by construction; their types only lack the index signature.
        content: content as unknown as Json,
        structured_content: said.data ?? null,
      }),
    ...(error && { error_context: context(error, answer.tool?.name ?? null, target) }),
  };
  return { status: error ? behaviourOf(error).status : 200, body, ...(error && { error }) };
}

function errorOf(outcome: Outcome): ToolError | undefined {
  if (outcome.kind === 'done') return undefined;
  return outcome.kind === 'failed' ? outcome.error : outcome.question.otherwise;
}

const context = (error: ToolError, tool: string | null, target: Json | undefined): JsonObject => ({
  error_type: behaviourOf(error).type,
  code: error.code,
  message: error.message,
  recovery_suggestion: recoveryOf(error),
  timestamp: new Date().toISOString(),
  tool_name: tool,
  target: typeof target === 'string' ? target.slice(0, 255) : null,
  metadata: error.data ?? {},
});
