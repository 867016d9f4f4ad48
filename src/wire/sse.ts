/** One server-sent event; `data` must hold no newline, which serialised JSON never does. */
export const sseEvent = (data: string, id?: string): string =>
  id === undefined ? `event: message\ndata: ${data}\n\n` : `event: message\nid: ${id}\ndata: ${data}\n\n`;

/** The event that opens a stream a client may come back to: an id, how long to wait, no data. */
export const ssePriming = (id: string, retryMs: number): string => `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;

/** A comment that keeps proxies from closing a quiet stream. */
export const sseKeepAlive = ': keep-alive\n\n';

/** The headers of every stream we send. */
export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
