import type { ErrorCode, ToolError } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json.js';
import type { Parsed } from '../../../core/tool.js';

/** Validation stages in order; the first stage that rejects determines the error. */
type ValidationStage = 'syntax' | 'semantics' | 'permission';

/** Why an input is rejected: field, value, expected form and an example. */
export interface Rejection {
  readonly stage: ValidationStage;
  readonly field: string;
  readonly message: string;
  readonly value?: unknown;
  readonly expected?: string;
  readonly example?: string;
  readonly code?: ErrorCode;
  readonly hint?: string;
  readonly data?: JsonObject;
}

/** Characters of a value that a message repeats. */
const maxQuotedLength = 80;

/** Quotes, escapes and truncates a value for a message (terminal escape injection). */
function quoteForMessage(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const cut = text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text;
  // JSON escapes lone surrogates and C0 controls, but not DEL and C1 controls, which terminals also interpret.
  return JSON.stringify(cut).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Converts a rejection into a tool error. */
function toRejectionError(objection: Rejection): ToolError {
  const { stage, field, message, value, expected, example, code = 'invalid_arguments', hint, data } = objection;
  const given = value === undefined ? '' : `; given ${quoteForMessage(value)}`;
  const instance = example === undefined || example === '' ? '' : `; for example ${example}`;
  return {
    code,
    message: `${field}: ${message}${given}${instance}`,
    ...(hint !== undefined && { hint }),
    data: {
      stage,
      field,
      ...(value !== undefined && { value: quoteForMessage(value) }),
      ...(expected !== undefined && { expected }),
      ...(example !== undefined && { example }),
      ...data,
    },
  };
}

/** A rejection as the result of a contract. */
export const reject = (objection: Rejection): Extract<Parsed<never>, { error: ToolError }> => ({
  ok: false,
  error: toRejectionError(objection),
});
