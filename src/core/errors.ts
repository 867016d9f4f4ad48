import type { JsonObject } from './json.js';

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

/** Every refusal and failure Toolgate can return. */
export const errors = {
  invalid_arguments: {
    type: 'validation_error',
    status: 400,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The arguments do not match the input schema of the tool. Nothing was started.',
    recovery: 'Check argument format. Use --help for syntax.',
  },
  not_found: {
    type: 'not_found',
    status: 404,
    mcp: { protocol: -32602 },
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'No tool of that name is available to this caller: it does not exist, is disabled, or is hidden.',
    recovery: 'List the tools and use one of their names.',
  },
  forbidden: {
    type: 'not_found',
    status: 404,
    mcp: { protocol: -32602 },
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning:
      'The tool exists but is hidden from this caller. Callers see `not_found`; the audit records the difference.',
    recovery: 'List the tools and use one of their names.',
  },
  unauthorized: {
    type: 'unauthorized',
    status: 401,
    mcp: { protocol: -32001 },
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The request carried no valid credential.',
    recovery: 'Send `Authorization: Bearer <token>`; the token file is printed at start.',
  },
  admin_required: {
    type: 'permission_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The credential is valid, but the operation needs the admin role.',
    recovery: 'Run with appropriate permissions or adjust policy.',
  },
  policy_denied: {
    type: 'policy_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'A rule of the operator forbids this call. The message names the rule.',
    recovery: 'Ask the operator, or change the call so that a rule allows it.',
  },
  permission_denied: {
    type: 'permission_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'failed',
    meaning: 'The program or service behind the tool was not permitted to do this.',
    recovery: 'Run with appropriate permissions or adjust policy.',
  },
  confirmation_required: {
    type: 'confirmation_required',
    status: 409,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The call needs approval, and this client does not support elicitation.',
    recovery: 'Let an operator approve the ticket, then send the same call again with it.',
  },
  declined: {
    type: 'permission_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'Approval was requested and denied, or not given in time.',
    recovery: 'Do not repeat the call; ask the user what to do instead.',
  },
  invalid_confirmation: {
    type: 'validation_error',
    status: 400,
    mcp: { protocol: -32602 },
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning:
      'The answers carry a state that was not issued for this call, was modified, was used before, or has expired.',
    recovery: 'Send the call again without the state and answer the new question.',
  },
  capability_missing: {
    type: 'capability_missing',
    status: 400,
    mcp: { protocol: -32021 },
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The tool needs input from its caller, and this client did not declare the required capability.',
    recovery: 'Use a client that supports the capability named in the error.',
  },
  rate_limited: {
    type: 'rate_limited',
    status: 429,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'This caller exceeded the rate limit of this tool.',
    recovery: 'Wait for the time given in Retry-After, then try again.',
  },
  busy: {
    type: 'busy',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'All slots of the tool are taken and its queue is full, or the wait in the queue was too long.',
    recovery: 'Try again shortly, or raise the concurrency of the tool.',
  },
  circuit_open: {
    type: 'circuit_breaker_open',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The tool failed repeatedly and its circuit breaker is open. Nothing was started.',
    recovery: 'Wait for the time given in Retry-After; an operator may reset the breaker.',
  },
  timeout: {
    type: 'timeout',
    status: 504,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    answered: false,
    decision: 'failed',
    meaning: 'The deadline passed. The whole process tree was killed; its output so far is returned.',
    recovery: 'Increase timeout_sec or reduce operation scope.',
  },
  cancelled: {
    type: 'cancelled',
    status: 499,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    answered: false,
    decision: 'failed',
    meaning: 'The caller disconnected or cancelled.',
    recovery: 'Send the call again if it is still needed.',
  },
  command_missing: {
    type: 'not_found',
    status: 424,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The program behind the tool is not installed on the gateway.',
    recovery: 'Install {command} or add to PATH.',
  },
  execution_failed: {
    type: 'execution_error',
    status: 200,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: true,
    decision: 'failed',
    meaning: 'The tool ran and reported failure, for example a non-zero exit code. Its output is returned.',
    recovery: 'Read the output of the tool.',
  },
  crashed: {
    type: 'execution_error',
    status: 502,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    answered: false,
    decision: 'failed',
    meaning: 'The process behind the tool could not be started or died by a signal.',
    recovery: 'Try again; if it repeats, look at the stderr tail and run `toolgate doctor`.',
  },
  output_limit: {
    type: 'output_limit',
    status: 502,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'failed',
    meaning: 'The response exceeded the output limit and cannot be used in part.',
    recovery: 'Request less, or raise the output limit of the tool.',
  },
  resource_exhausted: {
    type: 'resource_exhausted',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    answered: false,
    decision: 'failed',
    meaning: 'The process reached a limit of memory, CPU time, files or processes.',
    recovery: 'Reduce the operation scope or raise the limit.',
  },
  sandbox_unavailable: {
    type: 'sandbox_unavailable',
    status: 503,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning:
      'The sandbox tier the tool requires is not available on this machine. It was not run with weaker isolation.',
    recovery: 'Run `toolgate doctor` and install what it names.',
  },
  network_error: {
    type: 'network_error',
    status: 502,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    answered: false,
    decision: 'failed',
    meaning:
      'The service behind the tool could not be reached, the connection was lost, or it did not answer in its protocol.',
    recovery: 'Check network connectivity and firewall rules.',
  },
  upstream_error: {
    type: 'execution_error',
    status: 502,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: true,
    decision: 'failed',
    meaning: 'The service behind the tool returned an error.',
    recovery: 'Read the message; change the arguments if it names them.',
  },
  upstream_refused: {
    type: 'execution_error',
    status: 502,
    mcp: { protocol: -32603 },
    retryable: false,
    tripsBreaker: false,
    answered: true,
    decision: 'failed',
    meaning:
      "The MCP server behind the tool returned a JSON-RPC error instead of a result. MCP clients receive the server's own code if it cannot be confused with one of the gateway: -32602, -32603, and codes outside the range reserved by JSON-RPC.",
    recovery: 'Read the message; change the arguments if it names them.',
  },
  output_withheld: {
    type: 'output_withheld',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning:
      "The tool ran, but its result contains instructions to the model and was withheld by the operator's settings, or it no longer matches its output schema after secrets were redacted.",
    recovery: 'Do not repeat the call; let a person review what the tool returned.',
  },
  audit_unavailable: {
    type: 'audit_unavailable',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The call could not be recorded, so it was refused.',
    recovery: 'Free space or repair the audit folder; see `toolgate audit verify`.',
  },
  shutting_down: {
    type: 'busy',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    answered: false,
    decision: 'refused',
    meaning: 'The gateway is shutting down and accepts no new calls.',
    recovery: 'Try again after the restart.',
  },
  internal: {
    type: 'unknown',
    status: 500,
    mcp: { protocol: -32603 },
    retryable: false,
    tripsBreaker: true,
    answered: false,
    decision: 'failed',
    meaning: 'A bug in Toolgate. The log has the details under the correlation id; nothing else is exposed.',
    recovery: 'Report it with the correlation id.',
  },
} as const satisfies Record<string, ErrorBehaviour>;

export type ErrorCode = keyof typeof errors;

/** Why a call was refused or failed: the problem, what to do, and machine-readable data; never a path, secret or stack. */
export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly retryAfterMs?: number;
  readonly data?: JsonObject;
}

export const behaviourOf = (error: ToolError): ErrorBehaviour => errors[error.code];

/** What to do about an error: its own hint, else the table's. */
export const recoveryOf = (error: ToolError): string => error.hint ?? errors[error.code].recovery;
