import type { Args, Call } from './call.js';
import type { ToolError } from './errors.js';
import type { Json, JsonObject } from './json.js';
import type { Outcome } from './outcome.js';

export type Handler = (call: Call) => Promise<Outcome>;

/** A reason why a value does not fit, by field. */
export interface Problem {
  /** JSON pointer of the field, '' for the whole. */
  readonly field: string;
  readonly message: string;
  readonly keyword?: string;
  readonly expected?: Json;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T; readonly timeoutMs?: number }
  | { readonly ok: false; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly error: ToolError };

/** The schema shown and the parser that enforces it; the parser may look names up, so it may take its time. */
export interface Contract<T> {
  readonly schema: JsonObject;
  parse(value: unknown): Parsed<T> | Promise<Parsed<T>>;
}

/** What a call may do to the world; `labels` such as `reads:private` serve policies. */
export interface Effects {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly destroys: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  readonly labels: readonly string[];
}

export interface Limits {
  /** Used when the caller asks for nothing. */
  readonly timeoutMs: number;
  /** No caller gets more than this. */
  readonly maxTimeoutMs: number;
  readonly concurrency: number;
  readonly queue: number;
  readonly queueTimeoutMs: number;
  readonly ratePerMinute: number;
  readonly maxOutputBytes: number;
}

/** A tool is data plus one `run`. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: Contract<Args>;
  /** What `data` of a result looks like; shown to clients and kept honest by the source. */
  readonly output?: { readonly schema: JsonObject };
  readonly effects: Effects;
  readonly limits: Limits;
  readonly source: string;
  readonly annotations?: JsonObject;
  readonly meta?: JsonObject;
  /** Fields of its definition that nobody here knows; clients are shown them in their place. */
  readonly extra?: JsonObject;
  /** Whether a client may, must or cannot run it as a task. */
  readonly tasks?: 'optional' | 'required' | 'forbidden';
  /** Why the tool cannot run at all on this machine; such a tool is listed as not ready and refuses with this. */
  readonly unavailable?: ToolError;
  /** Callable by name but in no list: a stand-in finds and calls it, through the same guards. */
  readonly unlisted?: boolean;
  /** The tool and arguments that a call really means; the gateway runs that one instead, so that every guard judges what is done and not who passed it on. */
  readonly standsFor?: (args: Args) => { readonly tool: string; readonly args: Args } | undefined;
  /** Its `run` hands the signal to nothing native, so that the cheap kind will do; see lib/light-signal.ts. */
  readonly lightSignal?: boolean;
  /** Facts for people: command, version, allowed operations, security features. */
  readonly details?: JsonObject;
  readonly run: Handler;
}

/** Effects of a tool that only looks. */
export const readOnly: Effects = {
  reads: true,
  writes: false,
  destroys: false,
  idempotent: true,
  openWorld: false,
  labels: [],
};

/** Limits that suit a quick call; sources override what they know better. */
export const defaultLimits: Limits = {
  timeoutMs: 300_000,
  maxTimeoutMs: 3_600_000,
  concurrency: 2,
  queue: 16,
  queueTimeoutMs: 30_000,
  ratePerMinute: 60,
  maxOutputBytes: 1_048_576,
};
