/** Behaviour of one error code on every transport; the single source of truth. */
export interface ErrorBehaviour {
  /** The name REST callers and logs see. */
  readonly type: string;
  readonly status: number;
  /** MCP form: a readable tool result, or a JSON-RPC error with this code. */
  readonly mcp: 'result' | { readonly protocol: number };
  readonly retryable: boolean;
  readonly tripsBreaker: boolean;
  /** Whether it proves that the tool responded: the breaker counts it as a success. */
  readonly answered: boolean;
  /** Who ended the call: the gateway refused it (also its result), or the tool failed. Audit and metrics record this. */
  readonly decision: 'refused' | 'failed';
  /** Explanation in docs/errors.md. */
  readonly meaning: string;
  readonly recovery: string;
}
