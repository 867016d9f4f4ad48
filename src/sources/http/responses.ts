import { isUtf8 } from 'node:buffer';
import type { Content } from '../../core/content.js';
import { textContent } from '../../core/content.js';
import type { ToolError } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json.js';
import { done, failed, type Outcome } from '../../core/outcome.js';
import { nestsDeeperThan } from '../../lib/json-limits.js';
import type { EgressResponse } from '../../net/egress-types.js';
import { excerpt } from './failures.js';
import { resolvePointer } from './json-pointer.js';

/** Schema of the data of every result. */
export const resultSchema: JsonObject = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    output: { description: 'Response of the service' },
    error: { type: ['string', 'null'] },
  },
  required: ['success', 'output', 'error'],
};

/** How a response is converted. */
interface ResponseOptions {
  /** Functions must answer with JSON; endpoints may answer with any type. */
  readonly strict: boolean;
  readonly select?: string;
  readonly redact: (text: string) => string;
}

const maxResponseDepth = 200;

/** Converts a successful response: text for the model, and `{success, output, error}` as structured data. */
export function responseOutcome(response: EgressResponse, options: ResponseOptions): Outcome {
  const { body, headers } = response;
  const type =
    String(headers['content-type'] ?? '')
      .toLowerCase()
      .split(';', 1)[0]
      ?.trim() ?? '';
  if (!options.strict && /^(image|audio)\/[a-z0-9.+-]{1,64}$/.test(type) && type !== 'image/svg+xml')
    return mediaOutcome(type, Buffer.from(options.redact(body.toString('latin1')), 'latin1'));
  if (!isUtf8(body))
    return failureOutcome({
      code: 'upstream_error',
      message: `The service answered with ${body.length} bytes that are not UTF-8 text`,
      data: { content_type: excerpt(type) },
    });
  const raw = body.toString('utf8');
  const redacted = options.redact(raw);
  const read = parseBody(raw, body);
  if (read.kind === 'deep')
    return failureOutcome({
      code: 'upstream_error',
      message: `The response nests deeper than ${maxResponseDepth} levels`,
    });
  if (read.kind === 'text') {
    if (options.strict || options.select !== undefined || isJson(type))
      return failureOutcome({ code: 'upstream_error', message: `The response is not JSON: ${excerpt(redacted)}` });
    return successOutcome(redacted, redacted);
  }
  const value = redacted === raw ? read.value : redactDeep(read.value, options.redact);
  const output = options.select === undefined ? value : resolvePointer(value, options.select);
  if (output === undefined)
    return failureOutcome({ code: 'upstream_error', message: `The response has no value at ${options.select ?? ''}` });
  return successOutcome(output, typeof output === 'string' ? output : JSON.stringify(output));
}

/** Failure with the same structured data shape as a success. */
export const failureOutcome = (error: ToolError): Outcome =>
  failed(error, { data: { success: false, output: null, error: error.message } });

const successOutcome = (
  output: Json,
  redacted: string,
  content: readonly Content[] = [textContent(redacted)],
): Outcome => done(content, { success: true, output, error: null });

const mediaOutcome = (mimeType: string, body: Buffer): Outcome =>
  successOutcome({ content_type: mimeType, bytes: body.length }, '', [
    { type: mimeType.startsWith('image/') ? 'image' : 'audio', data: body.toString('base64'), mimeType },
  ]);

const isJson = (type: string): boolean => /[/+]json$/.test(type);

/** Redacts string by string: replacing a numeric secret in the JSON text would make it invalid. */
function redactDeep(value: Json, redact: ResponseOptions['redact']): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => redactDeep(item, redact));
  const entries = Object.entries(value).map(
    ([key, item]) => [redact(key), item === undefined ? item : redactDeep(item, redact)] as const,
  );
  return Object.fromEntries(entries);
}

function parseBody(
  text: string,
  body: Buffer,
): { readonly kind: 'json'; readonly value: Json } | { readonly kind: 'text' } | { readonly kind: 'deep' } {
  if (text.trim() === '') return { kind: 'json', value: null };
  // Deep nesting would overflow the stack of recursive code (denial of service).
  if (nestsDeeperThan(body, maxResponseDepth)) return { kind: 'deep' };
  try {
    return { kind: 'json', value: JSON.parse(text) as Json }; // JSON.parse returns JSON
  } catch {
    return { kind: 'text' };
  }
}
