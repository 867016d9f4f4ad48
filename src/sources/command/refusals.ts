import type { ErrorCode, ToolError } from '../../core/errors.js';
import type { JsonObject } from '../../core/json.js';
import type { Parsed } from '../../core/tool.js';

/** The order in which an input is judged; the first stage that objects has the word. */
export type Stage = 'syntax' | 'semantics' | 'permission';

/** Why an input is refused, in the terms its author can act on. */
export interface Objection {
  readonly stage: Stage;
  readonly field: string;
  readonly message: string;
  readonly value?: unknown;
  readonly expected?: string;
  readonly example?: string;
  readonly code?: ErrorCode;
  readonly hint?: string;
  readonly data?: JsonObject;
}

const longestShown = 80;

/** A value as a reader may safely see it: quoted, escaped and cut. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const cut = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  // JSON escapes lone surrogates and the C0 controls; the C1 ones and DEL would still move a terminal's cursor.
  return JSON.stringify(cut).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The error an objection becomes: what is so, the value, the expected form and an example. */
export function toError(objection: Objection): ToolError {
  const { stage, field, message, value, expected, example, code = 'invalid_arguments', hint, data } = objection;
  const given = value === undefined ? '' : `; given ${shown(value)}`;
  const instance = example === undefined || example === '' ? '' : `; for example ${example}`;
  return {
    code,
    message: `${field}: ${message}${given}${instance}`,
    ...(hint !== undefined && { hint }),
    data: {
      stage,
      field,
      ...(value !== undefined && { value: shown(value) }),
      ...(expected !== undefined && { expected }),
      ...(example !== undefined && { example }),
      ...data,
    },
  };
}

export const objected = (objection: Objection): Extract<Parsed<never>, { error: ToolError }> => ({
  ok: false,
  error: toError(objection),
});
