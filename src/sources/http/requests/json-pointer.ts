import type { Json } from '../../../core/json.js';

/** Resolves a JSON pointer (RFC 6901); undefined if there is no value. */
export function resolvePointer(value: Json, pointer: string): Json | undefined {
  let current: Json | undefined = value;
  for (const token of pointer.split('/').slice(1)) {
    // In this order: `~01` means `~1` literally.
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null) return undefined;
    if (isJsonArray(current)) {
      // Leading zeros and `-` are no indices (RFC 6901).
      if (!/^(0|[1-9]\d{0,9})$/.test(key)) return undefined;
      current = current[Number(key)];
    } else current = Object.hasOwn(current, key) ? current[key] : undefined;
    if (current === undefined) return undefined;
  }
  return current;
}

/** Narrows to a list, since `Array.isArray` loses the element type. */
const isJsonArray = (value: Json): value is readonly Json[] => Array.isArray(value);
