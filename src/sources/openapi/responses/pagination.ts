import type { Json, JsonObject } from '../../../core/json.js';
import type { EgressResponse, Failed, Refused } from '../../../net/egress/egress-types.js';
import { headerText, parseJsonBody } from './outcomes.js';
import type { Operation } from '../document/model.js';
import { isRawObject, ownField } from '../document/fields.js';

/** Maximum number of pages per call. */
export const maxPages = 50;

/** Fields in which services return the next cursor. */
const cursorFields = [
  'next_cursor',
  'nextCursor',
  'next_page_token',
  'nextPageToken',
  'next_token',
  'nextToken',
  'continuation_token',
  'continuationToken',
  'next_page',
  'nextPage',
  'next',
  '@odata.nextLink',
  'nextLink',
  'next_url',
  'next_page_url',
  'cursor',
];
/** Objects that commonly hold such a field. */
const cursorHolders = [
  'meta',
  'metadata',
  'paging',
  'pagination',
  'page_info',
  'pageInfo',
  'links',
  '_links',
  'response_metadata',
  'cursor',
  'cursors',
];
/** Query parameters that commonly take it. */
const cursorArguments = [
  'cursor',
  'page_token',
  'pageToken',
  'next_token',
  'nextToken',
  'continuation_token',
  'continuationToken',
  'next_cursor',
  'starting_after',
  'after',
  'start',
  'page',
];
/** Fields that commonly hold the items of a page. */
const itemFields = ['items', 'data', 'results', 'value', 'values', 'records', 'entries', 'list'];

/** Finds the query parameter that takes a cursor. */
const findCursorArgument = ({ parameters }: Operation): string | undefined =>
  cursorArguments.find((name) => parameters.some((parameter) => parameter.in === 'query' && parameter.name === name));

/** Whether the operation appears to be paginated. */
export const isPaged = (operation: Operation): boolean =>
  operation.method === 'GET' &&
  (operation.reply?.hasLinkHeader === true || findCursorArgument(operation) !== undefined);

/** All pages joined, with metadata about them. */
interface PagedResult {
  readonly value: Json;
  readonly meta: JsonObject;
}

/** The first request, and how to fetch further pages. */
interface Paging {
  readonly operation: Operation;
  /** Path and query of the first request, without credentials. */
  readonly first: URL;
  readonly pages: number;
  readonly maxBytes: number;
  get(search: string, maxBytes: number): Promise<EgressResponse | Refused | Failed>;
}

/** Follows pages up to a page and byte limit and reports why it stopped; links to another path or origin are not followed. */
export async function followPages(
  response: EgressResponse,
  { operation, first, pages, maxBytes, get }: Paging,
): Promise<PagedResult | undefined> {
  // A first page that is not JSON is returned as it is.
  let last = parseJsonBody(response.body);
  if (last === undefined) return undefined;
  const values = [last];
  // Visited queries: a service may point back to an earlier page.
  const seen = new Set([first.search]);
  let bytes = response.body.length;
  let stopped = 'no further page';
  let current = response;
  for (let count = 1; ; count += 1) {
    const search = nextSearch(current, last, operation, first);
    if (search === undefined) break;
    const limit =
      count >= pages
        ? 'page limit reached'
        : bytes >= maxBytes
          ? 'byte limit reached'
          : seen.has(search)
            ? 'the next page was already fetched'
            : undefined;
    if (limit !== undefined) {
      stopped = limit;
      break;
    }
    seen.add(search);
    // The rest of the budget, so that all pages together stay within it.
    const next = await get(search, maxBytes - bytes);
    if (next.kind !== 'response' || next.status !== 200) {
      stopped = next.kind === 'response' ? `the next page returned status ${next.status}` : next.message;
      break;
    }
    const value = parseJsonBody(next.body);
    if (value === undefined) {
      stopped = 'the next page is not JSON';
      break;
    }
    bytes += next.body.length;
    values.push(value);
    [current, last] = [next, value];
  }
  return { value: joinPages(values), meta: { 'toolgate/pages': { followed: values.length, stopped } } };
}

/** Query of the next page, from the Link header or a common cursor field. */
function nextSearch(response: EgressResponse, value: Json, operation: Operation, first: URL): string | undefined {
  const link = /<([^>]{1,4096})>\s*;[^,]*\brel\s*=\s*"?next\b/i.exec(
    (headerText(response.headers, 'link') ?? '').slice(0, 8_192),
  )?.[1];
  if (link !== undefined) return sameOperationSearch(link, first);
  const cursor = findCursor(value);
  if (cursor === undefined || cursor === '') return undefined;
  // A link is taken as a link even in a cursor field.
  if (typeof cursor === 'string' && /^(https?:\/\/|\/|\?)/.test(cursor)) return sameOperationSearch(cursor, first);
  const name = findCursorArgument(operation);
  if (name === undefined) return undefined;
  const next = new URL(first);
  next.searchParams.set(name, String(cursor));
  return next.search;
}

/** The first cursor in a common place. */
function findCursor(value: Json): string | number | undefined {
  const holders = [value, ...cursorHolders.map((name) => ownField(value, name))];
  for (const holder of holders) {
    for (const name of cursorFields) {
      const found = ownField(holder, name);
      const cursor = isRawObject(found) ? ownField(found, 'href') : found;
      if (typeof cursor === 'string' || typeof cursor === 'number') return cursor;
    }
  }
  return undefined;
}

/** Query of a link to the same path; other links are ignored, since a service could use them to redirect credentials (SSRF). */
function sameOperationSearch(link: string, first: URL): string | undefined {
  try {
    const url = new URL(link, first);
    return url.origin === first.origin && url.pathname === first.pathname && url.username === ''
      ? url.search
      : undefined;
  } catch {
    return undefined;
  }
}

/** Joins pages: lists are concatenated; of objects the common list field, with the other fields of the last page. */
function joinPages(values: readonly Json[]): Json {
  if (values.length === 1) return values[0] ?? null;
  if (values.every((value) => Array.isArray(value))) return values.flat() as Json;
  const name = [...itemFields, ...(isRawObject(values[0]) ? Object.keys(values[0]) : [])].find((field) =>
    values.every((value) => Array.isArray(ownField(value, field))),
  );
  if (name === undefined) return { pages: values };
  const last = values.at(-1);
  return {
    ...(isRawObject(last) ? (last as JsonObject) : {}),
    [name]: values.flatMap((value) => ownField(value, name) as readonly Json[]),
  }; // checked above
}
