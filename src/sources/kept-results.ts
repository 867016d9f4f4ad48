import { randomUUID } from 'node:crypto';
import type { Call } from '../core/call.js';
import type { ResourceLink } from '../core/content.js';
import { ownerOf } from '../core/gateway.js';
import { done, refuse } from '../core/outcome.js';
import type { ToolSource } from '../core/source.js';

export interface KeptResultsOptions {
  readonly keepMs: () => number;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

/** What was cut off from results, readable by link for a while by whoever got the link. */
export interface KeptResults {
  readonly source: ToolSource;
  /** Keeps a text in pieces and returns a link to each; what goes beyond the last piece is let go. */
  keep(call: Call, rest: string): readonly ResourceLink[];
}

/** No source of a configuration can have this id: it holds a character that none may have. */
export const keptResultsId = 'toolgate:results';

const prefix = 'toolgate://rest/';
/** Small enough to come back whole, so that reading a piece does not cut it again. */
const pieceLength = 131_072;
const mostPieces = 64;

interface Piece {
  readonly owner: string;
  readonly text: string;
  readonly until: number;
}

export function keptResults({ keepMs, maxBytes = 67_108_864, now = Date.now }: KeptResultsOptions): KeptResults {
  const pieces = new Map<string, Piece>();
  let held = 0;
  const sweep = (): void => {
    for (const [uri, { until, text }] of pieces) {
      if (until > now() && held <= maxBytes) return;
      pieces.delete(uri);
      held -= text.length;
    }
  };

  return {
    keep(call, rest) {
      const id = randomUUID();
      const links: ResourceLink[] = [];
      for (let at = 0; at < rest.length && links.length < mostPieces; at = at + pieceLength) {
        const text = rest.slice(at, at + pieceLength);
        const uri = `${prefix}${id}/${links.length + 1}`;
        pieces.set(uri, { owner: ownerOf(call), text, until: now() + keepMs() });
        held += text.length;
        links.push({
          type: 'resource_link',
          uri,
          name: `rest-${links.length + 1}`,
          mimeType: 'text/plain',
          size: Buffer.byteLength(text),
          description: 'What was cut off from this result; read it soon.',
        });
      }
      sweep();
      return links.filter(({ uri }) => pieces.has(uri));
    },
    source: {
      id: keptResultsId,
      list: () => Promise.resolve([]),
      templates: () =>
        Promise.resolve([
          {
            uriTemplate: `${prefix}{result}/{part}`,
            name: 'rest-of-a-result',
            description: 'What was cut off from a large result, for a while and for its caller only',
            mimeType: 'text/plain',
            openWorld: true,
            source: keptResultsId,
            matches: (uri) => uri.startsWith(prefix),
            read(call) {
              const uri = String(call.args['uri']);
              const piece = pieces.get(uri);
              // Not there, too late and somebody else's read the same.
              if (piece === undefined || piece.owner !== ownerOf(call) || piece.until <= now())
                return Promise.resolve(refuse('not_found', 'Resource not found'));
              return Promise.resolve(done([], { contents: [{ uri, mimeType: 'text/plain', text: piece.text }] }));
            },
          },
        ]),
    },
  };
}
