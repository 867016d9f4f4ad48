import type { Json, JsonObject } from './json.js';
import type { Principal } from './principal.js';
import type { Subscriber } from './subscription.js';

/** Arguments by name: raw until the validate guard passes on the parsed copy, immutable after that. */
export type Args = { readonly [name: string]: Json | undefined };

/** Transport a call came through. */
export type Door = 'stdio' | 'http' | 'rest' | 'console' | 'cli';

/** W3C trace context, already validated. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Answers to an earlier Question, with its sealed state. */
export interface Confirmation {
  readonly answers: Readonly<Record<string, JsonObject>>;
  readonly state: string;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** Channel to the caller while a call runs; members are present only if the transport supports them. */
export interface BackChannel {
  readonly progress?: (progress: Progress) => void;
  readonly log?: (level: LogLevel, data: Json, logger?: string) => void;
  /** The client's own capabilities, for sources that relay questions. */
  readonly capabilities?: JsonObject;
  /** Grows with every `roots/list_changed` of the client. */
  readonly rootsVersion?: number;
  /** The caller could have declared task support and did not: a tool that requires tasks must reject the call. */
  readonly withoutTasks?: boolean;
  /** Releases the caller's connection during a long wait; the caller returns for the result. */
  readonly detach?: () => void;
}

/** One call on its way through the guards. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly principal: Principal;
  /** Profile in the URL of the call, if any. */
  readonly profile?: string | undefined;
  /** Address of the client, for log and audit. */
  readonly peer?: string | undefined;
  readonly via: Door;
  readonly args: Args;
  /** Arguments as the caller sent them, if a guard replaced them: `args` then also has defaults. */
  readonly given?: Args | undefined;
  /** Monotonic milliseconds. */
  readonly receivedAt: number;
  readonly signal: AbortSignal;
  readonly correlationId: string;
  /** Timeout requested by the caller; the deadline guard caps it. */
  readonly timeoutMs?: number | undefined;
  readonly trace?: TraceContext | undefined;
  readonly confirmation?: Confirmation | undefined;
  /** Ticket of the approval request for this exact call. */
  readonly ticket?: string | undefined;
  /** Conversation of the call, if the transport has one. */
  readonly session?: string | undefined;
  readonly back?: BackChannel | undefined;
  /** Whether this caller may see a tool, for tools that list others. */
  readonly canSee?: ((tool: { readonly name: string; readonly source: string }) => boolean) | undefined;
  /** Receives the changes that a `resources/subscribe` call asks for. */
  readonly subscriber?: Subscriber | undefined;
  /** Extra `_meta` of the request, for sources that relay it. */
  readonly meta?: JsonObject | undefined;
}

/** Nominal mark without a value at run time; a private member does not survive a spread, so an edited copy has lost the mark. */
declare abstract class PassedGuards {
  private readonly passedGuards: true;
}

/**
 * A call that has passed every guard. Operations of sources accept nothing else, and only `compose` in guard.ts issues it, so that no
 * path from a door to a source can skip the pipeline (authorization bypass).
 */
export type GuardedCall = Call & PassedGuards;

/** Abort reason of a call that was ended by our deadline and not by the caller. */
export const deadlinePassed: unique symbol = Symbol('deadline passed');
