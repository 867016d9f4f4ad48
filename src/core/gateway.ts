import type { Args, BackChannel, Confirmation, Door, TraceContext } from './call.js';
import type { ResourceLink } from './content.js';
import type { Json, JsonObject } from './json.js';
import type { Outcome } from './outcome.js';
import type { Principal } from './principal.js';
import type { Completion, Prompt, Resource, ResourceTemplate } from './prompt.js';
import type { Withheld } from './source.js';
import type { Tool } from './tool.js';
import type { View } from './view.js';

export type { View } from './view.js';
export { hasSameRights, ownerOf, rightsKey } from './view.js';

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
interface SubscriptionAnswer extends Answer {
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
    readonly threshold?: number;
    /** Rest after the breaker opened, before a probe. */
    readonly cooldownMs?: number;
    /** Set if it is the breaker of the service behind the tool. */
    readonly origin?: string;
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

/** Request to read a resource. */
interface ReadRequest extends Omit<CallRequest, 'tool' | 'args'> {
  readonly uri: string;
}

/** Part of a result that is too large for one message: text, or base64. */
export interface LargePart {
  readonly body: string;
  readonly mimeType: string;
  readonly isBinary: boolean;
}

/** The only interface transports use; nothing behind it is visible to them. */
export interface Gateway {
  /** Ready, enabled tools in stable order; the same array until something changes, so that transports may cache its serialised form. */
  tools(view: View): readonly Tool[];
  prompts(view: View): readonly Prompt[];
  /** A promise while a source reads the resources that are listed for this principal only. */
  resources(view: View): readonly Resource[] | Promise<readonly Resource[]>;
  templates(view: View): readonly ResourceTemplate[] | Promise<readonly ResourceTemplate[]>;
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
  /** Stores a large part of a result of this tool and returns the link to read it by; undefined if it cannot be stored. */
  store?(view: View, tool: Tool, part: LargePart): ResourceLink | undefined;
  /** Instructions of the sources this view sees, quoted as untrusted text; empty if there are none. */
  instructions?(view: View): string;
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
