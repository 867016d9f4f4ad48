import type { Content } from './content.js';
import { textContent } from './content.js';
import type { ErrorCode, ToolError } from './errors.js';
import type { Json, JsonObject } from './json.js';

/** Facts about an outcome, such as what the sanitiser removed. */
export type Meta = JsonObject;

export interface Done {
  readonly kind: 'done';
  readonly content: readonly Content[];
  readonly data?: Json;
  readonly meta?: Meta;
  /** Evidence of instructions to the model in this result; set by the sanitize guard alone. */
  readonly injection?: JsonObject;
  /** Unknown fields of an upstream result, passed through to MCP clients unchanged. */
  readonly extra?: JsonObject;
}
export interface Failed {
  readonly kind: 'failed';
  readonly error: ToolError;
  /** Set by a guard behind the flow guard that refuses: the tool was certainly not reached. */
  readonly notStarted?: true;
  readonly content?: readonly Content[];
  readonly data?: Json;
  readonly meta?: Meta;
  /** Evidence of instructions to the model in this result; set by the sanitize guard alone. */
  readonly injection?: JsonObject;
  /** Unknown fields of an upstream result, passed through to MCP clients unchanged. */
  readonly extra?: JsonObject;
}
export interface Confirm {
  readonly kind: 'confirm';
  readonly question: Question;
}

/** Label of a conversation in which a result or message contained instructions to the model. */
export const instructionsLabel = 'untrusted:instructions';

/** How a call ends. Refusals are values; only bugs are thrown. */
export type Outcome = Done | Failed | Confirm;

/** Questions to answer before the call can continue; `state` is returned unchanged with the answers. */
export interface Question {
  readonly asks: Readonly<Record<string, Ask>>;
  readonly state: string;
  /** Error for a client that does not support the question. */
  readonly otherwise: ToolError;
}

/** One request to the client, as an MCP method. */
export interface Ask {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
}

export const done = (content: readonly Content[] | string, data?: Json, meta?: Meta): Done => ({
  kind: 'done',
  content: typeof content === 'string' ? [textContent(content)] : content,
  ...(data !== undefined && { data }),
  ...(meta !== undefined && { meta }),
});

export const failed = (error: ToolError, rest?: Omit<Failed, 'kind' | 'error'>): Failed => ({
  kind: 'failed',
  error,
  ...rest,
});

/** Refuses in a guard behind the flow guard: the tool was not reached. */
export const refuseUnreached = (
  code: ErrorCode,
  message: string,
  rest?: Omit<ToolError, 'code' | 'message'>,
): Failed => ({
  ...refuse(code, message, rest),
  notStarted: true,
});

/** Refuses with a code of the error table, a message, and optionally a hint. */
export const refuse = (code: ErrorCode, message: string, rest?: Omit<ToolError, 'code' | 'message'>): Failed => ({
  kind: 'failed',
  error: { code, message, ...rest },
});

/** Refusal of a call that needs state which several replicas share, while it cannot be used. */
export const stateUnavailable = (message: string): Failed =>
  refuse('state_unavailable', message, { hint: 'Try again in a moment', retryAfterMs: 1_000 });
