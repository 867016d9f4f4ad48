import type { JsonObject } from '../../core/json.js';
import type { RpcReply } from '../../wire/pending.js';

/** Why nothing more can come from an upstream server, in words for whoever waits. */
export interface Ended {
  readonly message: string;
  /** The last lines it wrote to stderr, where it had any. */
  readonly stderr?: string;
  /** It was never started, because somebody has to decide first; asking again costs nothing. */
  readonly held?: boolean;
}

/** One request of ours to an upstream server. */
export interface Outgoing {
  readonly method: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Whose request this is; comes back with everything that arrives on the request's own stream. */
  readonly owner?: object | undefined;
  /** Further headers, where the channel has headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What an upstream server sends on its own account; `owner` is known only where it came on a request's own stream. */
export interface ChannelEvents {
  notification(method: string, params: JsonObject, owner: object | undefined): void;
  request(method: string, params: JsonObject, owner: object | undefined): Promise<RpcReply>;
  ended(end: Ended): void;
}

/** The way to one upstream server: requests correlated by ids of our own, in any number at once. */
export interface Channel {
  request(outgoing: Outgoing): Promise<RpcReply>;
  notify(method: string, params?: JsonObject): void;
  /** Tells the channel which revision was agreed on. */
  agreed?(version: string): void;
  /** Set once nothing more can come. */
  readonly end: Ended | undefined;
  /** Ends the connection and whatever stands behind it; may be called again. */
  close(): Promise<void>;
}

/** Opens a channel for one owner's calls, '' where it is for nobody yet; a refusal says why there is none. */
export type OpenChannel = (events: ChannelEvents, owner: string) => Promise<Channel | Ended>;

export const isChannel = (opened: Channel | Ended): opened is Channel => 'request' in opened;
