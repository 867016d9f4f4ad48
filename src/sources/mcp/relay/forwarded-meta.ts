import type { Json, JsonObject } from '../../../core/json.js';
import { isJsonObject } from '../../../wire/message.js';
import { metaKeys } from '../../../wire/meta.js';

/** Keys that concern the upstream hop only, and keys reserved for the gateway. */
const isReservedKey = (key: string): boolean =>
  key === metaKeys.serverInfo ||
  key === metaKeys.subscriptionId ||
  key === metaKeys.relatedTask ||
  /^toolgate\//i.test(key);

/** `_meta` without hop-specific keys and without `toolgate/` keys, which a server could forge. */
export function forwardedMeta(meta: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(meta)) return undefined;
  const rest = Object.entries(meta).filter(([key]) => !isReservedKey(key));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

/** Fields of results, messages and content blocks whose objects have a `_meta` of their own. */
const nestedFields = ['content', 'contents', 'messages', 'resource'] as const;

/** The same for a content block or message and what it embeds; returns an object without any `_meta` as it is. */
export function withForwardedMeta(value: JsonObject): JsonObject {
  let result = value;
  if (value['_meta'] !== undefined) {
    const { _meta, ...rest } = value;
    const meta = forwardedMeta(_meta);
    result = meta === undefined ? rest : { ...rest, _meta: meta };
  }
  for (const field of nestedFields) {
    const inner = value[field];
    if (Array.isArray(inner))
      result = { ...result, [field]: inner.map((item: Json) => (isJsonObject(item) ? withForwardedMeta(item) : item)) };
    else if (isJsonObject(inner)) result = { ...result, [field]: withForwardedMeta(inner) };
  }
  return result;
}
