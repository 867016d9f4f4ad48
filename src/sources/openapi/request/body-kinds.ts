import { baseType, isJsonType } from '../document/messages.js';

/** How a body is encoded. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary';

/** Encoding of a media type; anything other than JSON, forms and text is binary. */
export function bodyKind(mediaType: string): BodyKind {
  const base = baseType(mediaType);
  if (isJsonType(mediaType) || base === '*/*' || base === 'application/*') return 'json';
  if (base === 'application/x-www-form-urlencoded') return 'form';
  if (base.startsWith('multipart/')) return 'multipart';
  if (/^text\/|[/+](xml|yaml|x-yaml|javascript|graphql|jsonl|x-ndjson|ndjson|csv|sql)$/.test(base)) return 'text';
  return 'binary';
}
