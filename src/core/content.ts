import type { Json, JsonObject } from './json.js';

interface Annotated {
  readonly annotations?: JsonObject;
  readonly _meta?: JsonObject;
}

interface TextContent extends Annotated {
  readonly type: 'text';
  readonly text: string;
}
/** Image or sound; `data` is base64. */
interface MediaContent extends Annotated {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
}
interface EmbeddedResource extends Annotated {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}
export interface ResourceLink extends Annotated {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}
/** One part of a result, in the five MCP content types. */
export type Content = TextContent | MediaContent | EmbeddedResource | ResourceLink;

/** Contents of a resource: text, or base64 in `blob`. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: JsonObject;
}

export const textContent = (value: string): TextContent => ({ type: 'text', text: value });

/** Readable form of a result: all text blocks joined, or the data as indented JSON if there are none. */
export function toReadableText(content: readonly Content[], data?: Json): string {
  const texts: string[] = [];
  for (const part of content) if (part.type === 'text') texts.push(part.text);
  if (texts.length === 0 && data !== undefined) return JSON.stringify(data, null, 2);
  return texts.join('\n');
}
