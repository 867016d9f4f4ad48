import type { Call } from '../core/call.js';
import type { CallRequest } from '../core/gateway.js';
import { uuid7 } from '../lib/hash.js';

/** What a call is made from: the request of a door, and the subscriber of a subscription. */
export type CallParts = Omit<CallRequest, 'tool'> & Pick<Call, 'subscriber'>;

const correlationPattern = /^[A-Za-z0-9._:-]{1,64}$/;

/** Builds the call that the guards and the source get. */
export function toCall(
  request: CallParts,
  tool: string,
  receivedAt: number,
  canSee: NonNullable<Call['canSee']>,
): Call {
  const id = uuid7();
  const { principal, profile, peer, via, args, signal, trace, timeoutMs, confirmation, ticket, session, back, meta } =
    request;
  const { subscriber } = request;
  return {
    id,
    tool,
    principal,
    profile,
    peer,
    via,
    args,
    receivedAt,
    signal,
    canSee,
    correlationId: safeCorrelationId(request.correlationId) ?? safeCorrelationId(args['correlation_id']) ?? id,
    trace,
    timeoutMs,
    confirmation,
    ticket,
    session,
    back,
    subscriber,
    meta,
  };
}

/** Correlation id chosen by the caller; dropped if its characters could forge a log line (log injection). */
const safeCorrelationId = (given: unknown): string | undefined =>
  typeof given === 'string' && correlationPattern.test(given) ? given : undefined;
