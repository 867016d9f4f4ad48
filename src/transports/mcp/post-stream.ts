import type { ServerResponse } from 'node:http';
import { sseEvent, sseHeaders, sseKeepAlive } from '../../wire/sse.js';
import type { Id } from '../../wire/id.js';
import type { Reply } from './caller.js';
import type { Heartbeat } from './heartbeat.js';
import { replyText, sendReply } from './http-reply.js';
import type { Outlet } from './outlet.js';
import type { Resumable } from './resumable.js';

/** What a reader may leave unread before messages for it are dropped. */
export const maxUnreadBytes = 1_048_576;

/** The answer to one POST: a JSON object, unless something must be said before it; then a stream that ends with it. */
export interface PostStream extends Outlet {
  /** Sends the answer; undefined ends without one. */
  finish(id: Id, reply: Reply | undefined, status: number): void;
}

export interface PostStreamOptions {
  /** Whether the client takes a stream at all. */
  readonly canStream: boolean;
  readonly heartbeat: Heartbeat;
  /** Makes a stream that the client may come back to; undefined where there is no room for one. */
  readonly resumable?: () => Resumable | undefined;
  readonly extra?: Readonly<Record<string, string>>;
  /** Opens the stream without waiting for something to say. */
  readonly eager?: boolean;
}

export function postStream(res: ServerResponse, { canStream, heartbeat, resumable, extra, eager = false }: PostStreamOptions): PostStream {
  let streaming = false;
  let over = false;
  let log: Resumable | undefined;

  const start = (): void => {
    if (streaming) return;
    streaming = true;
    log = resumable?.();
    if (!res.destroyed) res.writeHead(200, { ...sseHeaders, ...extra });
    if (log) log.attach(res, 0);
  };
  let beats = 0;
  const beat = (): void => {
    beats += 1;
    // The first beat may come at once; from the second on the wait is long enough to need a sign of life.
    if (over || !canStream || beats < 2) return;
    start();
    if (!res.destroyed && !res.writableNeedDrain) res.write(sseKeepAlive);
  };
  if (canStream) heartbeat.add(beat);
  if (canStream && eager) start();

  const send = (text: string): void => {
    if (over || !canStream) return;
    start();
    if (log) log.send(text);
    else if (!res.destroyed && res.writableLength <= maxUnreadBytes) res.write(sseEvent(text));
  };

  return {
    send,
    ...(resumable && {
      detach: () => {
        if (over || !canStream) return;
        start();
        log?.detach();
      },
    }),
    finish(id, reply, status) {
      if (over) return;
      over = true;
      heartbeat.delete(beat);
      if (!streaming && reply) return sendReply(res, id, reply, status, extra);
      if (!streaming && !res.destroyed) res.writeHead(200, { ...sseHeaders, ...extra });
      const text = reply && replyText(id, reply);
      if (log) log.finish(text);
      else if (!res.destroyed) res.end(text === undefined ? undefined : sseEvent(text));
    },
  };
}
