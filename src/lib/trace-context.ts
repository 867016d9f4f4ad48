/** The fields of a W3C `traceparent`. */
interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const MEMBER =
  /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MAX_MEMBERS = 32;
const MAX_STATE_LENGTH = 512;

/** Parses a `traceparent` header; undefined for anything the standard does not allow, so that no other text is forwarded. */
export function fromTraceparent(header: string): TraceParent | undefined {
  if (header.length > 256) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const toTraceparent = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** Trace context from the two W3C headers; an invalid `tracestate` is dropped, an invalid `traceparent` drops both. */
export function traceContext(
  traceparent: string | undefined,
  tracestate?: string,
): { readonly traceparent: string; readonly tracestate?: string } | undefined {
  const parent = traceparent === undefined ? undefined : fromTraceparent(traceparent);
  if (!parent) return undefined;
  const state = tracestate === undefined ? undefined : parseTracestate(tracestate);
  return { traceparent: toTraceparent(parent), ...(state !== undefined && { tracestate: state }) };
}

function parseTracestate(header: string): string | undefined {
  if (header.length > MAX_STATE_LENGTH) return undefined;
  const members = header
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))));
  if (members.length === 0 || members.length > MAX_MEMBERS || keys.size < members.length) return undefined;
  return members.every((member) => MEMBER.test(member)) ? members.join(',') : undefined;
}
