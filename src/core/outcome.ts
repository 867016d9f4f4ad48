import type { Content } from './content.js';
import { text } from './content.js';
import type { ErrorCode, ToolError } from './errors.js';
import type { Json, JsonObject } from './json.js';

/** Facts about an outcome that travel beside it, such as what the sanitiser removed. */
export type Meta = JsonObject;

export interface Done {
  readonly kind: 'done';
  readonly content: readonly Content[];
  readonly data?: Json;
  readonly meta?: Meta;
  /** Fields of a server's result that nobody here knows; MCP clients get them in their place. */
  readonly extra?: JsonObject;
}
export interface Failed {
  readonly kind: 'failed';
  readonly error: ToolError;
  readonly content?: readonly Content[];
  readonly data?: Json;
  readonly meta?: Meta;
  /** Fields of a server's result that nobody here knows; MCP clients get them in their place. */
  readonly extra?: JsonObject;
}
export interface Confirm {
  readonly kind: 'confirm';
  readonly question: Question;
}

/** How a call ends. Refusals are values; only bugs are thrown. */
export type Outcome = Done | Failed | Confirm;

/** What must be answered before the call can go on; `state` comes back untouched with the answers. */
export interface Question {
  readonly asks: Readonly<Record<string, Ask>>;
  readonly state: string;
  /** What a client that cannot be asked is told instead. */
  readonly otherwise: ToolError;
}

/** One question to the client, in the words of MCP. */
export interface Ask {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
}

export const done = (content: readonly Content[] | string, data?: Json, meta?: Meta): Done => ({
  kind: 'done',
  content: typeof content === 'string' ? [text(content)] : content,
  ...(data !== undefined && { data }),
  ...(meta !== undefined && { meta }),
});

export const failed = (error: ToolError, rest?: Omit<Failed, 'kind' | 'error'>): Failed => ({
  kind: 'failed',
  error,
  ...rest,
});

/** Refuses with a code of the table, what is so, and optionally what to do. */
export const refuse = (code: ErrorCode, message: string, rest?: Omit<ToolError, 'code' | 'message'>): Failed => ({
  kind: 'failed',
  error: { code, message, ...rest },
});
