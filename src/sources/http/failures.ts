import type { ErrorCode, ToolError } from '../../core/errors.js';
import { clean } from '../../hostile-text/clean.js';
import type { EgressResponse, Failed, Refused } from '../../net/egress-types.js';
import { retryAfterMs } from './retries.js';

/** What callers are told when the service took too long. */
export const timedOut: ToolError = {
  code: 'timeout',
  message: 'Request timed out. The service may be temporarily unavailable.',
  hint: 'Try again later, or ask for less at once.',
};

const codes: Readonly<Record<Exclude<Failed['reason'], 'timeout'>, ErrorCode>> = {
  network: 'network_error',
  dns: 'network_error',
  tls: 'network_error',
  protocol: 'network_error',
  cancelled: 'cancelled',
  too_large: 'output_limit',
  bad_encoding: 'upstream_error',
  busy: 'busy',
  closed: 'shutting_down',
};

/** A request that did not come to an answer, as an error of the tool. */
export function notAnswered(result: Failed | Refused): ToolError {
  if (result.kind === 'refused')
    return {
      code: 'policy_denied',
      message: `The request was refused: ${excerpt(result.message)}`,
      data: { reason: result.reason },
    };
  if (result.reason === 'timeout') return timedOut;
  return {
    code: codes[result.reason],
    message: excerpt(`The service could not be used: ${result.message}`),
    data: { reason: result.reason },
  };
}

/** An answer that is not a success, with the beginning of what the service said. */
export function badStatus({ status, headers, body }: EgressResponse, hide: (text: string) => string): ToolError {
  const wait = status === 429 || status === 503 ? retryAfterMs(headers) : undefined;
  return {
    code: 'upstream_error',
    message: `HTTP error ${status}: ${excerpt(hide(body.subarray(0, 4_096).toString('utf8')))}`,
    data: { status },
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** The first 200 characters of a foreign text, on one line and without anything unseen. */
export function excerpt(text: string): string {
  const line = clean(text).text.replaceAll(/\s+/g, ' ').trim();
  return Array.from(line.slice(0, 400)).slice(0, 200).join('');
}
