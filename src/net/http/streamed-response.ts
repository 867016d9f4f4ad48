import type { Budget } from '../egress/budgets.js';
import { toFailure, StreamFailure, type Failed, type Refused, type ResponseHeaders } from '../egress/egress-types.js';
import { noExchange, type ExchangeControl, type Hop } from './http-exchange.js';
import type { Send } from './buffered-response.js';

/** Status and headers of a response, with its body as a byte source. */
interface StreamedResponse {
  readonly kind: 'arriving';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly source: ByteSource;
}

/** Raw bytes in order; `next` resolves to undefined at the end and throws a `StreamFailure` if the body is cut short. */
export interface ByteSource {
  readonly next: (idleMs: number) => Promise<Buffer | undefined>;
  readonly fail: (why: Failed | Refused) => void;
  readonly stop: () => void;
  /** Whether the whole body has arrived; buffered chunks can still be read. */
  readonly isOver: () => boolean;
}

/** Unread data at which the connection is paused. */
const pauseAtBytes = 262_144;
const pauseAtChunks = 1_024;

/** Sends one hop and resolves once the response headers are in; pauses the connection while the body is not read (backpressure). */
export function streamResponse(send: Send, hop: Hop, time: Budget): Promise<StreamedResponse | Failed | Refused> {
  return new Promise((resolve) => {
    // A refused request fails before `send` returns.
    let control = noExchange;
    const source = byteSource(() => control);
    time.watch((why) => {
      source.fail(why);
      resolve(why);
    });
    control = send(hop, {
      head: (status, headers) => resolve({ kind: 'arriving', status, headers, source }),
      data: source.push,
      end: source.end,
      fail: (why) => {
        source.fail(why);
        resolve(why);
      },
    });
  });
}

/** Queue between the connection and its reader. */
function byteSource(
  control: () => ExchangeControl,
): ByteSource & { readonly push: (chunk: Buffer) => void; readonly end: () => void } {
  const queue: Buffer[] = [];
  let queuedBytes = 0;
  let isPaused = false;
  let isEnded = false;
  let failure: Failed | Refused | undefined;
  let wake: (() => void) | undefined;
  const end = () => {
    isEnded = true;
    wake?.();
  };
  const fail = (why: Failed | Refused) => {
    if (isEnded) return;
    failure = why;
    control().stop();
    end();
  };
  return {
    end,
    fail,
    isOver: () => isEnded,
    stop: () => {
      // Buffered data is dropped, since its reader is gone.
      queue.length = 0;
      control().stop();
      end();
    },
    push: (chunk) => {
      queue.push(chunk);
      queuedBytes += chunk.length;
      if (!isPaused && (queuedBytes > pauseAtBytes || queue.length > pauseAtChunks)) {
        isPaused = true;
        control().pause();
      }
      wake?.();
    },
    next: async (idleMs) => {
      if (queue.length === 0 && !isEnded)
        await waitForData(
          idleMs,
          (waker) => (wake = waker),
          () => fail(toFailure('timeout', `no data received for ${idleMs} ms`)),
        );
      const chunk = queue.shift();
      if (!chunk) {
        if (failure) throw new StreamFailure(failure);
        return undefined;
      }
      queuedBytes -= chunk.length;
      // Resumed when the queue is empty: pausing for every chunk would cost more.
      if (isPaused && queue.length === 0) {
        isPaused = false;
        control().resume();
      }
      return chunk;
    },
  };
}

/** Waits for data, the end, or the idle limit. */
function waitForData(idleMs: number, onWake: (wake: () => void) => void, onIdle: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = idleMs === Infinity ? undefined : setTimeout(onIdle, idleMs);
    onWake(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
