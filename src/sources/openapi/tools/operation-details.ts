import type { Json, JsonObject } from '../../../core/json.js';
import { truncateText } from '../../../lib/text/truncate.js';
import { isRawObject } from '../document/fields.js';
import { operationLabel, type Operation } from '../document/model.js';
import { cleanProse } from '../schemas/prose.js';

const maxOriginalBytes = 16_384;
const maxTextBytes = 2_000;

/** Description of an operation from its summary and description. */
export function describeOperation(operation: Operation): string {
  const texts = [operation.summary, operation.description].filter(
    (text): text is string => text !== undefined && text.trim() !== '',
  );
  const words = texts.length === 2 && texts[1]?.startsWith(texts[0] ?? '') ? texts.slice(1) : texts;
  return `${operation.deprecated ? 'Deprecated. ' : ''}${words.length > 0 ? words.join('\n') : operationLabel(operation)}`;
}

/**
 * Facts about an operation for operators. Everything the document states is under `document`, cleaned, so that it can neither
 * replace a field of the definition, which the operator may have overridden, nor reach a terminal unfiltered.
 */
export const operationDetails = (operation: Operation): JsonObject => ({
  document: documentPart(operation, maxOriginalBytes),
  security_features: [
    'one operation of one API',
    'path segments encoded, dot segments rejected',
    'credentials bound to one origin',
  ],
});

/** What the document states about an operation, with the original operation cut to a size. */
export function documentPart(operation: Operation, maxBytes: number): JsonObject {
  const { method, path, operationId, summary, description, tags, deprecated, extensions, body, original } = operation;
  return cleanDocumentJson({
    method,
    path,
    operation_id: operationId,
    summary,
    description,
    tags,
    deprecated,
    extensions: extensions as JsonObject, // documents are JSON or YAML without tags
    body_media_types: body?.offered,
    original: cutToSize(original as JsonObject, maxBytes),
  }) as JsonObject; // an object stays one
}

/** A copy of document data without hidden characters in keys and texts. */
function cleanDocumentJson(value: Json): Json {
  if (typeof value === 'string') return truncateText(cleanProse(value), maxTextBytes).value;
  if (Array.isArray(value)) return value.map(cleanDocumentJson);
  if (!isRawObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : [[cleanProse(key), cleanDocumentJson(item as Json)]],
    ),
  );
}

/** What rules may read of an operation: summary, method, path, tags and extensions. */
export const operationFacts = ({
  operationId,
  summary,
  method,
  path,
  tags,
  deprecated,
  extensions,
}: Operation): JsonObject =>
  cleanDocumentJson({
    operation_id: operationId ?? '',
    summary: summary ?? '',
    method,
    path,
    tags,
    deprecated,
    ...(cutToSize(extensions as JsonObject, maxOriginalBytes) as JsonObject), // an object stays one
  }) as JsonObject;

const cutMark = '[…]';

/** Document data with the deepest levels left out until it fits. */
function cutToSize(value: JsonObject, maxBytes: number): Json {
  for (let depth = 12; depth > 0; depth -= 1) {
    const state = { left: maxBytes };
    const made = cutBelow(value, depth, state);
    if (state.left >= 0) return made;
  }
  return cutMark;
}

function cutBelow(value: Json, depth: number, state: { left: number }): Json {
  if (typeof value !== 'object' || value === null) {
    state.left -= typeof value === 'string' ? Buffer.byteLength(value) + 3 : 6;
    return value;
  }
  if (depth === 0 || state.left < 0) return cutMark;
  if (Array.isArray(value)) return value.map((item: Json) => cutBelow(item, depth - 1, state));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      state.left -= key.length + 4;
      return item === undefined ? [] : [[key, cutBelow(item as Json, depth - 1, state)]];
    }),
  );
}
