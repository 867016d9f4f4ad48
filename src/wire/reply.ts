import type { RpcError } from './codes.js';
import { rpcCodes, rpcError } from './codes.js';
import type { RpcResponse } from './message.js';

/** Result or error that a peer sent. */
export type RpcReply = RpcResponse['reply'];

/**
 * Why a request has no answer of the peer:
 * - `connection`: it could not be reached, or the connection or process ended
 * - `protocol`: it sent something that is not a response to this request
 * - `status`: an HTTP status without a response
 * - `session`: it dropped the session of this connection
 * - `oversized`: its response exceeds a limit
 * - `refused`: our own rules or missing credentials prevent the request
 * - `busy`: too many requests are pending on our side
 * - `timeout`, `cancelled`: this side stopped waiting
 */
export type FailureKind =
  'connection' | 'protocol' | 'status' | 'session' | 'oversized' | 'refused' | 'busy' | 'timeout' | 'cancelled';

export interface TransportFailure {
  readonly kind: FailureKind;
  readonly message: string;
  /** HTTP status, for `status`. */
  readonly status?: number;
  /** The peer did not process the request, so sending it again cannot repeat an effect. */
  readonly unprocessed?: boolean;
}

/** How a request ended: the peer's result, the peer's own error, or no answer at all. Only the first two are answers. */
export type Reply = RpcReply | { readonly failure: TransportFailure };

export const failedReply = (
  kind: FailureKind,
  message: string,
  rest: Omit<TransportFailure, 'kind' | 'message'> = {},
): { readonly failure: TransportFailure } => ({ failure: { kind, message, ...rest } });

/** Message of the peer's error or of the failure. */
export const problemOf = (reply: { readonly error: RpcError } | { readonly failure: TransportFailure }): string =>
  'error' in reply ? reply.error.message : reply.failure.message;

/** Reply for code that does not distinguish a failure from an error of the peer. */
export const toRpcReply = (reply: Reply): RpcReply =>
  'failure' in reply ? { error: rpcError(rpcCodes.internalError, reply.failure.message) } : reply;
