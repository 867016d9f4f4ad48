import type { Args, Call, GuardedCall } from './call.js';
import type { ErrorCode, ToolError } from './errors.js';
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
  /** Whether defaults that the operator has set take precedence: true for built-in tools, whose declaration is not the operator's. */
  readonly yields?: boolean;
  /** Keys of `tool.overrides` beyond the limits of every tool that the source applies itself while it builds the tool. */
  readonly applies?: readonly string[];
}

/** What a definition states about its circuit breaker. */
export interface DeclaredBreaker {
  readonly failures?: number;
  readonly cooldownMs?: number;
  /** Error codes that count as failures, instead of those of the error table. */
  readonly counts?: readonly ErrorCode[];
}

/** The service behind a tool, and its circuit breaker. */
export interface ToolOrigin {
  readonly url: string;
  /** As one caller meets it; the worst of all callers without one. */
  status(caller?: string): {
    readonly state: 'closed' | 'open' | 'half_open';
    readonly failures: number;
    readonly retryAfterMs: number;
    readonly threshold: number;
  };
  reset(): void;
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
  /** Circuit breaker that the tool declares; absent parts are the operator's settings. */
  readonly breaker?: DeclaredBreaker;
  /** Circuit breaker of the service behind the tool, which it shares with other tools. */
  readonly origin?: ToolOrigin;
  /** Number of the latest recovery of the server behind the tool; its breaker is probed at once after one. */
  readonly recovery?: () => number;
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
  /** The tool whose labels this one has: a stored result is as sensitive as the call that produced it. */
  readonly labelledAs?: Tool;
  /** Its `run` passes the signal to no native function, so that a cheap one is enough; see lib/light-signal.ts. */
  readonly lightSignal?: boolean;
  /** The tool of an upstream server behind it: its name there, what identifies the server, and its program without arguments. */
  readonly upstream?: { readonly name: string; readonly identity: string; readonly program?: string };
  /** What the source lists, if the operator shows another name or other texts; `tool.overrides` is keyed by this name. */
  readonly listed?: { readonly name: string; readonly title?: string; readonly description: string };
  /** Facts for operators: command, version, allowed operations, security features. Never shown in place of a field of the definition. */
  readonly details?: JsonObject;
  /** Statements of the description beyond the definition, such as the extensions of an API document; rules read them as `tool.facts`. */
  readonly facts?: JsonObject;
  readonly run: Operation;
}

/** Facts about a tool for operators. */
export const operatorFacts = ({ details, listed, upstream }: Tool): JsonObject => ({
  ...details,
  ...(listed && { listed_as: listed.name }),
  ...(upstream && { upstream: upstream.name, identity: upstream.identity }),
});

/** The name under which the source lists a tool; `tool.overrides`, `tool.include` and `tool.exclude` use it. */
export const listedName = ({ name, listed }: Pick<Tool, 'name' | 'listed'>): string => listed?.name ?? name;

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
