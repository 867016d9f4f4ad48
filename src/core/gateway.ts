import type { Args, BackChannel, Call, Confirmation, Door, TraceContext } from './call.js';
import type { Json, JsonObject } from './json.js';
import type { Outcome } from './outcome.js';
import type { Principal } from './principal.js';
import type { Completion, Prompt, Resource, ResourceTemplate } from './prompt.js';
import type { Withheld } from './source.js';
import type { Tool } from './tool.js';

/** Which part of the catalogue is looked at: lists differ by principal and profile, by nothing else. */
export interface View {
  readonly principal: Principal;
  readonly profile?: string;
}

type Owned = Pick<Call, 'principal' | 'profile'>;

/** Whose something is that is kept between requests; what was made under one profile is not there under another. */
export const ownerOf = ({ principal, profile }: Owned): string =>
  profile === undefined ? principal.id : `${principal.id}\n${profile}`;

/**
 * Whether two views are of one principal with the same rights at the same address: a conversation that was opened with more
 * rights than its caller has now, or under another profile, does not go on.
 */
export const isSameStanding = (a: View, b: View): boolean =>
  a.profile === b.profile && (a.principal === b.principal || rightsOf(a.principal) === rightsOf(b.principal));

const rightsOf = ({ id, kind, roles, profile, scopes }: Principal): string =>
  JSON.stringify([id, kind, roles, profile, scopes]);

/** What a door hands over to have a tool run. */
export interface CallRequest extends View {
  readonly tool: string;
  readonly args: Args;
  readonly via: Door;
  readonly signal: AbortSignal;
  readonly correlationId?: string;
  readonly trace?: TraceContext;
  readonly timeoutMs?: number;
  readonly confirmation?: Confirmation;
  readonly ticket?: string;
  readonly session?: string;
  readonly back?: BackChannel;
  readonly meta?: JsonObject;
}

/** The outcome of a call and the ids by which log and audit know it. */
export interface Answer {
  readonly outcome: Outcome;
  readonly correlationId: string;
  readonly durationMs: number;
  /** Absent where no such tool is offered. */
  readonly tool?: Tool;
}

/** How a tool stands now, for people and administrators. */
export interface ToolStatus {
  readonly tool: Tool;
  readonly enabled: boolean;
  readonly breaker: {
    readonly state: 'closed' | 'open' | 'half_open';
    readonly failures: number;
    readonly retryAfterMs?: number;
  };
}

export type Changed = 'tools' | 'prompts' | 'resources';

/** What a completion is asked for. */
export type CompletionTarget =
  { readonly type: 'ref/prompt'; readonly name: string } | { readonly type: 'ref/resource'; readonly uri: string };

/** What a door hands over to have an argument completed. */
export interface CompletionRequest extends Omit<CallRequest, 'tool' | 'args'> {
  readonly target: CompletionTarget;
  readonly argument: string;
  readonly value: string;
  readonly context: Readonly<Record<string, string>>;
}

/** The counter every door talks to; doors see nothing behind it. */
export interface Gateway {
  /** Ready, enabled tools in stable order; the same array while nothing changed, so that doors may keep what they serialised. */
  tools(view: View): readonly Tool[];
  prompts(view: View): readonly Prompt[];
  resources(view: View): readonly Resource[];
  templates(view: View): readonly ResourceTemplate[];
  call(request: CallRequest): Promise<Answer>;
  /** Reads a resource through the same guards; the outcome's data is `{ contents }`. */
  read(request: Omit<CallRequest, 'tool' | 'args'> & { readonly uri: string }): Promise<Answer>;
  /** Gets a prompt through the same guards; the outcome's data is `{ description?, messages }`. */
  prompt(request: Omit<CallRequest, 'tool'> & { readonly name: string }): Promise<Answer>;
  /** Completes an argument through the same guards; what is refused and what is unknown have no suggestions. */
  complete(request: CompletionRequest): Promise<Completion>;
  /** Watches one resource; undefined where there is none or it cannot be watched. */
  watch(view: View, uri: string, changed: () => void): (() => void) | undefined;
  onChange(listener: (what: Changed) => void): () => void;

  /** Every tool this caller may know of, with the ones disabled or not ready. */
  statuses(view: View): readonly ToolStatus[];
  withheld(): readonly (Withheld & { readonly source: string })[];
  /** False where there is no such tool. */
  setEnabled(name: string, enabled: boolean, by: Principal): boolean;
  resetBreaker(name: string, by: Principal): boolean;
}

/** Facts about the gateway that doors publish. */
export interface Identity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions?: string;
}

/** A door that can be opened and closed. */
export interface Transport {
  readonly name: string;
  start(): Promise<void>;
  /** Takes nothing new and lets running calls end until the signal fires. */
  stop(signal: AbortSignal): Promise<void>;
}

/** Plain data of a health report. */
export interface HealthReport {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly checks: Readonly<
    Record<string, { readonly status: string; readonly priority: string; readonly detail?: string }>
  >;
  readonly summary: Json;
}
