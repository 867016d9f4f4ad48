import { sseHeaders } from '../../wire/sse.js';
import { isAdmin } from '../../core/principal.js';
import { sendError, sendProblem } from './respond.js';
import type { HttpContext, Route } from './route.js';

const approverEvents: ReadonlySet<string> = new Set(['approval', 'dropped']);

/** Source of events for the stream. */
export interface EventFeed {
  /** Undefined if the subscriber limit is reached. */
  subscribe(receiver: {
    readonly write: (chunk: string) => boolean;
    readonly end: () => void;
    readonly wants?: (event: { readonly type: string }) => boolean;
  }): { resume(): void; close(): void } | undefined;
}

/** Gateway events as server-sent events; approvers get those of approvals only, because the others show the calls of all principals. */
export function eventsRoute(feed: EventFeed): Route {
  return {
    method: 'GET',
    path: '/events',
    auth: 'principal',
    doc: {
      summary: 'Health, metrics, calls, breakers and changes, as server-sent events; approvals only for approvers',
      responses: {
        200: { description: 'A stream', type: 'text/event-stream' },
        403: { description: 'Neither admin nor approver' },
        503: { description: 'Too many subscribers' },
      },
    },
    handle: ({ res, principal }: HttpContext) => {
      const seesAll = isAdmin(principal);
      if (!seesAll && !principal.roles.includes('approver'))
        return sendError(res, { code: 'admin_required', message: 'Requires the admin or approver role' });
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
        ...(!seesAll && { wants: ({ type }: { readonly type: string }) => approverEvents.has(type) }),
      });
      if (stream === undefined)
        return sendProblem(res, 503, 'busy', 'Too many event subscribers; try again later', { 'retry-after': '5' });
      head();
      res.flushHeaders();
      res.on('drain', () => stream.resume());
      res.on('close', () => stream.close());
      return undefined;
    },
  };
}
