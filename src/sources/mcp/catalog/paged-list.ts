import type { JsonObject } from '../../../core/json.js';
import type { Session } from '../sessions/session.js';
import { isJsonObject } from '../../../wire/message.js';
import { problemOf } from '../../../wire/reply.js';

/** Budget for reading a paginated list; the rest is left out. */
export interface ListBudget {
  readonly maxPages: number;
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Bounds that real servers stay far below. */
export const defaultListBudget: ListBudget = {
  maxPages: 100,
  maxItems: 2_000,
  maxBytes: 8 * 1024 * 1024,
  timeoutMs: 30_000,
};

/** An unvalidated list as received; `cut` is the reason if it was truncated. */
interface PagedList {
  readonly items: readonly JsonObject[];
  /** Number of entries that are not objects. */
  readonly broken: number;
  readonly cut?: string;
}

/** Reads a list until its end or until the budget is used up. */
export async function readList(
  session: Session,
  method: string,
  field: string,
  budget: ListBudget,
  signal?: AbortSignal,
): Promise<PagedList | { readonly problem: string }> {
  const until = performance.now() + budget.timeoutMs;
  const items: JsonObject[] = [];
  // Cursors that were used.
  const seen = new Set<string>();
  let broken = 0;
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    const leftMs = until - performance.now();
    if (page >= budget.maxPages) return { items, broken, cut: `the list has more than ${budget.maxPages} pages` };
    // One budget of time for the whole list: a server could delay every page a little.
    if (leftMs <= 0) return { items, broken, cut: `the list took longer than ${budget.timeoutMs / 1000} s` };
    const reply = await session.request(method, cursor === undefined ? {} : { cursor }, {
      timeoutMs: leftMs,
      ...(signal && { signal }),
    });
    if (!('result' in reply)) return { problem: `${method} failed: ${problemOf(reply)}` };
    const given = reply.result[field];
    if (!Array.isArray(given)) return { problem: `${method} answered without ${field}` };
    for (const item of given as readonly unknown[]) {
      if (items.length >= budget.maxItems)
        return { items, broken, cut: `the list has more than ${budget.maxItems} entries` };
      if (!isJsonObject(item)) broken += 1;
      else {
        // Measured as JSON, since that is what clients would get.
        bytes += JSON.stringify(item).length;
        if (bytes > budget.maxBytes) return { items, broken, cut: `the list is larger than ${budget.maxBytes} bytes` };
        items.push(item);
      }
    }
    const next = reply.result['nextCursor'];
    if (typeof next !== 'string') return { items, broken };
    // A repeated cursor would be an endless loop.
    if (seen.has(next)) return { items, broken, cut: 'the list repeats a cursor' };
    seen.add(next);
    cursor = next;
  }
}
