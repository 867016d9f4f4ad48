import { guardHeaders, sendProblem } from './respond.js';
import type { Exchange, Route } from './route.js';

/** Where events come from, whatever makes them. */
export interface EventFeed {
  /** Undefined where too many listen already. */
  subscribe(receiver: {
    readonly write: (chunk: string) => boolean;
    readonly end: () => void;
  }): { resume(): void; close(): void } | undefined;
}

/** What happens in the gateway, as server-sent events; for administrators, since it shows everybody's calls. */
export function eventsRoute(feed: EventFeed): Route {
  return {
    method: 'GET',
    path: '/events',
    auth: 'admin',
    doc: {
      summary: 'Health, metrics, calls, breakers and changes, as server-sent events',
      responses: {
        200: { description: 'A stream', type: 'text/event-stream' },
        503: { description: 'Too many listen already' },
      },
    },
    handle: ({ res }: Exchange) => {
      // The feed may speak while it is subscribed to, and a first write without a head would go out as a page without a type.
      const head = (): void => {
        if (!res.headersSent)
          res.writeHead(200, { ...guardHeaders, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      };
      const write = (chunk: string): boolean => {
        head();
        return res.write(chunk);
      };
      const stream = feed.subscribe({ write, end: () => res.end() });
      if (stream === undefined) return sendProblem(res, 503, 'busy', 'Too many listen already', { 'retry-after': '5' });
      head();
      res.flushHeaders();
      res.on('drain', () => stream.resume());
      res.on('close', () => stream.close());
      return undefined;
    },
  };
}
