import type { Call } from '../../core/call.js';
import { deadlinePassed } from '../../core/call.js';
import type { Content } from '../../core/content.js';
import { readable, text } from '../../core/content.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Failed, Outcome } from '../../core/outcome.js';
import { done, failed, refuse } from '../../core/outcome.js';
import { codes } from '../../wire/codes.js';
import type { RpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { metaKeys } from '../../wire/meta.js';
import type { Ended } from './channel.js';
import type { NoLease } from './pool.js';

const maxBlocks = 10_000;
const maxErrorData = 16_384;

/** Which fields a block of a known type must have as text; one without them would trip whoever reads it. */
const needed: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

/** A block as it was given, or its JSON as text where it is not what it says it is. */
function block(value: Json): Content {
  if (isObject(value) && typeof value['type'] === 'string') {
    const { type, resource } = value;
    const fields = Object.hasOwn(needed, type) ? needed[type] : undefined;
    const whole =
      type === 'resource'
        ? isObject(resource) && typeof resource['uri'] === 'string'
        : fields?.every((name) => typeof value[name] === 'string') !== false;
    // Known types have just been looked at; an unknown one is handed on, as the protocol grows.
    if (whole) return value as unknown as Content;
  }
  return text(JSON.stringify(value).slice(0, 10_000));
}

/** Keys that are about the other hop, and those by which the gateway itself tells what it did. */
const isOurs = (key: string): boolean =>
  key === metaKeys.serverInfo ||
  key === metaKeys.subscriptionId ||
  key === metaKeys.relatedTask ||
  key.startsWith('toolgate/');

/** The meta of a result without what belongs to the other hop, or what a server could pretend that we said. */
function metaOfResult(result: JsonObject): JsonObject | undefined {
  const meta = result['_meta'];
  if (!isObject(meta)) return undefined;
  const rest = Object.entries(meta).filter(([key]) => !isOurs(key));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

/** What an object holds beside the fields that are known; most hold nothing. */
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

const knownFields = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);

/** The outcome of a finished `tools/call`; an error that the tool reports stays the tool's own words. */
export function callOutcome(result: JsonObject): Outcome {
  const { content, structuredContent: data, isError } = result;
  if (content !== undefined && !Array.isArray(content))
    return refuse('upstream_error', 'The server answered with something that is no result of a tool');
  const blocks = ((content ?? []) as readonly Json[]).slice(0, maxBlocks).map(block); // an array, as just checked
  const meta = metaOfResult(result);
  const extra = unknownFields(result, knownFields);
  if (isError === true) {
    const said = readable(blocks, data).slice(0, 500);
    return failed(
      { code: 'upstream_error', message: said === '' ? 'The tool reported an error' : said },
      { content: blocks, ...(data !== undefined && { data }), ...(meta && { meta }), ...(extra && { extra }) },
    );
  }
  return extra ? { ...done(blocks, data, meta), extra } : done(blocks, data, meta);
}

/** The outcome of a finished `prompts/get` or `resources/read`: the result is the data. */
export function dataOutcome(result: JsonObject, field: 'messages' | 'contents'): Outcome {
  if (!Array.isArray(result[field])) return refuse('upstream_error', `The server answered without ${field}`);
  const { _meta, resultType: _, ttlMs: __, cacheScope: ___, ...data } = result;
  return done([], data, metaOfResult({ _meta }));
}

/** Why a call ended without a result. */
export function errorOutcome(
  source: string,
  call: Call,
  error: RpcError,
  end: Ended | undefined,
  remote: boolean,
): Failed {
  if (call.signal.aborted) {
    const late = call.signal.reason === deadlinePassed;
    return refuse(late ? 'timeout' : 'cancelled', late ? `${source} did not answer in time` : 'The caller cancelled');
  }
  if (end) return endedOutcome(source, end, remote);
  if (error.code === codes.missingCapability) {
    return refuse('capability_missing', `${source} must ask its caller something that this client cannot be asked`, {
      ...(error.data && { data: error.data }),
    });
  }
  if (error.code === codes.resourceNotFound) return refuse('not_found', 'Resource not found');
  const data = error.data && JSON.stringify(error.data).length <= maxErrorData ? { data: error.data } : {};
  return refuse('upstream_refused', `${source}: ${error.message.slice(0, 2_000)}`, {
    data: { upstream: { code: error.code, ...data } },
  });
}

/** What is said when the server is gone, with the last it had to say. */
export function endedOutcome(source: string, end: Ended | NoLease, remote: boolean): Failed {
  const retryAfterMs = 'retryAfterMs' in end ? end.retryAfterMs : undefined;
  const tail = end.stderr === undefined ? '' : `\nstderr: ${end.stderr}`;
  const code = 'busy' in end && end.busy ? 'busy' : remote ? 'network_error' : 'crashed';
  return refuse(code, `${source}: ${end.message}${tail}`, { ...(retryAfterMs !== undefined && { retryAfterMs }) });
}
