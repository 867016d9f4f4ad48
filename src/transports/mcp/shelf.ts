import { randomUUID } from 'node:crypto';
import type { Content, ResourceContents, ResourceLink } from '../../core/content.js';
import { text } from '../../core/content.js';
import { ownerOf, type Answer, type View } from '../../core/gateway.js';
import type { Json } from '../../core/json.js';
import { done } from '../../core/outcome.js';
import type { Settled } from './encode.js';

export interface ShelfLimits {
  /** A part of a result longer than this is kept and named by a link. */
  readonly inlineBytes: number;
  readonly keepMs: number;
  readonly maxBytes: number;
}

export const shelfLimits: ShelfLimits = { inlineBytes: 262_144, keepMs: 600_000, maxBytes: 67_108_864 };

/** Large results, kept for a while and read by link; only who got the link may follow it. */
export interface ResultShelf {
  shelve<T extends Answer>(answer: T, view: View): T;
  /** Undefined where the address is not of this shelf. */
  read(uri: string, view: View): Settled | undefined;
}

const prefix = 'toolgate://results/';
const previewLength = 2_048;

interface Kept {
  readonly owner: string;
  readonly contents: ResourceContents;
  readonly bytes: number;
  readonly until: number;
}

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

/** A shelf in memory, bounded in bytes and time; the oldest results go first. */
export function resultShelf(limits: ShelfLimits = shelfLimits, now: () => number = Date.now): ResultShelf {
  const kept = new Map<string, Kept>();
  let held = 0;

  const drop = (id: string): void => {
    held -= kept.get(id)?.bytes ?? 0;
    kept.delete(id);
  };
  const sweep = (): void => {
    for (const [id, { until }] of kept) {
      if (until > now() && held <= limits.maxBytes) return;
      drop(id);
    }
  };
  const keep = (part: Content, owner: string): readonly Content[] => {
    const found = payload(part);
    if (!found || found.body.length <= limits.inlineBytes || found.body.length > limits.maxBytes) return [part];
    const { body, mimeType, binary } = found;
    const id = randomUUID();
    const uri = `${prefix}${id}`;
    kept.set(id, {
      owner,
      bytes: body.length,
      until: now() + limits.keepMs,
      contents: { uri, mimeType, ...(binary ? { blob: body } : { text: body }) },
    });
    held += body.length;
    sweep();
    const size = binary ? Math.floor((body.length * 3) / 4) : Buffer.byteLength(body);
    const link: ResourceLink = {
      type: 'resource_link',
      uri,
      name: `result-${id.slice(0, 8)}`,
      mimeType,
      size,
      description: 'The whole of a large result; read it soon.',
    };
    return binary
      ? [link]
      : [text(`${body.slice(0, previewLength)}\n[${size} bytes in all; the whole is at ${uri}]`), link];
  };

  return {
    shelve(answer, view) {
      const { outcome } = answer;
      if (outcome.kind === 'confirm') return answer;
      const { content = [] } = outcome;
      if (content.every((part) => (payload(part)?.body.length ?? 0) <= limits.inlineBytes)) return answer;
      return { ...answer, outcome: { ...outcome, content: content.flatMap((part) => keep(part, ownerOf(view))) } };
    },
    read(uri, view) {
      if (!uri.startsWith(prefix)) return undefined;
      const found = kept.get(uri.slice(prefix.length));
      if (!found || found.owner !== ownerOf(view) || found.until <= now()) return undefined;
      // Contents are JSON by their types; only the interface lacks the index signature.
      return { outcome: done([], { contents: [found.contents as unknown as Json] }), correlationId: '', durationMs: 0 };
    },
  };
}
