import { asCommandOutput, toToolOutput, unstartedOutput } from '../../wire/command-output.js';
import { toReadableText } from '../../core/content.js';
import { behaviourOf, errorData } from '../../core/errors.js';
import { recoveryOf } from '../../core/recovery.js';
import type { ToolError } from '../../core/errors.js';
import type { Answer } from '../../core/gateway.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Outcome } from '../../core/outcome.js';

/** REST response to a call: the same shape for every kind of tool and every outcome. */
interface Envelope {
  readonly status: number;
  readonly body: JsonObject;
  readonly error?: ToolError;
}

/** Converts an answer to the REST response. */
export function toEnvelope(answer: Answer, target: Json | undefined): Envelope {
  const { outcome, correlationId, durationMs } = answer;
  const error = envelopeError(outcome);
  // A question has neither content nor data; its fallback error describes it.
  const result = outcome.kind === 'confirm' ? { content: [], data: undefined, meta: undefined } : outcome;
  const output = asCommandOutput(result.data);
  const content = result.content ?? [];
  const printed = output ?? unstartedOutput(error, toReadableText(content, result.data));
  const body: JsonObject = {
    ...toToolOutput(printed, { correlationId, durationMs, error }),
    metadata: {
      ...output?.metadata,
      ...result.meta,
      // Clients that can ask their user send this state back with the answer.
      ...(outcome.kind === 'confirm' && { state: outcome.question.state }),
    },
    // A failure may carry data too, such as the `success: false` of an HTTP function.
    ...(output === undefined &&
      (!error || result.data !== undefined) && {
        // Content parts are plain JSON; only their interfaces lack the index signature.
        content: content as unknown as Json,
        structured_content: result.data ?? null,
      }),
    ...(error && { error_context: errorContext(error, answer.tool?.name ?? null, target) }),
  };
  return { status: error ? behaviourOf(error).status : 200, body, ...(error && { error }) };
}

/** Error of an outcome; REST cannot ask questions, so a confirmation becomes its fallback error. */
function envelopeError(outcome: Outcome): ToolError | undefined {
  if (outcome.kind === 'done') return undefined;
  return outcome.kind === 'failed' ? outcome.error : outcome.question.otherwise;
}

/** Error details with a recovery suggestion. */
const errorContext = (error: ToolError, tool: string | null, target: Json | undefined): JsonObject => ({
  error_type: behaviourOf(error).type,
  code: error.code,
  message: error.message,
  recovery_suggestion: recoveryOf(error),
  timestamp: new Date().toISOString(),
  tool_name: tool,
  target: typeof target === 'string' ? target.slice(0, 255) : null,
  metadata: errorData(error) ?? {},
});
