import { sseHeaders } from '../../wire/sse.js';
import { isAdmin } from '../../core/principal.js';
import { sendError, sendProblem } from './edge/respond.js';
import type { HttpContext, Route } from './edge/route.js';

/** Types that approvers get; the others show the calls of all principals. */
const approverEvents: ReadonlySet<string> = new Set(['approval', 'dropped', 'reset']);
/** Types about the stream itself, which no filter hides. */
const streamEvents: ReadonlySet<string> = new Set(['dropped', 'reset']);

/** Source of events for the stream. */
export interface EventFeed {
  /** Undefined if the subscriber limit is reached. */
  subscribe(receiver: {
    readonly write: (chunk: string) => boolean;
    readonly end: () => void;
    readonly wants?: (event: { readonly type: string }) => boolean;
    readonly after?: number;
  }): { resume(): void; close(): void } | undefined;
}

/** Gateway events as server-sent events; approvers get those of approvals only, because the others show the calls of all principals. */
export function eventsRoute(feed: EventFeed): Route {
  return {
    method: 'GET',
    path: '/events',
    auth: 'principal',
    doc: {
      summary:
        'Health, metrics, calls, breakers and changes, as server-sent events; approvals only for approvers. ?types=approval,call selects types; Last-Event-ID or ?since= replays what was missed, after a `reset` event if that is no longer kept',
      responses: {
        200: { description: 'A stream', type: 'text/event-stream' },
        403: { description: 'Neither admin nor approver' },
        503: { description: 'Too many subscribers' },
      },
    },
    handle: ({ req, res, principal, query }: HttpContext) => {
      const seesAll = isAdmin(principal);
      if (!seesAll && !principal.roles.includes('approver'))
        return sendError(res, { code: 'admin_required', message: 'Requires the admin or approver role' });
      const named = query.get('types');
      const types = named === null ? undefined : new Set(named.split(','));
      // EventSource sends the header by itself; scripts use the query.
      const lastId = Number(req.headers['last-event-id'] ?? query.get('since') ?? Number.NaN);
      const after = Number.isSafeInteger(lastId) ? lastId : undefined;
      // The feed may write during subscribe; without headers that first write would be sent as an untyped page.
      const head = (): void => {
        if (!res.headersSent) res.writeHead(200, sseHeaders);
      };
      const write = (chunk: string): boolean => {
        head();
        return res.write(chunk);
      };
      // A reader that stalled never takes the rest: without destroy its socket would stay open for ever.
      const end = (): void => void (res.writableNeedDrain ? res.destroy() : res.end());
      const stream = feed.subscribe({
        write,
        end,
        wants: ({ type }) =>
          (seesAll || approverEvents.has(type)) && (types === undefined || types.has(type) || streamEvents.has(type)),
        ...(after !== undefined && { after }),
      });
      // Bounded: every subscriber costs a buffer.
      if (stream === undefined)
        return sendProblem(res, 503, 'busy', 'Too many event subscribers; try again later', { 'retry-after': '5' });
      head();
      // Sent at once, so that the browser fires `open` before the first event.
      res.flushHeaders();
      res.on('drain', () => stream.resume());
      res.on('close', () => stream.close());
      return undefined;
    },
  };
}
