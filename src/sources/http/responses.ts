import type { Content } from '../../core/content.js';
import { textContent } from '../../core/content.js';
import type { ToolError } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json.js';
import { done, failed, type Outcome } from '../../core/outcome.js';
import { quoteInexactNumbers } from '../../lib/json/exact-numbers.js';
import { nestsDeeperThan } from '../../lib/json/json-limits.js';
import type { EgressResponse } from '../../net/egress/egress-types.js';
import { decodeText } from './decode-text.js';
import { excerpt } from './failures.js';
import { resolvePointer } from './requests/json-pointer.js';

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
  /** Functions must answer with JSON, an image or sound; endpoints may answer with any type. */
  readonly strict: boolean;
  readonly select?: string;
  readonly redact: (text: string) => string;
}

/** Depth beyond which recursive code could overflow the stack. */
const maxResponseDepth = 200;

/** Converts a successful response: text for the model, and `{success, output, error}` as structured data. */
export function responseOutcome(response: EgressResponse, options: ResponseOptions): Outcome {
  const { body, headers } = response;
  const contentType = String(headers['content-type'] ?? '').toLowerCase();
  const type = contentType.split(';', 1)[0]?.trim() ?? '';
  // SVG is text that can contain scripts, so it is not passed on as an image.
  if (/^(image|audio)\/[a-z0-9.+-]{1,64}$/.test(type) && type !== 'image/svg+xml')
    // latin1 maps bytes to characters one to one, so that redaction works on binary data, too.
    return mediaOutcome(type, Buffer.from(options.redact(body.toString('latin1')), 'latin1'));
  const raw = decodeText(body, contentType);
  if (raw === undefined)
    return failureOutcome({
      code: 'upstream_error',
      message: `The service answered with ${body.length} bytes that are not text in the declared charset`,
      data: { content_type: excerpt(contentType) },
    });
  const redacted = options.redact(raw);
  // Parsed from the text as sent; redacted values are put in afterwards, string by string.
  const read = parseBody(raw, body);
  if (read.kind === 'deep')
    return failureOutcome({
      code: 'upstream_error',
      message: `The response nests deeper than ${maxResponseDepth} levels`,
    });
  if (read.kind === 'text') {
    // A service that declares JSON and sends something else is broken, and a model should know.
    if (options.strict || options.select !== undefined || isJson(type))
      return failureOutcome({ code: 'upstream_error', message: `The response is not JSON: ${excerpt(redacted)}` });
    return successOutcome(redacted, redacted);
  }
  // The common case without secrets avoids a copy of the whole response.
  const value = redacted === raw ? read.value : redactDeep(read.value, options.redact);
  const output = options.select === undefined ? value : resolvePointer(value, options.select);
  if (output === undefined)
    return failureOutcome({ code: 'upstream_error', message: `The response has no value at ${options.select ?? ''}` });
  // The text of the service itself, where it can be kept: writing it anew would change numbers.
  const isWhole = options.select === undefined && typeof output !== 'string' && redacted === raw && raw.trim() !== '';
  return successOutcome(output, isWhole ? raw.trim() : typeof output === 'string' ? output : JSON.stringify(output));
}

/** Failure with the same structured data shape as a success. */
export const failureOutcome = (error: ToolError): Outcome =>
  failed(error, { data: { success: false, output: null, error: error.message } });

/** A successful result, with the text for the model and the data for programs. */
const successOutcome = (
  output: Json,
  redacted: string,
  content: readonly Content[] = [textContent(redacted)],
): Outcome => done(content, { success: true, output, error: null });

/** A result that is an image or sound. */
const mediaOutcome = (mimeType: string, body: Buffer): Outcome =>
  successOutcome({ content_type: mimeType, bytes: body.length }, '', [
    { type: mimeType.startsWith('image/') ? 'image' : 'audio', data: body.toString('base64'), mimeType },
  ]);

/** Whether a media type is JSON, including `application/problem+json` and the like. */
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

/** Parses a body; an empty one counts as null, because 204 has none. */
function parseBody(
  text: string,
  body: Buffer,
): { readonly kind: 'json'; readonly value: Json } | { readonly kind: 'text' } | { readonly kind: 'deep' } {
  if (text.trim() === '') return { kind: 'json', value: null };
  // Deep nesting would overflow the stack of recursive code (denial of service).
  if (nestsDeeperThan(body, maxResponseDepth)) return { kind: 'deep' };
  try {
    // Integers beyond 2^53 would silently change, so they become strings.
    return { kind: 'json', value: JSON.parse(quoteInexactNumbers(text)) as Json }; // JSON.parse returns JSON
  } catch {
    return { kind: 'text' };
  }
}
