import type { Content, ResourceLink } from '../../../core/content.js';
import { textContent } from '../../../core/content.js';
import type { JsonObject } from '../../../core/json.js';
import type { Features } from '../../../wire/versions.js';

const linkText = (link: ResourceLink) => {
  const label = link.title ?? link.name;
  return textContent(`${label}: ${link.uri}${link.description ? `\n${link.description}` : ''}`);
};

function downgradePart(part: Content, features: Features): Content {
  const { _meta, ...plain } = part;
  if (plain.type === 'resource_link') return linkText(plain);
  if (plain.type === 'audio' && !features.audio) {
    // 2024-11-05 has no audio content; an embedded resource carries the same bytes.
    return {
      type: 'resource',
      resource: { uri: 'toolgate://inline/audio', mimeType: plain.mimeType, blob: plain.data },
    };
  }
  return plain;
}

/** Converts content to one revision; unsupported types become text or embedded resources. */
export const toContent = (content: readonly Content[], features: Features): readonly Content[] =>
  features.structured ? content : content.map((part) => downgradePart(part, features));

/** Converts prompt messages to one revision; each has one content block. */
export function toMessages(messages: readonly JsonObject[], features: Features): readonly JsonObject[] {
  if (features.structured) return messages;
  // Prompt handlers return `{ role, content }` with one content block; see core/prompt.ts.
  return messages.map((message) => ({
    ...message,
    content: downgradePart(message['content'] as unknown as Content, features) as unknown as JsonObject,
  }));
}
