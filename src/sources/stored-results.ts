import { randomUUID } from 'node:crypto';
import type { Call } from '../core/call.js';
import type { ResourceContents, ResourceLink } from '../core/content.js';
import { ownerOf, type LargePart, type View } from '../core/gateway.js';
import type { Json } from '../core/json.js';
import { done, refuse } from '../core/outcome.js';
import type { Peers } from '../core/peers.js';
import type { StoredItems } from '../core/prompt.js';
import type { ToolSource } from '../core/source.js';
import type { Operation, Tool } from '../core/tool.js';
import { peerResults } from './peer-results.js';

/** Lifetime and bound of the store; the clock is a parameter for tests. */
interface StoredResultsOptions {
  readonly ttlMs: () => number;
  readonly maxBytes?: number;
  readonly now?: () => number;
  /** Other replicas: a link names the one that stores its result, and is read there. */
  readonly peers?: {
    readonly network: Peers;
    /** A tool of the catalogue. */
    readonly toolNamed: (name: string) => Tool | undefined;
  };
}

/**
 * Store of results that are too large for one answer. They are read by link for a limited time, through the guards, by the same caller,
 * and only as long as the tool that produced them is visible to it.
 */
export interface StoredResults {
  readonly source: ToolSource;
  /** Stores the truncated rest of a text in pieces and returns a link to each; text beyond the last piece is dropped. */
  keepRest(call: Call, tool: Tool, rest: string): readonly ResourceLink[];
  /** Stores a whole part of a result; undefined if it is larger than the share of one caller. */
  keepWhole(view: View, tool: Tool, part: LargePart): ResourceLink | undefined;
}

/** Reserved id: configured source ids cannot contain a colon. */
export const storedResultsId = 'toolgate:results';

const restPrefix = 'toolgate://rest/';
const wholePrefix = 'toolgate://results/';
/** Characters of one piece: small enough for one answer, large enough for few requests. */
const pieceLength = 131_072;
/** Bound of pieces per result; the rest is dropped. */
const maxPieces = 64;
/** Share of one caller: beyond it, its own results are evicted, not those of others. */
const ownerShare = 0.5;

/** A stored part with its owner and the tool that produced it. */
interface StoredResult {
  readonly owner: string;
  readonly origin: Tool;
  readonly contents: ResourceContents;
  readonly bytes: number;
  readonly until: number;
}

/** Bounded in-memory store; the oldest results are evicted first. */
export function storedResults({
  ttlMs,
  maxBytes = 67_108_864,
  now = Date.now,
  peers,
}: StoredResultsOptions): StoredResults {
  const stored = new Map<string, StoredResult>();
  // Counted along, since sums over all results on every call would be quadratic.
  const bytesOf = new Map<string, number>();
  let storedBytes = 0;

  const count = (owner: string, bytes: number): void => {
    storedBytes += bytes;
    const sum = (bytesOf.get(owner) ?? 0) + bytes;
    if (sum > 0) bytesOf.set(owner, sum);
    else bytesOf.delete(owner);
  };
  const evict = (uri: string, { owner, bytes }: StoredResult): void => {
    stored.delete(uri);
    count(owner, -bytes);
  };
  const evictOldest = (isOver: () => boolean, mayGo: (result: StoredResult) => boolean): void => {
    for (const [uri, result] of stored) {
      if (!isOver()) return;
      if (mayGo(result)) evict(uri, result);
    }
  };
  // Expired results first, then those of the caller, then the oldest of all.
  const sweep = (owner: string): void => {
    const time = now();
    for (const [uri, result] of stored) if (result.until <= time) evict(uri, result);
    evictOldest(
      () => (bytesOf.get(owner) ?? 0) > maxBytes * ownerShare,
      (result) => result.owner === owner,
    );
    evictOldest(
      () => storedBytes > maxBytes,
      () => true,
    );
  };
  const add = (owner: string, origin: Tool, contents: ResourceContents): void => {
    const bytes = (contents.text ?? contents.blob ?? '').length;
    stored.set(contents.uri, { owner, origin, contents, bytes, until: now() + ttlMs() });
    count(owner, bytes);
  };
  /** Missing, expired and foreign results give the same answer: no probing for results of other callers. */
  const find = (uri: string, owner: string): StoredResult | undefined => {
    const found = stored.get(uri);
    return found === undefined || found.owner !== owner || found.until <= now() ? undefined : found;
  };
  const elsewhere = peers && peerResults(peers, find);
  const newId = (): string => (elsewhere ? elsewhere.idPrefix : '') + randomUUID();

  const items: StoredItems = {
    originOf(uri, view) {
      const owner = ownerOf(view);
      return elsewhere?.isElsewhere(uri) === true ? elsewhere.originOf(uri, owner) : find(uri, owner)?.origin;
    },
    // A stored text passed the output limit of its tool already; marks may make it longer.
    maxOutputBytes: 2 * maxBytes + 65_536,
  };
  const read: Operation = async (call) => {
    const uri = String(call.args['uri']);
    const owner = ownerOf(call);
    const contents =
      elsewhere?.isElsewhere(uri) === true
        ? await elsewhere.read(uri, owner, call.signal)
        : // Contents are plain JSON; only the interface lacks the index signature.
          (find(uri, owner)?.contents as unknown as Json | undefined);
    return contents === undefined ? refuse('not_found', 'Resource not found') : done([], { contents: [contents] });
  };

  return {
    keepRest(call, tool, rest) {
      const owner = ownerOf(call);
      // Random: the URI is a capability only together with the owner check, and must still not be guessable.
      const id = newId();
      const links: ResourceLink[] = [];
      for (let at = 0; at < rest.length && links.length < maxPieces; at = at + pieceLength) {
        const text = rest.slice(at, at + pieceLength);
        const uri = `${restPrefix}${id}/${links.length + 1}`;
        add(owner, tool, { uri, mimeType: 'text/plain', text });
        links.push({
          type: 'resource_link',
          uri,
          name: `rest-${links.length + 1}`,
          mimeType: 'text/plain',
          size: Buffer.byteLength(text),
          description: 'Remainder of this truncated result; the link expires soon.',
        });
      }
      // After adding, so that the new result itself can be the one that is too much.
      sweep(owner);
      return links.filter(({ uri }) => stored.has(uri));
    },
    keepWhole(view, tool, { body, mimeType, isBinary }) {
      if (body.length > maxBytes * ownerShare) return undefined;
      const owner = ownerOf(view);
      const id = newId();
      const uri = `${wholePrefix}${id}`;
      add(owner, tool, { uri, mimeType, ...(isBinary ? { blob: body } : { text: body }) });
      sweep(owner);
      return {
        type: 'resource_link',
        uri,
        name: `result-${id.slice(-8)}`,
        mimeType,
        // Base64 has four characters for three bytes.
        size: isBinary ? Math.floor((body.length * 3) / 4) : Buffer.byteLength(body),
        description: 'The complete large result; it expires after a while.',
      };
    },
    source: {
      id: storedResultsId,
      // Results are found by link only; a list would show them to every caller.
      list: () => Promise.resolve([]),
      templates: () =>
        Promise.resolve([
          {
            uriTemplate: `${restPrefix}{result}/{part}`,
            name: 'rest-of-a-result',
            description: 'Remainder of a truncated result; available for a limited time and to its caller only',
            mimeType: 'text/plain',
            openWorld: true,
            source: storedResultsId,
            matches: (uri) => uri.startsWith(restPrefix),
            read,
            stored: items,
          },
          {
            uriTemplate: `${wholePrefix}{result}`,
            name: 'large-result',
            description: 'A large result; available for a limited time and to its caller only',
            openWorld: true,
            source: storedResultsId,
            matches: (uri) => uri.startsWith(wholePrefix),
            read,
            stored: items,
          },
        ]),
    },
  };
}
