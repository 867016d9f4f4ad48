import type { ErrorCode } from '../core/errors.js';
import type { Failed } from '../net/egress/egress-types.js';

/** Error code that a caller gets for a request without a response. */
export const failureCodes: Readonly<Record<Failed['reason'], ErrorCode>> = {
  network: 'network_error',
  dns: 'network_error',
  tls: 'network_error',
  protocol: 'network_error',
  timeout: 'timeout',
  cancelled: 'cancelled',
  // The response was cut off by our own limit, which the caller cannot raise.
  too_large: 'output_limit',
  // A body that does not decode is a fault of the upstream, not of the network.
  bad_encoding: 'upstream_error',
  busy: 'busy',
  closed: 'shutting_down',
};
