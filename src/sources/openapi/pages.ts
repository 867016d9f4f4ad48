import type { Json, JsonObject } from '../../core/json.js';
import type { EgressResponse, Failed, Refused } from '../../net/egress-types.js';
import { header, jsonOf } from './answers.js';
import type { Operation } from './model.js';
import { isRaw, own } from './values.js';

/** The most pages one call may follow. */
export const mostPages = 50;

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
const itemFields = ['items', 'data', 'results', 'value', 'values', 'records', 'entries', 'list'];

/** The query parameter that takes a cursor, where the operation has one. */
const cursorArgument = ({ parameters }: Operation): string | undefined =>
  cursorArguments.find((name) => parameters.some((parameter) => parameter.in === 'query' && parameter.name === name));

/** Does the operation look as if its answer came in pages? */
export const isPaged = (operation: Operation): boolean =>
  operation.method === 'GET' && (operation.reply?.hasLinkHeader === true || cursorArgument(operation) !== undefined);

export interface Followed {
  readonly value: Json;
  readonly meta: JsonObject;
}

/** Where the first page came from, and how to ask for another. */
export interface Paging {
  readonly operation: Operation;
  /** Path and query of the first request, without credentials. */
  readonly first: URL;
  readonly pages: number;
  readonly maxBytes: number;
  get(search: string, maxBytes: number): Promise<EgressResponse | Refused | Failed>;
}

/** Follows pages until there are none, enough, or too many bytes; what stopped it is said. A page elsewhere than the first is not followed. */
export async function followed(
  response: EgressResponse,
  { operation, first, pages, maxBytes, get }: Paging,
): Promise<Followed | undefined> {
  let last = jsonOf(response.body);
  if (last === undefined) return undefined;
  const values = [last];
  const seen = new Set([first.search]);
  let bytes = response.body.length;
  let stopped = 'no further page';
  let answer = response;
  for (let count = 1; ; count += 1) {
    const search = nextSearch(answer, last, operation, first);
    if (search === undefined) break;
    const limit =
      count >= pages
        ? 'as many pages as asked for'
        : bytes >= maxBytes
          ? 'byte budget'
          : seen.has(search)
            ? 'the next page was seen before'
            : undefined;
    if (limit !== undefined) {
      stopped = limit;
      break;
    }
    seen.add(search);
    const next = await get(search, maxBytes - bytes);
    if (next.kind !== 'response' || next.status !== 200) {
      stopped = next.kind === 'response' ? `the next page answered with status ${next.status}` : next.message;
      break;
    }
    const value = jsonOf(next.body);
    if (value === undefined) {
      stopped = 'the next page is not JSON';
      break;
    }
    bytes += next.body.length;
    values.push(value);
    [answer, last] = [next, value];
  }
  return { value: joined(values), meta: { 'toolgate/pages': { followed: values.length, stopped } } };
}

/** The query of the next page, from the Link header or from the fields that usually hold a cursor. */
function nextSearch(response: EgressResponse, value: Json, operation: Operation, first: URL): string | undefined {
  const link = /<([^>]{1,4096})>\s*;[^,]*\brel\s*=\s*"?next\b/i.exec(
    (header(response.headers, 'link') ?? '').slice(0, 8_192),
  )?.[1];
  if (link !== undefined) return sameOperation(link, first);
  const cursor = cursorIn(value);
  if (cursor === undefined || cursor === '') return undefined;
  if (typeof cursor === 'string' && /^(https?:\/\/|\/|\?)/.test(cursor)) return sameOperation(cursor, first);
  const name = cursorArgument(operation);
  if (name === undefined) return undefined;
  const next = new URL(first);
  next.searchParams.set(name, String(cursor));
  return next.search;
}

function cursorIn(value: Json): string | number | undefined {
  const holders = [value, ...cursorHolders.map((name) => own(value, name))];
  for (const holder of holders) {
    for (const name of cursorFields) {
      const found = own(holder, name);
      const cursor = isRaw(found) ? own(found, 'href') : found;
      if (typeof cursor === 'string' || typeof cursor === 'number') return cursor;
    }
  }
  return undefined;
}

/** A service that could choose any next address could send our credentials, and our caller, anywhere on its host. */
function sameOperation(link: string, first: URL): string | undefined {
  try {
    const url = new URL(link, first);
    return url.origin === first.origin && url.pathname === first.pathname && url.username === ''
      ? url.search
      : undefined;
  } catch {
    return undefined;
  }
}

/** Lists joined to one; of objects the list they share, with the rest as the last page has it. */
function joined(values: readonly Json[]): Json {
  if (values.length === 1) return values[0] ?? null;
  if (values.every((value) => Array.isArray(value))) return values.flat() as Json;
  const name = [...itemFields, ...(isRaw(values[0]) ? Object.keys(values[0]) : [])].find((field) =>
    values.every((value) => Array.isArray(own(value, field))),
  );
  if (name === undefined) return { pages: values };
  const last = values.at(-1);
  return {
    ...(isRaw(last) ? (last as JsonObject) : {}),
    [name]: values.flatMap((value) => own(value, name) as readonly Json[]),
  }; // each was just seen to be a list
}
