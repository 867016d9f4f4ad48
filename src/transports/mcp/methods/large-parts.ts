import type { Content } from '../../../core/content.js';
import { textContent } from '../../../core/content.js';
import type { Answer, Gateway, LargePart, View } from '../../../core/gateway.js';
import type { Tool } from '../../../core/tool.js';

/** Longer parts of a result are stored and replaced by a link. */
const inlineBytes = 262_144;

/** Characters of the text that stay in the result, so that a model can judge whether it needs the rest. */
const previewLength = 2_048;

/** Body of a content part that can be stored; undefined for links. */
const payload = (part: Content): LargePart | undefined => {
  if (part.type === 'text') return { body: part.text, mimeType: 'text/plain', isBinary: false };
  if (part.type === 'image' || part.type === 'audio')
    return { body: part.data, mimeType: part.mimeType, isBinary: true };
  if (part.type !== 'resource') return undefined;
  const { text: plain, blob, mimeType } = part.resource;
  if (plain !== undefined) return { body: plain, mimeType: mimeType ?? 'text/plain', isBinary: false };
  return blob === undefined
    ? undefined
    : { body: blob, mimeType: mimeType ?? 'application/octet-stream', isBinary: true };
};

/** Replaces the large parts of an answer by links, which the client reads by calls of their own. */
export function linkLargeParts(
  gateway: Pick<Gateway, 'store'>,
  longest: number = inlineBytes,
): <T extends Answer>(answer: T, view: View) => T {
  /** A link, with a preview if the part is text. */
  const linked = (part: Content, tool: Tool, view: View): readonly Content[] => {
    const found = payload(part);
    // Length in characters is close enough to bytes for this decision, and free.
    if (!found || found.body.length <= longest) return [part];
    const link = gateway.store?.(view, tool, found);
    // No store, or larger than a caller's share: the part stays inline.
    if (link === undefined) return [part];
    if (found.isBinary) return [link];
    const preview = found.body.slice(0, previewLength);
    return [textContent(`${preview}\n[${link.size ?? 0} bytes in total; the complete result is at ${link.uri}]`), link];
  };

  return (answer, view) => {
    const { outcome, tool } = answer;
    if (outcome.kind === 'confirm' || tool === undefined) return answer;
    const { content = [] } = outcome;
    // The common case returns the same object.
    if (content.every((part) => (payload(part)?.body.length ?? 0) <= longest)) return answer;
    return { ...answer, outcome: { ...outcome, content: content.flatMap((part) => linked(part, tool, view)) } };
  };
}
