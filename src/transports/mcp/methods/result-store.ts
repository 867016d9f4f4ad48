import { randomUUID } from 'node:crypto';
import type { Content, ResourceLink } from '../../../core/content.js';
import { textContent } from '../../../core/content.js';
import { ownerOf, type Answer, type StoredResult, type View } from '../../../core/gateway.js';

/** Limits of the result store. */
export interface ResultStoreLimits {
  /** Longer parts of a result are stored and replaced by a link. */
  readonly inlineBytes: number;
  readonly keepMs: number;
  readonly maxBytes: number;
}

/** Default limits: 256 KiB inline, ten minutes, 64 MiB in total. */
export const resultStoreLimits: ResultStoreLimits = { inlineBytes: 262_144, keepMs: 600_000, maxBytes: 67_108_864 };

/** Store of large results, read by link; only the principal that received a link may read it. */
export interface ResultStore {
  storeLarge<T extends Answer>(answer: T, view: View): T;
  /** Undefined if the URI is unknown, expired or owned by another principal; the gateway reads it through the guards. */
  find(uri: string, view: View): StoredResult | undefined;
}

const resultUriPrefix = 'toolgate://results/';
const previewLength = 2_048;

interface OwnedResult extends StoredResult {
  readonly owner: string;
  readonly expiresAt: number;
}

/** Body of a content part that can be stored; undefined for links. */
const payload = (
  part: Content,
): { readonly body: string; readonly mimeType: string; readonly binary: boolean } | undefined => {
  if (part.type === 'text') return { body: part.text, mimeType: 'text/plain', binary: false };
  if (part.type === 'image' || part.type === 'audio') return { body: part.data, mimeType: part.mimeType, binary: true };
  if (part.type !== 'resource') return undefined;
  const { text: plain, blob, mimeType } = part.resource;
  if (plain !== undefined) return { body: plain, mimeType: mimeType ?? 'text/plain', binary: false };
  return blob === undefined
    ? undefined
    : { body: blob, mimeType: mimeType ?? 'application/octet-stream', binary: true };
};

/** In-memory result store, bounded in bytes and time; evicts the oldest results first. */
export function resultStore(limits: ResultStoreLimits = resultStoreLimits, now: () => number = Date.now): ResultStore {
  const stored = new Map<string, OwnedResult>();
  let storedBytes = 0;

  const evict = (id: string): void => {
    storedBytes -= stored.get(id)?.bytes ?? 0;
    stored.delete(id);
  };
  /** Evicts expired results, and the oldest ones while the store is over its size limit. */
  const sweep = (): void => {
    for (const [id, { expiresAt: until }] of stored) {
      if (until > now() && storedBytes <= limits.maxBytes) return;
      evict(id);
    }
  };
  /** Replaces a large part by a link, with a preview if it is text. */
  const storePart = (part: Content, owner: string): readonly Content[] => {
    const found = payload(part);
    if (!found || found.body.length <= limits.inlineBytes || found.body.length > limits.maxBytes) return [part];
    const { body, mimeType, binary } = found;
    const id = randomUUID();
    const uri = `${resultUriPrefix}${id}`;
    stored.set(id, {
      owner,
      bytes: body.length,
      expiresAt: now() + limits.keepMs,
      contents: { uri, mimeType, ...(binary ? { blob: body } : { text: body }) },
    });
    storedBytes += body.length;
    sweep();
    const size = binary ? Math.floor((body.length * 3) / 4) : Buffer.byteLength(body);
    const link: ResourceLink = {
      type: 'resource_link',
      uri,
      name: `result-${id.slice(0, 8)}`,
      mimeType,
      size,
      description: 'The complete large result; it expires after a while.',
    };
    return binary
      ? [link]
      : [
          textContent(`${body.slice(0, previewLength)}\n[${size} bytes in total; the complete result is at ${uri}]`),
          link,
        ];
  };

  return {
    storeLarge(answer, view) {
      const { outcome } = answer;
      if (outcome.kind === 'confirm') return answer;
      const { content = [] } = outcome;
      if (content.every((part) => (payload(part)?.body.length ?? 0) <= limits.inlineBytes)) return answer;
      return { ...answer, outcome: { ...outcome, content: content.flatMap((part) => storePart(part, ownerOf(view))) } };
    },
    find(uri, view) {
      if (!uri.startsWith(resultUriPrefix)) return undefined;
      const found = stored.get(uri.slice(resultUriPrefix.length));
      if (!found || found.owner !== ownerOf(view) || found.expiresAt <= now()) return undefined;
      return found;
    },
  };
}
