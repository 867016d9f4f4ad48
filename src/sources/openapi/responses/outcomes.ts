import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { textContent, type Content } from '../../../core/content.js';
import type { ErrorCode } from '../../../core/errors.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { done, refuse, type Outcome } from '../../../core/outcome.js';
import { clean } from '../../../hostile-text/clean.js';
import { nestsDeeperThan } from '../../../lib/json-limits.js';
import type { SchemaViolation } from '../../../lib/schema.js';
import type { EgressResponse, Failed, Refused, ResponseHeaders } from '../../../net/egress-types.js';
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

const errorCodeByReason: Readonly<Record<Failed['reason'], ErrorCode>> = {
  network: 'network_error',
  dns: 'network_error',
  tls: 'network_error',
  protocol: 'network_error',
  timeout: 'timeout',
  cancelled: 'cancelled',
  too_large: 'output_limit',
  bad_encoding: 'upstream_error',
  busy: 'busy',
  closed: 'shutting_down',
};

/** Outcome of a request that was refused by the egress guard or got no response. */
export function toFailureOutcome(result: Refused | Failed): Outcome {
  if (result.kind === 'refused')
    return refuse('policy_denied', `The request was refused: ${result.message}`, { data: { reason: result.reason } });
  return refuse(errorCodeByReason[result.reason], result.message);
}

/** Converts a response into an outcome: structured data, media content, or an error with a sanitised excerpt. */
export function toResponseOutcome(
  response: EgressResponse,
  context: ResponseContext,
  pages?: { readonly value: Json; readonly meta: JsonObject },
): Outcome {
  const { status, headers, body } = response;
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

function structuredOutcome(
  value: Json,
  body: string,
  { hasObjectSchema, validate }: ResponseContext,
  status: number,
  meta: JsonObject = {},
): Outcome {
  // Clients validate structured content against the output schema, so a value that is not an object is wrapped.
  const data = hasObjectSchema && !isRawObject(value) ? { value } : value;
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

function toContent(body: Buffer, type: string, { name, source }: ResponseContext): Content {
  const base = baseType(type);
  if (/^image\/(?!svg)/.test(base)) return { type: 'image', data: body.toString('base64'), mimeType: base };
  if (base.startsWith('audio/')) return { type: 'audio', data: body.toString('base64'), mimeType: base };
  const isText =
    isUtf8(body) && (base === '' || /^text\/|json|xml|javascript|yaml|csv|x-www-form-urlencoded/.test(base));
  if (isText) return textContent(body.toString());
  return {
    type: 'resource',
    resource: {
      uri: `toolgate://${encodeURIComponent(source)}/${encodeURIComponent(name)}`,
      mimeType: base === '' ? 'application/octet-stream' : base,
      blob: body.toString('base64'),
    },
  };
}

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
    textField(problem, 'type') ??
    textField(problem, 'code') ??
    textField(ownField(problem, 'error'), 'type') ??
    textField(ownField(problem, 'error'), 'code') ??
    textField(problem, 'error');
  const retryAfterMs = parseRetryAfter(headerText(headers, 'retry-after'));
  return refuse(
    'upstream_error',
    `${name}: HTTP ${status}${STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`}${excerpt === '' ? '' : `: ${excerpt}`}`,
    {
      data: {
        status,
        ...(type !== undefined && { type: clean(type).text.slice(0, 100) }),
        ...(excerpt !== '' && { excerpt }),
      },
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...((status === 401 || status === 403) && {
        hint: 'The service rejected the credentials of this source; an operator can set them under auth',
      }),
    },
  );
}

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

function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
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
