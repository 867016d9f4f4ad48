import type { Args } from '../../../core/call.js';
import { schemaContract } from '../../../core/contract.js';
import type { JsonObject } from '../../../core/json.js';
import type { Contract } from '../../../core/tool.js';
import type { Egress, UrlVerdict } from '../../../net/egress/egress-types.js';
import { reject } from '../input/rejections.js';

/** TRACE and CONNECT are missing: one reflects credentials, the other opens a tunnel past the policy. */
const allowedMethods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];
/** Types of bodies that can be sent; multipart and binary uploads are not among them. */
const contentTypes = ['application/json', 'application/xml', 'text/plain', 'text/html'];
/** Methods whose body has no meaning (RFC 9110). */
const bodylessMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Bound of a request body. */
const maxBodyCharacters = 262_144;

const httpFetchSchema: JsonObject = {
  type: 'object',
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description: 'An http or https URL within the network policy',
    },
    method: { type: 'string', enum: allowedMethods, default: 'GET' },
    headers: {
      type: 'object',
      maxProperties: 32,
      additionalProperties: { type: 'string', maxLength: 4096 },
      description: 'Request headers by name',
    },
    content_type: { type: 'string', maxLength: 100, description: `Type of the body: ${contentTypes.join(', ')}` },
    body: { type: 'string', maxLength: maxBodyCharacters, description: 'Request body, for POST, PUT and DELETE' },
    max_redirects: {
      type: 'integer',
      minimum: 0,
      maximum: 3,
      default: 0,
      description: 'Redirects to follow, each vetted like the first URL',
    },
    timeout_sec: { type: 'number', minimum: 0.1, maximum: 300 },
    correlation_id: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,64}$' },
    dry_run: { type: 'boolean', default: false, description: 'Checks the request without sending it' },
  },
  required: ['url'],
  additionalProperties: false,
};

/** Input contract of `http_fetch`; the URL is vetted before the call runs and again when dialled, which defeats DNS rebinding (SSRF). */
export function httpFetchInput({ check, vet }: Pick<Egress, 'check' | 'vet'>): Contract<Args> {
  const form = schemaContract(httpFetchSchema);
  return {
    schema: httpFetchSchema,
    parse(value) {
      const parsed = form.parse(withUrl(value));
      if (!parsed.ok) return parsed;
      const args = parsed.value;
      const { url, method = 'GET', content_type: contentType, body, timeout_sec: seconds } = args;
      const headers = Object.keys((args['headers'] ?? {}) as JsonObject).map((name) => name.toLowerCase()); // an object, by the schema
      // Two places for one header could disagree; a server may then use the one that was not checked.
      if (headers.includes('content-type'))
        return reject({
          stage: 'semantics',
          field: 'headers',
          message: 'must not contain content-type; use the argument content_type',
          example: contentTypes[0] ?? '',
        });
      if (
        typeof contentType === 'string' &&
        !contentTypes.includes(contentType.split(';')[0]?.trim().toLowerCase() ?? '')
      ) {
        return reject({
          stage: 'semantics',
          field: 'content_type',
          message: `must be one of ${contentTypes.join(', ')}`,
          value: contentType,
          example: 'application/json',
        });
      }
      if (body !== undefined && bodylessMethods.has(String(method)))
        return reject({
          stage: 'semantics',
          field: 'body',
          message: `cannot be sent with ${String(method)}`,
          example: 'POST',
        });
      // Without a lookup: resolving a name before authorization would be DNS exfiltration.
      const verdict = check(String(url));
      if (!verdict.ok) return rejectUrl(url, verdict);
      return {
        ok: true,
        value: { ...args, method },
        ...(typeof seconds === 'number' && { timeoutMs: Math.ceil(seconds * 1000) }),
      };
    },
    async vet(args) {
      const verdict = await vet(String(args['url']));
      if (!verdict.ok) return rejectUrl(args['url'], verdict);
      // The vetted addresses are shown in the audit and in a dry run.
      return { ok: true, value: { ...args, addresses: verdict.addresses } };
    },
  };
}

/** Other tools call it `target`; a call by that name means the same. */
function withUrl(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('target' in value) || 'url' in value) return value;
  const { target, ...rest } = value;
  return { ...rest, url: target };
}

/** Rejection of a URL by the network policy, with its reason for the caller. */
const rejectUrl = (url: unknown, { message, reason }: Extract<UrlVerdict, { ok: false }>) =>
  reject({
    stage: 'permission',
    field: 'url',
    message,
    value: url,
    example: 'http://192.168.1.10/',
    data: { reason },
  });
