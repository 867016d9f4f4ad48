import type { JsonObject } from '../core/json.js';

/** JSON-RPC error object. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** JSON-RPC and MCP error codes that the gateway sends or interprets. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Legacy: a request outside any session. */
  badRequest: -32000,
  /** Legacy: the session does not exist or has expired. */
  sessionNotFound: -32001,
  /** Legacy: the resource does not exist. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Creates a JSON-RPC error object. */
export const rpcError = (code: number, message: string, data?: JsonObject): RpcError => ({
  code,
  message,
  ...(data && { data }),
});
