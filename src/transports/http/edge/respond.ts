import type { ServerResponse } from 'node:http';
import type { ErrorCode, ToolError } from '../../../core/errors.js';
import { behaviourOf, errorData } from '../../../core/errors.js';
import { recoveryOf } from '../../../core/recovery.js';

/** Headers of one response; the security headers are added by `SecuredResponse`. */
export type ResponseHeaders = Readonly<Record<string, string | number>>;

/** Sends serialised JSON in one write. */
export function sendJsonText(res: ServerResponse, status: number, text: string, headers?: ResponseHeaders): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers });
  res.end(text);
}

/** Sends a JSON response. */
export const sendJson = (res: ServerResponse, status: number, value: unknown, headers?: ResponseHeaders): void =>
  sendJsonText(res, status, JSON.stringify(value), headers);

/** Sends a response without a body. */
export function sendEmpty(res: ServerResponse, status: number, headers?: ResponseHeaders): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { 'content-length': 0, ...headers });
  res.end();
}

/** Sends an error from the error table, in the shape of all REST errors. */
export function sendError(res: ServerResponse, error: ToolError, headers?: ResponseHeaders): void {
  sendJson(res, behaviourOf(error).status, errorBody(error), { ...retryHeaders(error), ...headers });
}

/** Sends an HTTP-level error that has no code in the error table. */
export function sendProblem(
  res: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers?: ResponseHeaders,
): void {
  sendJson(res, status, { error: message, error_type: type }, headers);
}

/** The answer for unknown paths, also for paths that the caller must not know about. */
export const sendUnknownRoute = (res: ServerResponse): void =>
  sendProblem(res, 404, 'no_such_route', 'No such route; see GET /openapi.json');

const errorBody = (error: ToolError) => ({
  error: error.message,
  error_type: behaviourOf(error).type,
  code: error.code satisfies ErrorCode,
  recovery_suggestion: recoveryOf(error),
  ...(error.retryAfterMs !== undefined && { retry_after: Math.ceil(error.retryAfterMs / 1000) }),
  ...(errorData(error) && { metadata: errorData(error) }),
});

/** Retry-After for retryable errors; RateLimit additionally for rate limits. */
export function retryHeaders(error: ToolError): Readonly<Record<string, string>> {
  if (error.retryAfterMs === undefined) return {};
  const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  return { 'retry-after': seconds, ...(error.code === 'rate_limited' && { ratelimit: `"default";r=0;t=${seconds}` }) };
}
