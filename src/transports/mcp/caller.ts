import type { Door } from '../../core/call.js';
import type { View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { RpcError } from '../../wire/codes.js';
import type { WireLogLevel } from '../../wire/meta.js';
import type { AskOptions, RpcReply } from '../../wire/pending.js';
import type { Features } from '../../wire/versions.js';

/** Who sent a request and what may be sent back while it is answered; the same for both eras and every transport. */
export interface Caller {
  readonly view: View;
  readonly via: Door;
  readonly features: Features;
  /** As declared by the client; never a reason to trust it more. */
  readonly capabilities: JsonObject;
  readonly signal: AbortSignal;
  readonly session?: string;
  /** The mildest log message the client wants; absent means none. */
  readonly logLevel?: WireLogLevel;
  /** Sends a notification that belongs to this request; absent where the transport cannot carry one. */
  readonly notify?: (method: string, params: JsonObject) => void;
  /** Asks the client; legacy only, a modern client is asked by the result. */
  readonly ask?: (method: string, params: JsonObject, options: AskOptions) => Promise<RpcReply>;
  /** Lets go of the connection; the client comes back for the answer. */
  readonly detach?: () => void;
}

/** What a request is answered with; a result is serialised already, so that a list is serialised once for everyone. */
export type Reply = { readonly result: string | Buffer } | { readonly error: RpcError };

export const refusal = (error: RpcError): Reply => ({ error });
