import type { Json } from '../../core/json.js';

/** The value a JSON pointer (RFC 6901) leads to; undefined where it leads nowhere. */
export function atPointer(value: Json, pointer: string): Json | undefined {
  let here: Json | undefined = value;
  for (const raw of pointer.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof here !== 'object' || here === null) return undefined;
    if (isList(here)) {
      if (!/^(0|[1-9]\d{0,9})$/.test(key)) return undefined;
      here = here[Number(key)];
    } else here = Object.hasOwn(here, key) ? here[key] : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
