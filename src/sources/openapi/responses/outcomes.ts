import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { textContent, type Content } from '../../../core/content.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { done, refuse, type Outcome } from '../../../core/outcome.js';
import { clean } from '../../../hostile-text/clean.js';
import { nestsDeeperThan } from '../../../lib/json/json-limits.js';
import type { SchemaViolation } from '../../../lib/json/schema.js';
import type { EgressResponse, Failed, Refused, ResponseHeaders } from '../../../net/egress/egress-types.js';
import { failureCodes } from '../../failure-codes.js';
import { decodeText } from '../../http/decode-text.js';
import { isBusyStatus, retryAfterMs } from '../../http/retries.js';
import { baseType, isJsonType } from '../document/messages.js';
import { isRawObject, ownField, textField } from '../document/fields.js';

/** What is needed to convert a response of one operation. */
interface ResponseContext {
  /** Names the operation in messages. */
  readonly name: string;
  readonly source: string;
  /** Whether an output schema was declared; then structured content must be an object. */
  readonly hasObjectSchema: boolean;
  readonly validate?: (value: Json) => readonly SchemaViolation[];
}

/** Outcome of a request that was refused by the egress guard or got no response. */
export function toFailureOutcome(result: Refused | Failed): Outcome {
  if (result.kind === 'refused')
    return refuse('policy_denied', `The request was refused: ${result.message}`, { data: { reason: result.reason } });
  return refuse(failureCodes[result.reason], result.message);
}

/** Converts a response into an outcome: structured data, media content, or an error with a sanitised excerpt. */
export function toResponseOutcome(
  response: EgressResponse,
  context: ResponseContext,
  pages?: { readonly value: Json; readonly meta: JsonObject },
): Outcome {
  const { status, headers, body } = response;
  // Redirects of unsafe methods are not followed, so that they count as errors.
  if (status >= 300) return toErrorOutcome(response, context);
  const type = headerText(headers, 'content-type') ?? '';
  if (pages !== undefined)
    return structuredOutcome(pages.value, JSON.stringify(pages.value), context, status, pages.meta);
  if (body.length === 0)
    return done(
      [textContent(statusSummary(response))],
      context.hasObjectSchema ? {} : { status, ...visibleHeaders(headers) },
    );
  if (isJsonType(type) || (type === '' && isUtf8(body))) {
    const value = parseJsonBody(body);
    if (value !== undefined) return structuredOutcome(value, body.toString(), context, status);
  }
  const content = toContent(body, type, context);
  return done([content], context.hasObjectSchema ? {} : undefined, {
    'toolgate/http': { status, content_type: type.slice(0, 200) },
  });
}

/** A JSON response: text for the model, data for programs, and deviations from the schema as metadata. */
function structuredOutcome(
  value: Json,
  body: string,
  { hasObjectSchema, validate }: ResponseContext,
  status: number,
  meta: JsonObject = {},
): Outcome {
  // Clients validate structured content against the output schema, so a value that is not an object is wrapped.
  const data = hasObjectSchema && !isRawObject(value) ? { value } : value;
  // A service that deviates from its document is reported, not refused: the data may still be useful.
  const violations = validate?.(value) ?? [];
  const mismatches = violations
    .slice(0, 5)
    .map(({ field, message }) => `${field === '' ? 'the response' : field} ${message}`);
  return done([textContent(body)], data, {
    'toolgate/http': { status },
    ...meta,
    ...(mismatches.length > 0 && { 'toolgate/output_mismatch': mismatches }),
  });
}

/** A response that is not JSON as content. */
function toContent(body: Buffer, type: string, { name, source }: ResponseContext): Content {
  const base = baseType(type);
  // SVG can contain scripts, so it is passed on as text.
  if (/^image\/(?!svg)/.test(base)) return { type: 'image', data: body.toString('base64'), mimeType: base };
  if (base.startsWith('audio/')) return { type: 'audio', data: body.toString('base64'), mimeType: base };
  const isTextType = base === '' || /^text\/|json|xml|javascript|yaml|csv|x-www-form-urlencoded/.test(base);
  const text = isTextType ? decodeText(body, type) : undefined;
  if (text !== undefined) return textContent(text);
  return {
    type: 'resource',
    resource: {
      uri: `toolgate://${encodeURIComponent(source)}/${encodeURIComponent(name)}`,
      mimeType: base === '' ? 'application/octet-stream' : base,
      blob: body.toString('base64'),
    },
  };
}

/** An error with a cleaned excerpt of the body. */
function toErrorOutcome(response: EgressResponse, { name }: ResponseContext): Outcome {
  const { status, headers, body } = response;
  const bodyText = isUtf8(body)
    ? clean(body.toString('utf8', 0, 4_096))
        .text.replaceAll(/\s+/g, ' ')
        .trim()
    : '';
  const excerpt = [...bodyText].slice(0, 200).join('');
  const problem = parseJsonBody(body);
  const type =
    // Problem details (RFC 9457) and the usual fields of other error formats.
    textField(problem, 'type') ??
    textField(problem, 'code') ??
    textField(ownField(problem, 'error'), 'type') ??
    textField(ownField(problem, 'error'), 'code') ??
    textField(problem, 'error');
  const waitMs = isBusyStatus(status) ? retryAfterMs(headers) : undefined;
  return refuse(
    isBusyStatus(status) ? 'upstream_busy' : 'upstream_error',
    `${name}: HTTP ${status}${STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`}${excerpt === '' ? '' : `: ${excerpt}`}`,
    {
      data: {
        status,
        ...(type !== undefined && { type: clean(type).text.slice(0, 100) }),
        ...(excerpt !== '' && { excerpt }),
      },
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
      ...((status === 401 || status === 403) && {
        hint: 'The service rejected the credentials of this source; an operator can set them under auth',
      }),
    },
  );
}

/** Status and location, for responses without a body. */
const statusSummary = ({ status, headers }: EgressResponse): string =>
  `HTTP ${status}${STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`}${headerText(headers, 'location') === undefined ? '' : `, location ${headerText(headers, 'location')}`}`;

/** Response headers that are shown to the caller; cookies and other credentials are not among them. */
function visibleHeaders(headers: ResponseHeaders): JsonObject {
  const visibleEntries = Object.entries(headers).filter(([name]) =>
    /^(content-|etag$|last-modified$|location$|link$|x-total|x-ratelimit|accept-ranges$|allow$)/.test(name),
  );
  return {
    headers: Object.fromEntries(
      visibleEntries.map(([name, value]) => [name, typeof value === 'object' ? value.join(', ') : value]),
    ),
  };
}

/** A header as one string; repeated values are joined with commas. */
export function headerText(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

/** Deeper JSON would overflow the stack of recursive code. */
const maxJsonDepth = 200;

/** Parses a body as JSON; undefined if it is not JSON or nested too deeply. */
export function parseJsonBody(body: Buffer): Json | undefined {
  if (nestsDeeperThan(body, maxJsonDepth)) return undefined;
  try {
    return JSON.parse(body.toString()) as Json; // JSON.parse returns JSON
  } catch {
    return undefined;
  }
}
