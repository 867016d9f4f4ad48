import type { ServerResponse } from 'node:http';
import type { ErrorCode, ToolError } from '../../core/errors.js';
import { behaviourOf, recoveryOf } from '../../core/errors.js';

/** Nothing we answer may be kept by a cache, guessed at by a browser, or put in a frame. */
export const guardHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;

/** Answers with JSON in one write. */
export function sendJson(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  const text = JSON.stringify(value);
  res.writeHead(status, {
    ...guardHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}

/** Answers with an error of the table, in the form every REST error has. */
export function sendError(res: ServerResponse, error: ToolError, headers: Readonly<Record<string, string>> = {}): void {
  sendJson(res, behaviourOf(error).status, errorBody(error), { ...retryHeaders(error), ...headers });
}

/** Answers with an error that belongs to HTTP, not to a tool. */
export function sendProblem(
  res: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(res, status, { error: message, error_type: type }, headers);
}

export const errorBody = (error: ToolError) => ({
  error: error.message,
  error_type: behaviourOf(error).type,
  code: error.code satisfies ErrorCode,
  recovery_suggestion: recoveryOf(error),
  ...(error.retryAfterMs !== undefined && { retry_after: Math.ceil(error.retryAfterMs / 1000) }),
  ...(error.data && { metadata: error.data }),
});

/** Retry-After for whoever is told to come back, RateLimit for whoever came too often. */
export function retryHeaders(error: ToolError): Readonly<Record<string, string>> {
  if (error.retryAfterMs === undefined) return {};
  const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  return { 'retry-after': seconds, ...(error.code === 'rate_limited' && { ratelimit: `"default";r=0;t=${seconds}` }) };
}
