import type { Failed, Refused } from '../../../net/egress/egress-types.js';
import { StreamFailure } from '../../../net/egress/egress-types.js';
import type { Message } from '../../../wire/message.js';
import type { FailureKind, TransportFailure } from '../../../wire/reply.js';

/** How the failures of a request affect the session: connection failures count against the server, others do not. */
const failureKinds: Readonly<Record<Failed['reason'], FailureKind>> = {
  network: 'connection',
  dns: 'connection',
  tls: 'connection',
  timeout: 'connection',
  closed: 'connection',
  protocol: 'protocol',
  bad_encoding: 'protocol',
  too_large: 'oversized',
  busy: 'busy',
  cancelled: 'cancelled',
};

/** Failure of a request that got no HTTP response. */
export const requestFailure = (outcome: Failed | Refused): TransportFailure =>
  outcome.kind === 'refused'
    ? { kind: 'refused', message: `is not allowed by the network policy: ${outcome.message}` }
    : {
        kind: failureKinds[outcome.reason],
        message: `cannot be reached: ${outcome.message}`,
        // Unsent requests may be repeated safely.
        ...(outcome.unsent && { unprocessed: true }),
      };

/** Failure of a response body that was cut short. */
export const bodyFailure = (error: unknown): TransportFailure =>
  error instanceof StreamFailure
    ? {
        kind: error.failure.kind === 'refused' ? 'refused' : failureKinds[error.failure.reason],
        message: error.failure.message,
      }
    : { kind: 'protocol', message: error instanceof Error ? error.message : 'the response was interrupted' };

/** Failure of an HTTP response without a usable message. */
export function statusFailure(status: number, message: Message | undefined, url: string): TransportFailure {
  // The most frequent mistake in configurations, so that the message names it.
  const isBase = (status === 404 || status === 405) && new URL(url).pathname === '/';
  const problem = `${statusProblem(status, message)}${isBase ? '; its URL has no path, and most servers answer at /mcp' : ''}`;
  if (status === 401 || status === 403) return { kind: 'refused', message: problem };
  return status >= 300 ? { kind: 'status', message: problem, status } : { kind: 'protocol', message: problem };
}

/** Describes a response without a usable message. */
export function statusProblem(status: number, message: Message | undefined): string {
  if (status === 401) return 'the server requires authorization; run toolgate login';
  if (status === 403) return 'the server answered with status 403 (forbidden)';
  if (status >= 300 && status < 400) return 'the server answered with a redirect, which is not followed';
  if (message?.kind === 'invalid' && status < 400)
    return `the server answered with invalid JSON-RPC: ${message.error.message}`;
  return `the server answered with status ${status}`;
}
