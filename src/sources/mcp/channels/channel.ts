import type { JsonObject } from '../../../core/json.js';
import type { Reply, RpcReply } from '../../../wire/reply.js';

/** Why a channel ended, as a message for the waiting callers. */
export interface ChannelEnd {
  readonly message: string;
  /** The last lines it wrote to stderr, where it had any. */
  readonly stderr?: string;
  /** An operator or user must act first (approve, log in); not counted as a failure of the server. */
  readonly needsAction?: boolean;
}

/** One request to an upstream server. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Opaque owner; returned with every message that arrives on the stream of this request. */
  readonly owner?: object | undefined;
  /** Further headers, where the channel has headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Messages initiated by the server; `owner` is set only if they arrived on the stream of a request. */
export interface ChannelEvents {
  notification(method: string, params: JsonObject, owner: object | undefined): void;
  request(method: string, params: JsonObject, owner: object | undefined): Promise<RpcReply>;
  ended(end: ChannelEnd): void;
}

/** Connection to one upstream server; requests are concurrent and correlated by gateway-chosen ids. */
export interface Channel {
  request(outgoing: OutgoingRequest): Promise<Reply>;
  notify(method: string, params?: JsonObject): void;
  /** Sets the negotiated protocol revision. */
  setVersion?(version: string): void;
  /** The process behind the channel, if it is a local server. */
  readonly process?: { readonly pid: number; stderr(): string };
  /** Set once the channel has ended. */
  readonly end: ChannelEnd | undefined;
  /** Ends the connection and the process behind it; idempotent. */
  close(): Promise<void>;
}

/** Opens a channel for one owner's calls ('' if not assigned to an owner yet), or returns why there is none. */
export type OpenChannel = (
  events: ChannelEvents,
  owner: string,
  /** Aborted when the source is closed: preparations end, a job in the background continues. */
  signal?: AbortSignal,
) => Promise<Channel | ChannelEnd>;

export const isChannel = (opened: Channel | ChannelEnd): opened is Channel => 'request' in opened;
