import type { Gateway, View } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import type { Features } from '../../../wire/versions.js';
import { refusal } from '../request-context.js';
import type { RequestContext, Reply } from '../request-context.js';
import { toPromptDefinition, toResourceDefinition, toTemplateDefinition, toToolDefinition } from './definitions.js';
import type { Encoder } from './encode-result.js';

/** Page size and cache fields of all lists. */
interface ListOptions {
  readonly pageSize: number;
  /** Cache fields of every modern list; `private` because lists differ by principal. */
  readonly caching: JsonObject;
}

/** What distinguishes the four lists. */
interface ListKind<T extends object> {
  readonly field: string;
  items(view: View): readonly T[] | Promise<readonly T[]>;
  key(item: T): string;
  define(item: T, features: Features): JsonObject;
}

/** Handler of a list method. */
type ListMethod = (params: JsonObject, context: RequestContext) => Reply | Promise<Reply>;

/** Longer pages are cached as a Buffer, so that UTF-8 encoding happens once. */
const minBufferedLength = 16_384;

// The cursor contains the last name: a list that changed between two pages continues after the same entry, or is rejected.
const toCursor = (offset: number, key: string): string =>
  Buffer.from(JSON.stringify([offset, key])).toString('base64url');

/** Parses a cursor of untrusted origin; undefined if malformed. */
function fromCursor(cursor: unknown): readonly [number, string] | undefined {
  // Bounded before decoding; a cursor is the client's to send.
  if (typeof cursor !== 'string' || cursor.length > 4_096) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(value) || !Number.isSafeInteger(value[0]) || value[0] < 1 || typeof value[1] !== 'string')
      return undefined;
    return [value[0], value[1]];
  } catch {
    return undefined;
  }
}

/** List method that caches serialised pages while the gateway returns the same array. */
function listMethod<T extends object>(
  kind: ListKind<T>,
  { pageSize, caching }: ListOptions,
  encode: Encoder,
): ListMethod {
  // Weak: a changed list is a new array, and its pages are dropped with the old one.
  const pageCache = new WeakMap<readonly T[], Map<string, string | Buffer>>();

  /** Offset of the first item of the page; undefined for an invalid cursor. */
  const start = (items: readonly T[], cursor: unknown): number | undefined => {
    if (cursor === undefined) return 0;
    const after = fromCursor(cursor);
    if (!after) return undefined;
    const [offset, key] = after;
    const last = items[offset - 1];
    // The fast path: the list has not changed between the two pages.
    if (last !== undefined && kind.key(last) === key) return offset;
    // The entry moved; continuing after it skips nothing and repeats nothing.
    const moved = items.findIndex((item) => kind.key(item) === key);
    return moved < 0 ? undefined : moved + 1;
  };

  /** Serialises one page. */
  const page = (items: readonly T[], offset: number, features: Features): string | Buffer => {
    const slice = items.slice(offset, offset + pageSize);
    const last = slice.at(-1);
    const more = last !== undefined && offset + slice.length < items.length;
    const fields = {
      [kind.field]: slice.map((item) => kind.define(item, features)),
      ...(more && { nextCursor: toCursor(offset + slice.length, kind.key(last)) }),
      ...(features.modern && caching),
    };
    const text = encode.result(fields, features);
    return text.length > minBufferedLength ? Buffer.from(text) : text;
  };

  const answer = (items: readonly T[], params: JsonObject, features: Features): Reply => {
    const offset = start(items, params['cursor']);
    if (offset === undefined) return refusal(rpcError(rpcCodes.invalidParams, 'Invalid cursor'));
    let pages = pageCache.get(items);
    if (!pages) pageCache.set(items, (pages = new Map()));
    // Pages differ by revision: older ones have fewer fields.
    const pageKey = `${features.version}:${offset}`;
    let text = pages.get(pageKey);
    if (text === undefined) pages.set(pageKey, (text = page(items, offset, features)));
    return { result: text };
  };

  return (params, { view, features }) => {
    const items = kind.items(view);
    // Synchronous where possible, because lists are requested with every conversation.
    return items instanceof Promise
      ? items.then((read) => answer(read, params, features))
      : answer(items, params, features);
  };
}

/** Handlers of the four list methods. */
export function listMethodHandlers(
  gateway: Gateway,
  options: ListOptions,
  encode: Encoder,
): Readonly<Record<string, ListMethod>> {
  return {
    'tools/list': listMethod(
      { field: 'tools', items: (view) => gateway.tools(view), key: (tool) => tool.name, define: toToolDefinition },
      options,
      encode,
    ),
    'prompts/list': listMethod(
      {
        field: 'prompts',
        items: (view) => gateway.prompts(view),
        key: (prompt) => prompt.name,
        define: toPromptDefinition,
      },
      options,
      encode,
    ),
    'resources/list': listMethod(
      {
        field: 'resources',
        items: (view) => gateway.resources(view),
        key: (resource) => resource.uri,
        define: toResourceDefinition,
      },
      options,
      encode,
    ),
    'resources/templates/list': listMethod(
      {
        field: 'resourceTemplates',
        items: (view) => gateway.templates(view),
        key: (template) => template.uriTemplate,
        define: toTemplateDefinition,
      },
      options,
      encode,
    ),
  };
}
