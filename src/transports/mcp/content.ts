import type { Content, ResourceLink } from '../../core/content.js';
import { text } from '../../core/content.js';
import type { JsonObject } from '../../core/json.js';
import type { Features } from '../../wire/versions.js';

const asText = (link: ResourceLink) => {
  const label = link.title ?? link.name;
  return text(`${label}: ${link.uri}${link.description ? `\n${link.description}` : ''}`);
};

function older(part: Content, features: Features): Content {
  const { _meta, ...plain } = part;
  if (plain.type === 'resource_link') return asText(plain);
  if (plain.type === 'audio' && !features.audio) {
    // 2024-11-05 has no sound, but a resource may hold any bytes: nothing is lost.
    return {
      type: 'resource',
      resource: { uri: 'toolgate://inline/audio', mimeType: plain.mimeType, blob: plain.data },
    };
  }
  return plain;
}

/** Content in the words of one revision: what it cannot carry is said in words it can. */
export const toContent = (content: readonly Content[], features: Features): readonly Content[] =>
  features.structured ? content : content.map((part) => older(part, features));

/** A prompt's messages likewise; their content is a block each. */
export function toMessages(messages: readonly JsonObject[], features: Features): readonly JsonObject[] {
  if (features.structured) return messages;
  // A prompt's handler promises `{ role, content }` with a content block; see core/prompt.ts.
  return messages.map((message) => ({
    ...message,
    content: older(message['content'] as unknown as Content, features) as unknown as JsonObject,
  }));
}
