import type { Json, JsonObject } from './json.js';

interface Marked {
  readonly annotations?: JsonObject;
  readonly _meta?: JsonObject;
}

export interface TextContent extends Marked {
  readonly type: 'text';
  readonly text: string;
}
/** Image or sound; `data` is base64. */
export interface MediaContent extends Marked {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
}
export interface EmbeddedResource extends Marked {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}
export interface ResourceLink extends Marked {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}
/** One part of a result, in the five forms that MCP knows. */
export type Content = TextContent | MediaContent | EmbeddedResource | ResourceLink;

/** What reading a resource yields: text, or base64 in `blob`. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: JsonObject;
}

export const text = (value: string): TextContent => ({ type: 'text', text: value });

/** The text a person would read: all text blocks joined, or the data as indented JSON where there is none. */
export function readable(content: readonly Content[], data?: Json): string {
  const texts: string[] = [];
  for (const part of content) if (part.type === 'text') texts.push(part.text);
  if (texts.length === 0 && data !== undefined) return JSON.stringify(data, null, 2);
  return texts.join('\n');
}
