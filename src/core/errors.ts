import type { JsonObject } from './json.js';

/** How one error code behaves at every door; the only place where that is said. */
export interface ErrorBehaviour {
  /** The name REST callers and logs see. */
  readonly type: string;
  readonly status: number;
  /** MCP form: a readable tool result, or a JSON-RPC error with this code. */
  readonly mcp: 'result' | { readonly protocol: number };
  readonly retryable: boolean;
  readonly tripsBreaker: boolean;
  /** What a reader of docs/errors.md is told. */
  readonly means: string;
  readonly recovery: string;
}

/** Every refusal and failure Toolgate can answer with. */
export const errors = {
  invalid_arguments: {
    type: 'validation_error',
    status: 400,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The arguments do not fit what the tool accepts. Nothing was started.',
    recovery: 'Check argument format. Use --help for syntax.',
  },
  not_found: {
    type: 'not_found',
    status: 404,
    mcp: { protocol: -32602 },
    retryable: false,
    tripsBreaker: false,
    means: 'No tool of that name is offered to this caller: it does not exist, is disabled, or is not for them.',
    recovery: 'List the tools and use one of their names.',
  },
  forbidden: {
    type: 'not_found',
    status: 404,
    mcp: { protocol: -32602 },
    retryable: false,
    tripsBreaker: false,
    means: 'The tool exists but this caller may not know it. Callers see `not_found`; the audit keeps the difference.',
    recovery: 'List the tools and use one of their names.',
  },
  unauthorized: {
    type: 'unauthorized',
    status: 401,
    mcp: { protocol: -32001 },
    retryable: false,
    tripsBreaker: false,
    means: 'The request carried no valid credential.',
    recovery: 'Send `Authorization: Bearer <token>`; the token file is printed at start.',
  },
  admin_required: {
    type: 'permission_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The credential is valid, but the operation needs the admin role.',
    recovery: 'Run with appropriate permissions or adjust policy.',
  },
  policy_denied: {
    type: 'policy_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'A rule of the operator forbids this call. The message names the rule.',
    recovery: 'Ask the operator, or change the call so that a rule allows it.',
  },
  permission_denied: {
    type: 'permission_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The program or service behind the tool was not permitted to do this.',
    recovery: 'Run with appropriate permissions or adjust policy.',
  },
  confirmation_required: {
    type: 'confirmation_required',
    status: 409,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    means: 'The call needs a person to agree first, and this client has no way to be asked.',
    recovery: 'Let an operator approve the ticket, then send the same call again with it.',
  },
  declined: {
    type: 'permission_denied',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'Somebody was asked whether the call may be made and said no, or did not say yes.',
    recovery: 'Do not repeat the call; ask the person what they want instead.',
  },
  invalid_confirmation: {
    type: 'validation_error',
    status: 400,
    mcp: { protocol: -32602 },
    retryable: false,
    tripsBreaker: false,
    means: 'Answers came with a state that was not issued for this call, was changed, was used before, or has expired.',
    recovery: 'Send the call again without it and answer what is asked.',
  },
  capability_missing: {
    type: 'capability_missing',
    status: 400,
    mcp: { protocol: -32021 },
    retryable: false,
    tripsBreaker: false,
    means: 'The tool must ask its caller something, and this client did not declare that it can be asked.',
    recovery: 'Use a client that supports what the error names, or call through one that does.',
  },
  rate_limited: {
    type: 'rate_limited',
    status: 429,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    means: 'This caller used up the rate of this tool.',
    recovery: 'Wait for the time given in Retry-After, then try again.',
  },
  busy: {
    type: 'busy',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    means: 'All slots of the tool are taken and its queue is full, or the wait in the queue was too long.',
    recovery: 'Try again shortly, or raise the concurrency of the tool.',
  },
  circuit_open: {
    type: 'circuit_breaker_open',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    means: 'The tool failed repeatedly and rests. Nothing was started.',
    recovery: 'Wait for the time given in Retry-After; an operator may reset the breaker.',
  },
  timeout: {
    type: 'timeout',
    status: 504,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    means: 'The deadline passed. The whole process tree was ended; what it printed until then is returned.',
    recovery: 'Increase timeout_sec or reduce operation scope.',
  },
  cancelled: {
    type: 'cancelled',
    status: 499,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    means: 'The caller hung up or cancelled.',
    recovery: 'Send the call again if it is still wanted.',
  },
  command_missing: {
    type: 'not_found',
    status: 424,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The program behind the tool is not installed on the gateway.',
    recovery: 'Install {command} or add to PATH.',
  },
  execution_failed: {
    type: 'execution_error',
    status: 200,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The tool ran and reported failure, for example a non-zero exit code. Its output is returned.',
    recovery: 'Read the output of the tool.',
  },
  crashed: {
    type: 'execution_error',
    status: 502,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    means: 'The process behind the tool could not be started or died by a signal.',
    recovery: 'Try again; if it repeats, look at the stderr tail and run `toolgate doctor`.',
  },
  output_limit: {
    type: 'output_limit',
    status: 502,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The answer was larger than the limit and could not be used in part.',
    recovery: 'Ask for less, or raise the output limit of the tool.',
  },
  resource_exhausted: {
    type: 'resource_exhausted',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    means: 'The process ran into a limit of memory, processor time, files or processes.',
    recovery: 'Reduce the operation scope or raise the limit.',
  },
  sandbox_unavailable: {
    type: 'sandbox_unavailable',
    status: 503,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The isolation that the tool demands is not to be had on this machine. It was not run weaker.',
    recovery: 'Run `toolgate doctor` and install what it names.',
  },
  network_error: {
    type: 'network_error',
    status: 502,
    mcp: 'result',
    retryable: true,
    tripsBreaker: true,
    means: 'The service behind the tool could not be reached, or broke off.',
    recovery: 'Check network connectivity and firewall rules.',
  },
  upstream_error: {
    type: 'execution_error',
    status: 502,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means: 'The service behind the tool answered with an error of its own.',
    recovery: 'Read the message; change the arguments if it names them.',
  },
  upstream_refused: {
    type: 'execution_error',
    status: 502,
    mcp: { protocol: -32603 },
    retryable: false,
    tripsBreaker: false,
    means:
      "The MCP server behind the tool answered with a JSON-RPC error instead of a result. MCP clients get an error with the server's own code where that cannot be mistaken for one of the gateway: -32602, -32603, and codes outside the range that JSON-RPC reserves.",
    recovery: 'Read the message; change the arguments if it names them.',
  },
  output_withheld: {
    type: 'output_withheld',
    status: 403,
    mcp: 'result',
    retryable: false,
    tripsBreaker: false,
    means:
      "The tool ran, but its result gives instructions to the model and was held back by the operator's settings, or does not fit its schema without the secrets in it.",
    recovery: 'Do not repeat the call; let a person look at what the tool returned.',
  },
  audit_unavailable: {
    type: 'audit_unavailable',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    means: 'The call could not be recorded, so it was refused.',
    recovery: 'Free space or repair the audit folder; see `toolgate audit verify`.',
  },
  shutting_down: {
    type: 'busy',
    status: 503,
    mcp: 'result',
    retryable: true,
    tripsBreaker: false,
    means: 'The gateway is stopping and takes no new calls.',
    recovery: 'Try again when it is back.',
  },
  internal: {
    type: 'unknown',
    status: 500,
    mcp: { protocol: -32603 },
    retryable: false,
    tripsBreaker: true,
    means: 'A fault in Toolgate. The correlation id finds it in the log; nothing else is told.',
    recovery: 'Report it with the correlation id.',
  },
} as const satisfies Record<string, ErrorBehaviour>;

export type ErrorCode = keyof typeof errors;

/** Why a call was refused or failed: what is so, what to do, and facts a program can use; never a path, secret or stack. */
export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly retryAfterMs?: number;
  readonly data?: JsonObject;
}

export const behaviourOf = (error: ToolError): ErrorBehaviour => errors[error.code];

/** What to do about an error: its own hint where it has one, else the table's. */
export const recoveryOf = (error: ToolError): string => error.hint ?? errors[error.code].recovery;
