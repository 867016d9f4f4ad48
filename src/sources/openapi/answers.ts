import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { text, type Content } from '../../core/content.js';
import type { ErrorCode } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json.js';
import { done, refuse, type Outcome } from '../../core/outcome.js';
import { clean } from '../../hostile-text/clean.js';
import { nestsDeeperThan } from '../../lib/json-limits.js';
import type { Misfit } from '../../lib/schema.js';
import type { EgressResponse, Failed, Refused, ResponseHeaders } from '../../net/egress-types.js';
import { baseType, isJsonType } from './messages.js';
import { isRaw, own, textOf } from './values.js';

/** How answers of one operation are told. */
export interface Telling {
  /** Names the operation in messages. */
  readonly name: string;
  readonly source: string;
  /** Set where an output schema was shown: then structured content is always an object. */
  readonly isObject: boolean;
  readonly judge?: (value: Json) => readonly Misfit[];
}

const codes: Readonly<Record<Failed['reason'], ErrorCode>> = {
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

/** A request that got no answer, as an outcome. */
export function unanswered(result: Refused | Failed): Outcome {
  if (result.kind === 'refused')
    return refuse('policy_denied', `The request was refused: ${result.message}`, { data: { reason: result.reason } });
  return refuse(codes[result.reason], result.message);
}

/** An answer as an outcome: data and text, media, or an error of the service in its own words, cleaned and cut. */
export function told(
  response: EgressResponse,
  telling: Telling,
  pages?: { readonly value: Json; readonly meta: JsonObject },
): Outcome {
  const { status, headers, body } = response;
  if (status >= 300) return refusal(response, telling);
  const type = header(headers, 'content-type') ?? '';
  if (pages !== undefined) return structured(pages.value, JSON.stringify(pages.value), telling, status, pages.meta);
  if (body.length === 0)
    return done([text(summary(response))], telling.isObject ? {} : { status, ...visible(headers) });
  if (isJsonType(type) || (type === '' && isUtf8(body))) {
    const value = jsonOf(body);
    if (value !== undefined) return structured(value, body.toString(), telling, status);
  }
  const content = contentOf(body, type, telling);
  return done([content], telling.isObject ? {} : undefined, {
    'toolgate/http': { status, content_type: type.slice(0, 200) },
  });
}

function structured(
  value: Json,
  spelled: string,
  { isObject, judge }: Telling,
  status: number,
  meta: JsonObject = {},
): Outcome {
  // A client holds structured content against the schema it was shown, so what is no object is wrapped.
  const data = isObject && !isRaw(value) ? { value } : value;
  const misfits = judge?.(value) ?? [];
  const mismatch = misfits.slice(0, 5).map(({ field, message }) => `${field === '' ? 'the answer' : field} ${message}`);
  return done([text(spelled)], data, {
    'toolgate/http': { status },
    ...meta,
    ...(mismatch.length > 0 && { 'toolgate/output_mismatch': mismatch }),
  });
}

function contentOf(body: Buffer, type: string, { name, source }: Telling): Content {
  const base = baseType(type);
  if (/^image\/(?!svg)/.test(base)) return { type: 'image', data: body.toString('base64'), mimeType: base };
  if (base.startsWith('audio/')) return { type: 'audio', data: body.toString('base64'), mimeType: base };
  const isText =
    isUtf8(body) && (base === '' || /^text\/|json|xml|javascript|yaml|csv|x-www-form-urlencoded/.test(base));
  if (isText) return text(body.toString());
  return {
    type: 'resource',
    resource: {
      uri: `toolgate://${encodeURIComponent(source)}/${encodeURIComponent(name)}`,
      mimeType: base === '' ? 'application/octet-stream' : base,
      blob: body.toString('base64'),
    },
  };
}

function refusal(response: EgressResponse, { name }: Telling): Outcome {
  const { status, headers, body } = response;
  const said = isUtf8(body)
    ? clean(body.toString('utf8', 0, 4_096))
        .text.replaceAll(/\s+/g, ' ')
        .trim()
    : '';
  const excerpt = [...said].slice(0, 200).join('');
  const problem = jsonOf(body);
  const type =
    textOf(problem, 'type') ??
    textOf(problem, 'code') ??
    textOf(own(problem, 'error'), 'type') ??
    textOf(own(problem, 'error'), 'code') ??
    textOf(problem, 'error');
  const retryAfterMs = retryAfter(header(headers, 'retry-after'));
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
        hint: 'The service did not accept the credentials of this source; an operator can set them under auth',
      }),
    },
  );
}

const summary = ({ status, headers }: EgressResponse): string =>
  `HTTP ${status}${STATUS_CODES[status] === undefined ? '' : ` ${STATUS_CODES[status]}`}${header(headers, 'location') === undefined ? '' : `, location ${header(headers, 'location')}`}`;

/** Headers worth a caller's while; cookies and their kin stay here. */
function visible(headers: ResponseHeaders): JsonObject {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(content-|etag$|last-modified$|location$|link$|x-total|x-ratelimit|accept-ranges$|allow$)/.test(name),
  );
  return {
    headers: Object.fromEntries(
      kept.map(([name, value]) => [name, typeof value === 'object' ? value.join(', ') : value]),
    ),
  };
}

/** One header as one text. */
export function header(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

/** Whoever prints or walks a deeper value runs out of stack. */
const deepest = 200;

/** The body as JSON, where it is JSON that is not too deep to handle. */
export function jsonOf(body: Buffer): Json | undefined {
  if (nestsDeeperThan(body, deepest)) return undefined;
  try {
    return JSON.parse(body.toString()) as Json; // what JSON.parse makes is JSON
  } catch {
    return undefined;
  }
}
