import { isUtf8 } from 'node:buffer';
import type { Content } from '../../core/content.js';
import { text } from '../../core/content.js';
import type { ToolError } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json.js';
import { done, failed, type Outcome } from '../../core/outcome.js';
import { nestsDeeperThan } from '../../lib/json-limits.js';
import type { EgressResponse } from '../../net/egress-types.js';
import { excerpt } from './failures.js';
import { atPointer } from './json-pointer.js';

/** What the data of every result looks like. */
export const outputSchema: JsonObject = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    output: { description: 'What the service answered' },
    error: { type: ['string', 'null'] },
  },
  required: ['success', 'output', 'error'],
};

/** How an answer is read. */
export interface Reading {
  /** A function answers in JSON; an endpoint may answer in anything. */
  readonly strict: boolean;
  readonly select?: string;
  readonly hide: (text: string) => string;
}

const deepest = 200;

/** A successful answer as an outcome: the output as text for the model and as `{success, output, error}` for programs. */
export function succeeded(response: EgressResponse, reading: Reading): Outcome {
  const { body, headers } = response;
  const type =
    String(headers['content-type'] ?? '')
      .toLowerCase()
      .split(';', 1)[0]
      ?.trim() ?? '';
  if (!reading.strict && /^(image|audio)\/[a-z0-9.+-]{1,64}$/.test(type) && type !== 'image/svg+xml')
    return media(type, Buffer.from(reading.hide(body.toString('latin1')), 'latin1'));
  if (!isUtf8(body))
    return unsuccessful({
      code: 'upstream_error',
      message: `The service answered with ${body.length} bytes that are not text`,
      data: { content_type: excerpt(type) },
    });
  const raw = body.toString('utf8');
  const said = reading.hide(raw);
  const read = jsonOf(raw, body);
  if (read.kind === 'deep')
    return unsuccessful({ code: 'upstream_error', message: `The answer nests deeper than ${deepest} levels` });
  if (read.kind === 'text') {
    if (reading.strict || reading.select !== undefined || isJson(type))
      return unsuccessful({ code: 'upstream_error', message: `The answer is not JSON: ${excerpt(said)}` });
    return outcomeOf(said, said);
  }
  const value = said === raw ? read.value : withoutSecrets(read.value, reading.hide);
  const output = reading.select === undefined ? value : atPointer(value, reading.select);
  if (output === undefined)
    return unsuccessful({ code: 'upstream_error', message: `The answer holds nothing at ${reading.select ?? ''}` });
  return outcomeOf(output, typeof output === 'string' ? output : JSON.stringify(output));
}

/** A failure with the data that a program expects beside it. */
export const unsuccessful = (error: ToolError): Outcome =>
  failed(error, { data: { success: false, output: null, error: error.message } });

const outcomeOf = (output: Json, said: string, content: readonly Content[] = [text(said)]): Outcome =>
  done(content, { success: true, output, error: null });

const media = (mimeType: string, body: Buffer): Outcome =>
  outcomeOf({ content_type: mimeType, bytes: body.length }, '', [
    { type: mimeType.startsWith('image/') ? 'image' : 'audio', data: body.toString('base64'), mimeType },
  ]);

const isJson = (type: string): boolean => /[/+]json$/.test(type);

/** Texts are cleared one by one: in the JSON itself a secret that looks like a number would leave no JSON behind. */
function withoutSecrets(value: Json, hide: Reading['hide']): Json {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => withoutSecrets(item, hide));
  const entries = Object.entries(value).map(
    ([key, item]) => [hide(key), item === undefined ? item : withoutSecrets(item, hide)] as const,
  );
  return Object.fromEntries(entries);
}

function jsonOf(
  text: string,
  body: Buffer,
): { readonly kind: 'json'; readonly value: Json } | { readonly kind: 'text' } | { readonly kind: 'deep' } {
  if (text.trim() === '') return { kind: 'json', value: null };
  // Whoever prints or walks such a value would run out of stack.
  if (nestsDeeperThan(body, deepest)) return { kind: 'deep' };
  try {
    return { kind: 'json', value: JSON.parse(text) as Json }; // what JSON.parse makes is JSON
  } catch {
    return { kind: 'text' };
  }
}
