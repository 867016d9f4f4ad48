import { baseType, isJsonType } from './messages.js';

/** How a body is written. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary';

/** How a media type is written; what is neither JSON, a form nor text travels as bytes. */
export function bodyKind(mediaType: string): BodyKind {
  const base = baseType(mediaType);
  if (isJsonType(mediaType) || base === '*/*' || base === 'application/*') return 'json';
  if (base === 'application/x-www-form-urlencoded') return 'form';
  if (base.startsWith('multipart/')) return 'multipart';
  if (/^text\/|[/+](xml|yaml|x-yaml|javascript|graphql|jsonl|x-ndjson|ndjson|csv|sql)$/.test(base)) return 'text';
  return 'binary';
}
