import type { ToolError } from '../../core/errors.js';
import { clean } from '../../hostile-text/clean.js';
import type { EgressResponse, Failed, Refused } from '../../net/egress/egress-types.js';
import { failureCodes } from '../failure-codes.js';
import { isBusyStatus, retryAfterMs } from './retries.js';

/** Error for a service that did not answer in time. */
export const timeoutError: ToolError = {
  code: 'timeout',
  message: 'Request timed out. The service may be temporarily unavailable.',
  hint: 'Try again later, or ask for less at once.',
};

/** Tool error for a request without a response. */
export function requestError(result: Failed | Refused): ToolError {
  if (result.kind === 'refused')
    return {
      code: 'policy_denied',
      message: `The request was refused: ${excerpt(result.message)}`,
      data: { reason: result.reason },
    };
  if (result.reason === 'timeout') return timeoutError;
  return {
    code: failureCodes[result.reason],
    message: excerpt(`The request failed: ${result.message}`),
    data: { reason: result.reason },
  };
}

/** Tool error for a non-2xx response, with an excerpt of its body. */
export function statusError({ status, headers, body }: EgressResponse, redact: (text: string) => string): ToolError {
  const retryAfter = isBusyStatus(status) ? retryAfterMs(headers) : undefined;
  return {
    code: isBusyStatus(status) ? 'upstream_busy' : 'upstream_error',
    // The body is decoded only up to a bound: error pages can be large.
    message: `HTTP error ${status}: ${excerpt(redact(body.subarray(0, 4_096).toString('utf8')))}`,
    data: { status },
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
  };
}

/** First 200 characters of untrusted text, on one line and without invisible characters. */
export function excerpt(text: string): string {
  const line = clean(text).text.replaceAll(/\s+/g, ' ').trim();
  // Cut by characters and not by code units, so that no surrogate pair is split.
  return Array.from(line.slice(0, 400)).slice(0, 200).join('');
}
