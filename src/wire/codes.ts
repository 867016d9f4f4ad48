import type { JsonObject } from '../core/json.js';

/** A JSON-RPC error as it stands on the wire. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** The error codes of JSON-RPC and MCP that we send or understand. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Legacy: a request outside any session. */
  badRequest: -32000,
  /** Legacy: the session is gone. */
  sessionNotFound: -32001,
  /** Legacy: the resource does not exist. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

export const rpcError = (code: number, message: string, data?: JsonObject): RpcError => ({
  code,
  message,
  ...(data && { data }),
});
