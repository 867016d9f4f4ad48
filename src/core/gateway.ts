import type { Args, BackChannel, Call, Confirmation, Door, TraceContext } from './call.js';
import type { ResourceContents } from './content.js';
import type { Json, JsonObject } from './json.js';
import type { Outcome } from './outcome.js';
import type { Principal } from './principal.js';
import type { Completion, Prompt, Resource, ResourceTemplate } from './prompt.js';
import type { Withheld } from './source.js';
import type { Tool } from './tool.js';

/** Part of the catalogue a caller sees; lists vary only by principal and profile. */
export interface View {
  readonly principal: Principal;
  readonly profile?: string;
  /** Address of the client, for log and audit; of a legacy session the one that opened it. Decides nothing. */
  readonly peer?: string;
}

type Owned = Pick<Call, 'principal' | 'profile'>;

/** Owner key of state stored between requests; state of one profile is invisible under another. */
export const ownerOf = ({ principal, profile }: Owned): string =>
  profile === undefined ? principal.id : `${principal.id}\n${profile}`;

/**
 * Whether two views have the same principal, rights and profile: a session opened with more rights than its caller has now, or
 * under another profile, must not continue (session hijacking, stale privileges).
 */
export const hasSameRights = (a: View, b: View): boolean =>
  a.profile === b.profile && (a.principal === b.principal || rightsKey(a.principal) === rightsKey(b.principal));

const rightsKey = ({ id, kind, roles, profile, scopes }: Principal): string =>
  JSON.stringify([id, kind, roles, profile, scopes]);

/** Request of a transport to run a tool. */
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

/** Outcome of a call, with the correlation id of its log and audit records. */
export interface Answer {
  readonly outcome: Outcome;
  readonly correlationId: string;
  readonly durationMs: number;
  /** Absent for an unknown tool. */
  readonly tool?: Tool;
}

/** Outcome of a call that subscribes, and the way to end the subscription; `stop` does nothing if it was refused. */
export interface SubscriptionAnswer extends Answer {
  readonly stop: () => void;
}

/** Current state of a tool, for operators. */
export interface ToolStatus {
  readonly tool: Tool;
  readonly enabled: boolean;
  readonly breaker: {
    readonly state: 'closed' | 'open' | 'half_open';
    readonly failures: number;
    readonly retryAfterMs?: number;
  };
}

export type ChangedList = 'tools' | 'prompts' | 'resources';

/** Prompt or resource template whose argument is completed. */
export type CompletionTarget =
  { readonly type: 'ref/prompt'; readonly name: string } | { readonly type: 'ref/resource'; readonly uri: string };

/** Request of a transport to complete an argument. */
export interface CompletionRequest extends Omit<CallRequest, 'tool' | 'args'> {
  readonly target: CompletionTarget;
  readonly argument: string;
  readonly value: string;
  readonly context: Readonly<Record<string, string>>;
}

/** A result that a door keeps for its caller, because it is too large for one message. */
export interface StoredResult {
  readonly contents: ResourceContents;
  readonly bytes: number;
}

/** Request to read a resource, or a stored result of the caller's own. */
export interface ReadRequest extends Omit<CallRequest, 'tool' | 'args'> {
  readonly uri: string;
  readonly stored?: StoredResult;
}

/** The only interface transports use; nothing behind it is visible to them. */
export interface Gateway {
  /** Ready, enabled tools in stable order; the same array until something changes, so that transports may cache its serialised form. */
  tools(view: View): readonly Tool[];
  prompts(view: View): readonly Prompt[];
  resources(view: View): readonly Resource[];
  templates(view: View): readonly ResourceTemplate[];
  call(request: CallRequest): Promise<Answer>;
  /** Reads a resource through the same guards; the outcome's data is `{ contents }`. */
  read(request: ReadRequest): Promise<Answer>;
  /** Gets a prompt through the same guards; the outcome's data is `{ description?, messages }`. */
  prompt(request: Omit<CallRequest, 'tool'> & { readonly name: string }): Promise<Answer>;
  /** Completes an argument through the same guards; refused and unknown targets have no suggestions. */
  complete(request: CompletionRequest): Promise<Completion>;
  /** Subscribes to changes of a resource through the same guards; ends by itself when the view loses the right to it. */
  subscribe(
    request: Omit<CallRequest, 'tool' | 'args'> & { readonly uri: string; readonly changed: () => void },
  ): Promise<SubscriptionAnswer>;
  onChange(listener: (what: ChangedList) => void): () => void;

  /** Every tool this caller may see, including disabled and unavailable ones. */
  statuses(view: View): readonly ToolStatus[];
  withheld(): readonly (Withheld & { readonly source: string })[];
  /** Returns false for an unknown tool. */
  setEnabled(name: string, enabled: boolean, by: Principal): boolean;
  resetBreaker(name: string, by: Principal): boolean;
}

/** Facts about the gateway that transports publish. */
export interface Identity {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions?: string;
}

/** Transport with a lifecycle. */
export interface Transport {
  readonly name: string;
  start(): Promise<void>;
  /** Announces the shutdown to load balancers and waits until they can know; calls are still accepted. */
  drain?(): Promise<void>;
  /** Stops accepting calls and drains running ones until the signal fires. */
  stop(signal: AbortSignal): Promise<void>;
}

/** Health report as plain data. */
export interface HealthReport {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly checks: Readonly<
    Record<string, { readonly status: string; readonly priority: string; readonly detail?: string }>
  >;
  readonly summary: Json;
}
