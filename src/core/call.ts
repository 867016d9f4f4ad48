import type { Json, JsonObject } from './json.js';
import type { Principal } from './principal.js';

/** Arguments by name: raw until the validate guard passes on the parsed copy; nobody changes them after that. */
export type Args = { readonly [name: string]: Json | undefined };

/** The door a call came through. */
export type Door = 'stdio' | 'http' | 'rest' | 'console' | 'cli';

/** W3C trace context, checked before it got here. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Answers to an earlier Question, with the state it was asked under. */
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

/** The way back to the caller while a call runs; each part is there only where the door can carry it. */
export interface BackChannel {
  readonly progress?: (progress: Progress) => void;
  readonly log?: (level: LogLevel, data: Json, logger?: string) => void;
  /** The client's own capabilities, for sources that relay questions. */
  readonly capabilities?: JsonObject;
  /** The caller could have declared that it knows tasks and did not: it must hear that a tool runs only as one. */
  readonly withoutTasks?: boolean;
  /** Lets go of the caller's connection for a long wait; the caller comes back for the answer. */
  readonly detach?: () => void;
}

/** One call on its way through the guards. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly principal: Principal;
  /** The part of the catalogue it was made in, where its address named one. */
  readonly profile?: string | undefined;
  readonly via: Door;
  readonly args: Args;
  /** Monotonic milliseconds. */
  readonly receivedAt: number;
  readonly signal: AbortSignal;
  readonly correlationId: string;
  /** What the caller asked for; the deadline guard decides. */
  readonly timeoutMs?: number | undefined;
  readonly trace?: TraceContext | undefined;
  readonly confirmation?: Confirmation | undefined;
  /** The ticket under which this very call was told to wait for an operator. */
  readonly ticket?: string | undefined;
  /** The conversation a call belongs to, where the door knows one. */
  readonly session?: string | undefined;
  readonly back?: BackChannel | undefined;
  /** Whether this caller may know of a tool, for tools that tell of others. */
  readonly sees?: ((tool: { readonly name: string; readonly source: string }) => boolean) | undefined;
  /** Extra `_meta` of the request, for sources that relay it. */
  readonly meta?: JsonObject | undefined;
}

/** The reason a call's signal carries when it was our clock, not the caller, that ended the call. */
export const deadlinePassed: unique symbol = Symbol('deadline passed');
