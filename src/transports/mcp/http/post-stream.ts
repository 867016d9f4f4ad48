import type { ServerResponse } from 'node:http';
import type { LinkedNode } from '../../../lib/linked-set.js';
import type { Id } from '../../../wire/id.js';
import { sseEvent, sseHeaders, sseKeepAlive } from '../../../wire/sse.js';
import type { Reply } from '../request-context.js';
import type { HeartbeatTarget, Heartbeat } from './heartbeat.js';
import { replyText, sendReply } from './reply.js';
import type { MessageSink } from '../message-sink.js';
import type { ResumableStream } from '../legacy/resumable-stream.js';

/** Backpressure limit: notifications are dropped while more than this is unsent. */
export const maxUnreadBytes = 1_048_576;

/** Options of one POST response. */
interface PostStreamOptions {
  /** Whether the client accepts text/event-stream. */
  readonly canStream: boolean;
  readonly heartbeat: Heartbeat;
  /** Creates a resumable stream; undefined if the session has too many. */
  readonly resumable?: () => ResumableStream | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Opens the stream at once instead of with the first notification. */
  readonly alwaysStream?: boolean;
}

/**
 * Response to one POST: a JSON object, or an event stream if notifications precede the response.
 * A class because one is allocated per request: prototype methods are shared, closures are not.
 */
export class PostStream implements MessageSink, HeartbeatTarget {
  readonly #res: ServerResponse;
  readonly #options: PostStreamOptions;
  #streaming = false;
  #finished = false;
  #beats = 0;
  #stream: ResumableStream | undefined;
  #heartbeatNode: LinkedNode<HeartbeatTarget> | undefined;

  constructor(res: ServerResponse, options: PostStreamOptions) {
    this.#res = res;
    this.#options = options;
    if (!options.canStream) return;
    this.#heartbeatNode = options.heartbeat.add(this);
    if (options.alwaysStream) this.#start();
  }

  /** Switches from a JSON response to an event stream. */
  #start(): void {
    if (this.#streaming) return;
    this.#streaming = true;
    this.#stream = this.#options.resumable?.();
    if (!this.#res.destroyed) this.#res.writeHead(200, { ...sseHeaders, ...this.#options.headers });
    this.#stream?.attach(this.#res, 0);
  }

  onHeartbeat(): void {
    this.#beats += 1;
    // The first heartbeat may come at once; from the second on at least one full interval has passed.
    if (this.#finished || this.#beats < 2) return;
    this.#start();
    if (!this.#res.destroyed && !this.#res.writableEnded && !this.#res.writableNeedDrain) this.#res.write(sseKeepAlive);
  }

  send(text: string): void {
    if (this.#finished || !this.#options.canStream) return;
    this.#start();
    if (this.#stream) this.#stream.send(text);
    else if (!this.#res.destroyed && this.#res.writableLength <= maxUnreadBytes) this.#res.write(sseEvent(text));
  }

  /** Closes the connection; the client resumes the stream later. */
  detach(): void {
    if (this.#finished || !this.#options.canStream || !this.#options.resumable) return;
    this.#start();
    this.#stream?.detach();
  }

  /** Sends the response; undefined ends without one. */
  finish(id: Id, reply: Reply | undefined, status: number): void {
    if (this.#finished) return;
    this.#finished = true;
    const { heartbeat, headers: extra } = this.#options;
    if (this.#heartbeatNode) heartbeat.delete(this.#heartbeatNode);
    if (!this.#streaming && reply) return sendReply(this.#res, id, reply, status, extra);
    if (!this.#streaming && !this.#res.destroyed) this.#res.writeHead(200, { ...sseHeaders, ...extra });
    const text = reply && replyText(id, reply);
    if (this.#stream) this.#stream.finish(text);
    else if (!this.#res.destroyed) this.#res.end(text === undefined ? undefined : sseEvent(text));
    return undefined;
  }
}
