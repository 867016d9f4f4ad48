import type { Args, Call, GuardedCall } from './call.js';
import type { ToolError } from './errors.js';
import type { Json, JsonObject } from './json.js';
import type { Outcome } from './outcome.js';

export type Handler = (call: Call) => Promise<Outcome>;

/** What a source does for a call; callable only at the end of the pipeline. */
export type Operation = (call: GuardedCall) => Promise<Outcome>;

/** Why a value is invalid, by field. */
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

/** The schema shown and the parser that enforces it. */
export interface Contract<T> {
  readonly schema: JsonObject;
  /** Pure and synchronous: it runs before the call is authorized, so a lookup here would leak data past every rule (DNS exfiltration). */
  parse(value: unknown): Parsed<T>;
  /** Resolves names, vets and pins addresses; runs only for calls that are authorized and approved, right before `run`. */
  vet?(args: T, signal: AbortSignal): Promise<Parsed<T>>;
}

/** Side effects of a call; `labels` such as `reads:private` are matched by policies. */
export interface Effects {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly destroys: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  readonly labels: readonly string[];
}

export interface Limits {
  /** Used if the caller requests none. */
  readonly timeoutMs: number;
  /** Upper limit for the caller's request. */
  readonly maxTimeoutMs: number;
  readonly concurrency: number;
  readonly queue: number;
  readonly queueTimeoutMs: number;
  readonly ratePerMinute: number;
  readonly maxOutputBytes: number;
}

/** What a definition states about its limits; core/limits.ts settles `limits` from it and the operator's settings. */
export interface DeclaredLimits {
  /** Absent limits are the operator's defaults. */
  readonly limits: Partial<Limits>;
  /** Bounds that also hold for the operator. */
  readonly ranges?: Partial<Record<keyof Limits, readonly [number, number]>>;
  /** Keys of `tool.overrides` beyond the limits of every tool that the source applies itself while it builds the tool. */
  readonly applies?: readonly string[];
}

/** A tool is data plus one `run`. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: Contract<Args>;
  /** Schema of `data` in a result; shown to clients and enforced by the source. */
  readonly output?: { readonly schema: JsonObject };
  /** Effects on which rules, approval and labels depend. */
  readonly effects: Effects;
  /** Effects that an untrusted source states about its own tool; shown to clients, never a reason to lower a decision. */
  readonly claimedEffects?: Effects;
  readonly limits: Limits;
  /** Absent: all of `limits` is declared, without ranges. */
  readonly declares?: DeclaredLimits;
  readonly source: string;
  readonly annotations?: JsonObject;
  readonly meta?: JsonObject;
  /** Unknown fields of the definition, passed through to clients unchanged. */
  readonly extra?: JsonObject;
  /** Whether a client may, must or cannot run it as a task. */
  readonly tasks?: 'optional' | 'required' | 'forbidden';
  /** Why the tool cannot run at all on this machine; such a tool is listed as unavailable and every call fails with this error. */
  readonly unavailable?: ToolError;
  /** Callable by name but omitted from lists: a delegating tool finds and calls it, through the same guards. */
  readonly unlisted?: boolean;
  /** Target of a delegating tool; the gateway runs the target instead, so that every guard sees the real operation (confused deputy). */
  readonly resolveTarget?: (args: Args) => { readonly tool: string; readonly args: Args } | undefined;
  /** Second name by which rules, limits and labels match it: a rule about reading a resource holds for subscribing to it. */
  readonly ruledAs?: string;
  /** Its `run` passes the signal to no native function, so that a cheap one is enough; see lib/light-signal.ts. */
  readonly lightSignal?: boolean;
  /** Facts for operators: command, version, allowed operations, security features. */
  readonly details?: JsonObject;
  readonly run: Operation;
}

/** Effects of a tool about which nothing reliable is known. */
export const worstEffects: Effects = {
  reads: true,
  writes: true,
  destroys: true,
  idempotent: false,
  openWorld: true,
  labels: [],
};

/** Whether a pattern of a rule, limit or label names this tool. */
export const isNamedBy = ({ name, ruledAs }: Tool, pattern: (name: string) => boolean): boolean =>
  pattern(name) || (ruledAs !== undefined && pattern(ruledAs));

/** Effects of a read-only tool. */
export const readOnly: Effects = {
  reads: true,
  writes: false,
  destroys: false,
  idempotent: true,
  openWorld: false,
  labels: [],
};

/** Limits for a quick call; sources override them. */
export const defaultLimits: Limits = {
  timeoutMs: 300_000,
  maxTimeoutMs: 3_600_000,
  concurrency: 2,
  queue: 16,
  queueTimeoutMs: 30_000,
  ratePerMinute: 60,
  maxOutputBytes: 1_048_576,
};
