import type { Call } from '../../../core/call.js';
import { deadlinePassed } from '../../../core/call.js';
import type { Content } from '../../../core/content.js';
import { toReadableText, textContent } from '../../../core/content.js';
import type { ErrorCode } from '../../../core/errors.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Failed, Outcome } from '../../../core/outcome.js';
import { done, failed, refuse } from '../../../core/outcome.js';
import { rpcCodes } from '../../../wire/codes.js';
import type { RpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import type { Reply, TransportFailure } from '../../../wire/reply.js';
import type { ChannelEnd } from '../channels/channel.js';
import type { NoLease } from '../sessions/restart-backoff.js';
import type { LeaseResult } from '../sessions/session-pool.js';
import { forwardedMeta, withForwardedMeta } from './forwarded-meta.js';

/** Blocks of one result that are passed on. */
const maxBlocks = 10_000;
/** Bytes of error data that are passed on. */
const maxErrorData = 16_384;

/** String fields that content blocks of a known type must have; clients fail on blocks without them. */
const requiredTextFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

/** Returns a valid content block without forged metadata, and a malformed one as JSON text. */
function toContent(value: Json): Content {
  if (isJsonObject(value) && typeof value['type'] === 'string') {
    const { type, resource } = value;
    const fields = Object.hasOwn(requiredTextFields, type) ? requiredTextFields[type] : undefined;
    const isValid =
      type === 'resource'
        ? isJsonObject(resource) && typeof resource['uri'] === 'string'
        : // Types without required fields are unknown ones.
          fields?.every((name) => typeof value[name] === 'string') !== false;
    // Known types are checked above; unknown types pass for forward compatibility.
    if (isValid) return withForwardedMeta(value) as unknown as Content;
  }
  return textContent(JSON.stringify(value).slice(0, 10_000));
}

/** Unknown fields of an object; undefined if there are none (the usual case). */
function unknownFields(value: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: Record<string, Json> | undefined;
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (known.has(key) || field === undefined) continue;
    rest ??= Object.create(null) as Record<string, Json>; // no prototype: `__proto__` is a key like any other
    rest[key] = field;
  }
  return rest;
}

/** Fields of a tool result that are converted. */
const knownFields = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);

/** Outcome of a finished `tools/call`; an error text of the tool is kept unchanged. */
export function callOutcome(result: JsonObject): Outcome {
  const { content, structuredContent: data, isError } = result;
  if (content !== undefined && !Array.isArray(content))
    return refuse('upstream_error', 'The server answered with an invalid tool result');
  const blocks = ((content ?? []) as readonly Json[]).slice(0, maxBlocks).map(toContent); // an array, as just checked
  const meta = forwardedMeta(result['_meta']);
  const extra = unknownFields(result, knownFields);
  if (isError === true) {
    // The message for logs; the model gets all of the content.
    const errorText = toReadableText(blocks, data).slice(0, 500);
    return failed(
      { code: 'upstream_error', message: errorText === '' ? 'The tool reported an error' : errorText },
      { content: blocks, ...(data !== undefined && { data }), ...(meta && { meta }), ...(extra && { extra }) },
    );
  }
  return extra ? { ...done(blocks, data, meta), extra } : done(blocks, data, meta);
}

/** Outcome of a finished `prompts/get` or `resources/read`: the result is the data. */
export function dataOutcome(result: JsonObject, field: 'messages' | 'contents'): Outcome {
  if (!Array.isArray(result[field])) return refuse('upstream_error', `The server answered without ${field}`);
  // Cache fields describe the connection to the upstream, not ours.
  const { _meta, resultType: _, ttlMs: __, cacheScope: ___, ...data } = result;
  return done([], withForwardedMeta(data), forwardedMeta(_meta));
}

/** Outcome of a call that ended without a result. */
export function errorOutcome(
  source: string,
  call: Call,
  reply: { readonly error: RpcError } | { readonly failure: TransportFailure },
  end: ChannelEnd | undefined,
  remote: boolean,
): Failed {
  // An aborted call has an answer already; the reply no longer matters.
  if (call.signal.aborted) {
    const isTimeout = call.signal.reason === deadlinePassed;
    return refuse(
      isTimeout ? 'timeout' : 'cancelled',
      isTimeout ? `${source} did not answer in time` : 'The caller cancelled',
    );
  }
  if ('failure' in reply)
    return end ? channelEndOutcome(source, end, remote) : failureOutcome(source, reply.failure, remote);
  const { error } = reply;
  if (error.code === rpcCodes.missingCapability) {
    return refuse(
      'capability_missing',
      `${source} needs input from the client, and this client does not support that`,
      {
        ...(error.data && { data: error.data }),
      },
    );
  }
  if (error.code === rpcCodes.resourceNotFound) return refuse('not_found', 'Resource not found');
  // Large error data could be used to smuggle content past the output limits.
  const data = error.data && JSON.stringify(error.data).length <= maxErrorData ? { data: error.data } : {};
  return refuse('upstream_refused', `${source}: ${error.message.slice(0, 2_000)}`, {
    data: { upstream: { code: error.code, ...data } },
  });
}

/** What to do about a failure, by kind. */
const hints: Partial<Readonly<Record<TransportFailure['kind'], string>>> = {
  connection: 'The server is down or cannot be reached. Try again later',
  status: 'The server is failing. Try again later',
  protocol: 'The server does not answer in its protocol; an operator should check its address and log',
  refused: 'An operator must allow the server or log in to it; do not repeat the call',
};

/** Outcome of a call that the server did not answer. */
function failureOutcome(source: string, failure: TransportFailure, remote: boolean): Failed {
  const hint = hints[failure.kind];
  return refuse(failureCode(failure, remote), `${source}: ${failure.message.slice(0, 2_000)}`, {
    ...(hint !== undefined && { hint }),
  });
}

/** Error code of a failure; the breaker counts some of them and not others. */
function failureCode({ kind, status = 500 }: TransportFailure, remote: boolean): ErrorCode {
  switch (kind) {
    case 'connection':
      return remote ? 'network_error' : 'crashed';
    case 'status':
      return isRejection(status) ? 'upstream_error' : 'network_error';
    case 'protocol':
    case 'session':
      return 'network_error';
    case 'oversized':
      return 'output_limit';
    case 'refused':
      return 'permission_denied';
    case 'busy':
    case 'timeout':
    case 'cancelled':
      return kind;
  }
}

/** Whether an HTTP status rejects this one request, so that it shows nothing about the health of the server. */
const isRejection = (status: number): boolean =>
  status >= 400 && status < 500 && ![404, 408, 425, 429].includes(status);

/** What a reply shows about the session, for the pool. */
export function leaseResult(reply: Reply, call: Call): LeaseResult {
  if (!('failure' in reply)) return 'answered';
  const { kind, status = 500 } = reply.failure;
  // A deadline is a sign of a stuck server, a cancellation is not.
  if (kind === 'timeout' || (kind === 'cancelled' && call.signal.reason === deadlinePassed)) return 'timeout';
  // The server is fine: it answered, only not with what was wanted.
  if (kind === 'oversized' || (kind === 'status' && isRejection(status))) return 'answered';
  return kind === 'connection' || kind === 'protocol' || kind === 'status' ? 'failed' : 'neutral';
}

/** Outcome after the server ended, with the tail of its stderr. */
export function channelEndOutcome(source: string, end: ChannelEnd | NoLease, remote: boolean): Failed {
  const retryAfterMs = 'retryAfterMs' in end ? end.retryAfterMs : undefined;
  const tail = end.stderr === undefined ? '' : `\nstderr: ${end.stderr}`;
  // A missing login or approval is no failure of the server and must not open its breaker.
  const code =
    'busy' in end && end.busy ? 'busy' : end.needsAction ? 'permission_denied' : remote ? 'network_error' : 'crashed';
  const hint = code === 'network_error' ? hints.connection : end.needsAction ? hints.refused : undefined;
  return refuse(code, `${source}: ${end.message}${tail}`, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(hint !== undefined && { hint }),
  });
}
