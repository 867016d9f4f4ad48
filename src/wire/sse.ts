/** Formats one server-sent event; `data` must not contain a newline, which serialised JSON never does. */
export const sseEvent = (data: string, id?: string): string =>
  id === undefined ? `event: message\ndata: ${data}\n\n` : `event: message\nid: ${id}\ndata: ${data}\n\n`;

/** First event of a resumable stream: an id, the reconnect delay, no data. */
export const ssePriming = (id: string, retryMs: number): string => `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;

/** SSE comment that keeps proxies from closing an idle stream. */
export const sseKeepAlive = ': keep-alive\n\n';

/** Response headers of every event stream; `no-transform`, because a proxy that compresses would hold events back. */
export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
