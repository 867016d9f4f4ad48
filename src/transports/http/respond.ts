import type { ServerResponse } from 'node:http';
import type { ErrorCode, ToolError } from '../../core/errors.js';
import { behaviourOf, recoveryOf } from '../../core/errors.js';

/** Security headers of every response: no caching, no MIME sniffing, no framing (clickjacking), no referrer. */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;

/** Sends a JSON response in one write. */
export function sendJson(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  const text = JSON.stringify(value);
  res.writeHead(status, {
    ...securityHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}

/** Sends an error from the error table, in the shape of all REST errors. */
export function sendError(res: ServerResponse, error: ToolError, headers: Readonly<Record<string, string>> = {}): void {
  sendJson(res, behaviourOf(error).status, errorBody(error), { ...retryHeaders(error), ...headers });
}

/** Sends an HTTP-level error that has no code in the error table. */
export function sendProblem(
  res: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(res, status, { error: message, error_type: type }, headers);
}

const errorBody = (error: ToolError) => ({
  error: error.message,
  error_type: behaviourOf(error).type,
  code: error.code satisfies ErrorCode,
  recovery_suggestion: recoveryOf(error),
  ...(error.retryAfterMs !== undefined && { retry_after: Math.ceil(error.retryAfterMs / 1000) }),
  ...(error.data && { metadata: error.data }),
});

/** Retry-After for retryable errors; RateLimit additionally for rate limits. */
export function retryHeaders(error: ToolError): Readonly<Record<string, string>> {
  if (error.retryAfterMs === undefined) return {};
  const seconds = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  return { 'retry-after': seconds, ...(error.code === 'rate_limited' && { ratelimit: `"default";r=0;t=${seconds}` }) };
}
