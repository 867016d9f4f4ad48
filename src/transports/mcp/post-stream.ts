import type { ServerResponse } from 'node:http';
import type { LinkedNode } from '../../lib/linked-set.js';
import type { Id } from '../../wire/id.js';
import { sseEvent, sseHeaders, sseKeepAlive } from '../../wire/sse.js';
import type { Reply } from './caller.js';
import type { Beating, Heartbeat } from './heartbeat.js';
import { replyText, sendReply } from './http-reply.js';
import type { Outlet } from './outlet.js';
import type { Resumable } from './resumable.js';

/** What a reader may leave unread before messages for it are dropped. */
export const maxUnreadBytes = 1_048_576;

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

/**
 * The answer to one POST: a JSON object, unless something must be said before it; then a stream that ends with it.
 * A class, since one is made for every request: methods on a prototype cost nothing where closures would be made anew.
 */
export class PostStream implements Outlet, Beating {
  readonly #res: ServerResponse;
  readonly #options: PostStreamOptions;
  #streaming = false;
  #over = false;
  #beats = 0;
  #log: Resumable | undefined;
  #place: LinkedNode<Beating> | undefined;

  constructor(res: ServerResponse, options: PostStreamOptions) {
    this.#res = res;
    this.#options = options;
    if (!options.canStream) return;
    this.#place = options.heartbeat.add(this);
    if (options.eager) this.#start();
  }

  #start(): void {
    if (this.#streaming) return;
    this.#streaming = true;
    this.#log = this.#options.resumable?.();
    if (!this.#res.destroyed) this.#res.writeHead(200, { ...sseHeaders, ...this.#options.extra });
    this.#log?.attach(this.#res, 0);
  }

  beat(): void {
    this.#beats += 1;
    // The first beat may come at once; from the second on the wait is long enough to need a sign of life.
    if (this.#over || this.#beats < 2) return;
    this.#start();
    if (!this.#res.destroyed && !this.#res.writableEnded && !this.#res.writableNeedDrain) this.#res.write(sseKeepAlive);
  }

  send(text: string): void {
    if (this.#over || !this.#options.canStream) return;
    this.#start();
    if (this.#log) this.#log.send(text);
    else if (!this.#res.destroyed && this.#res.writableLength <= maxUnreadBytes) this.#res.write(sseEvent(text));
  }

  /** Lets go of the connection, where the client knows how to come back. */
  detach(): void {
    if (this.#over || !this.#options.canStream || !this.#options.resumable) return;
    this.#start();
    this.#log?.detach();
  }

  /** Sends the answer; undefined ends without one. */
  finish(id: Id, reply: Reply | undefined, status: number): void {
    if (this.#over) return;
    this.#over = true;
    const { heartbeat, extra } = this.#options;
    if (this.#place) heartbeat.delete(this.#place);
    if (!this.#streaming && reply) return sendReply(this.#res, id, reply, status, extra);
    if (!this.#streaming && !this.#res.destroyed) this.#res.writeHead(200, { ...sseHeaders, ...extra });
    const text = reply && replyText(id, reply);
    if (this.#log) this.#log.finish(text);
    else if (!this.#res.destroyed) this.#res.end(text === undefined ? undefined : sseEvent(text));
    return undefined;
  }
}
