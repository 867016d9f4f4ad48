import type { Door } from '../../core/call.js';
import type { View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { RpcError } from '../../wire/codes.js';
import type { WireLogLevel } from '../../wire/meta.js';
import type { AskOptions } from '../../wire/pending.js';
import type { RpcReply } from '../../wire/reply.js';
import type { Features } from '../../wire/versions.js';
import type { SessionWatches } from './methods/subscribe-methods.js';

/** Context of one MCP request: who sent it and what can be sent back meanwhile; the same for all revisions and transports. */
export interface RequestContext {
  readonly view: View;
  readonly via: Door;
  readonly features: Features;
  /** Declared by the client; never grants trust. */
  readonly capabilities: JsonObject;
  readonly signal: AbortSignal;
  readonly session?: string;
  /** Name that the client program declares; a claim, for display only. */
  readonly client?: string;
  /** Grows with every `roots/list_changed` of the client; legacy only. */
  readonly rootsVersion?: number;
  /** Minimum level of log notifications; absent disables them. */
  readonly logLevel?: WireLogLevel;
  /** Sends a notification that belongs to this request; absent if the transport cannot. */
  readonly notify?: (method: string, params: JsonObject) => void;
  /** Sends a request to the client; legacy only, modern clients get questions in the result. */
  readonly ask?: (method: string, params: JsonObject, options: AskOptions) => Promise<RpcReply>;
  /** Resource subscriptions of the session; legacy only. */
  readonly watches?: SessionWatches;
  /** Closes the connection; the client resumes the stream for the response. */
  readonly detach?: () => void;
}

/** Reply to a request; results are already serialised, so that a list page is serialised once for all clients. */
export type Reply = { readonly result: string | Buffer } | { readonly error: RpcError };

const refusedByDoor = new WeakSet<object>();

/** Reply with a JSON-RPC error by the door itself: no guard saw the request, so the dispatcher records it if it would have been a call. */
export function refusal(error: RpcError): Reply {
  const reply: Reply = { error };
  refusedByDoor.add(reply);
  return reply;
}

/** Why the door refused, if this reply is its own and not the answer of the gateway. */
export const doorRefusal = (reply: Reply): RpcError | undefined =>
  'error' in reply && refusedByDoor.has(reply) ? reply.error : undefined;
