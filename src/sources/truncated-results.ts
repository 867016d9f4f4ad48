import { randomUUID } from 'node:crypto';
import type { Call } from '../core/call.js';
import type { ResourceLink } from '../core/content.js';
import { ownerOf } from '../core/gateway.js';
import { done, refuse } from '../core/outcome.js';
import type { ToolSource } from '../core/source.js';

interface TruncatedResultsOptions {
  readonly ttlMs: () => number;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

/** Store of truncated results: the remainder can be read by link for a limited time, by the same caller only. */
export interface TruncatedResults {
  readonly source: ToolSource;
  /** Stores a text in pieces and returns a link to each; text beyond the last piece is dropped. */
  keep(call: Call, rest: string): readonly ResourceLink[];
}

/** Reserved id: configured source ids cannot contain a colon. */
export const truncatedResultsId = 'toolgate:results';

const uriPrefix = 'toolgate://rest/';
/** Below the output limit, so that reading a piece does not truncate it again. */
const pieceLength = 131_072;
const maxPieces = 64;

interface Piece {
  readonly owner: string;
  readonly text: string;
  readonly until: number;
}

/** Bounded in-memory store; the oldest pieces are evicted first. */
export function truncatedResults({
  ttlMs: keepMs,
  maxBytes = 67_108_864,
  now = Date.now,
}: TruncatedResultsOptions): TruncatedResults {
  const pieces = new Map<string, Piece>();
  let storedChars = 0;
  const sweep = (): void => {
    for (const [uri, { until, text }] of pieces) {
      if (until > now() && storedChars <= maxBytes) return;
      pieces.delete(uri);
      storedChars -= text.length;
    }
  };

  return {
    keep(call, rest) {
      const id = randomUUID();
      const links: ResourceLink[] = [];
      for (let at = 0; at < rest.length && links.length < maxPieces; at = at + pieceLength) {
        const text = rest.slice(at, at + pieceLength);
        const uri = `${uriPrefix}${id}/${links.length + 1}`;
        pieces.set(uri, { owner: ownerOf(call), text, until: now() + keepMs() });
        storedChars += text.length;
        links.push({
          type: 'resource_link',
          uri,
          name: `rest-${links.length + 1}`,
          mimeType: 'text/plain',
          size: Buffer.byteLength(text),
          description: 'Remainder of this truncated result; the link expires soon.',
        });
      }
      sweep();
      return links.filter(({ uri }) => pieces.has(uri));
    },
    source: {
      id: truncatedResultsId,
      list: () => Promise.resolve([]),
      templates: () =>
        Promise.resolve([
          {
            uriTemplate: `${uriPrefix}{result}/{part}`,
            name: 'rest-of-a-result',
            description: 'Remainder of a truncated result; available for a limited time and to its caller only',
            mimeType: 'text/plain',
            openWorld: true,
            source: truncatedResultsId,
            matches: (uri) => uri.startsWith(uriPrefix),
            read(call) {
              const uri = String(call.args['uri']);
              const piece = pieces.get(uri);
              // Missing, expired and foreign pieces give the same error: no probing for results of other callers.
              if (piece === undefined || piece.owner !== ownerOf(call) || piece.until <= now())
                return Promise.resolve(refuse('not_found', 'Resource not found'));
              return Promise.resolve(done([], { contents: [{ uri, mimeType: 'text/plain', text: piece.text }] }));
            },
          },
        ]),
    },
  };
}
