import type { Budget } from './budgets.js';
import { failed, StreamFailure, type Failed, type Refused, type ResponseHeaders } from './egress-types.js';
import { noFlow, type Flow, type Hop } from './exchanges.js';
import type { Send } from './whole-answers.js';

/** The head of an answer and its bytes as they come. */
export interface Arriving {
  readonly kind: 'arriving';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly source: ByteSource;
}

/** Raw bytes in order; undefined at the end, a `StreamFailure` when cut. */
export interface ByteSource {
  readonly next: (idleMs: number) => Promise<Buffer | undefined>;
  readonly fail: (why: Failed | Refused) => void;
  readonly stop: () => void;
  /** Whether everything has come; what has, is still there to be read. */
  readonly isOver: () => boolean;
}

const pauseAtBytes = 262_144;
const pauseAtChunks = 1_024;

/** Sends one hop and gives its answer as soon as the head is there; the sender is held back while nobody reads. */
export function arrivingAnswer(send: Send, hop: Hop, time: Budget): Promise<Arriving | Failed | Refused> {
  return new Promise((resolve) => {
    // A request refused on the spot is told before `send` returns.
    let flow = noFlow;
    const source = byteSource(() => flow);
    time.watch((why) => {
      source.fail(why);
      resolve(why);
    });
    flow = send(hop, {
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

function byteSource(
  flow: () => Flow,
): ByteSource & { readonly push: (chunk: Buffer) => void; readonly end: () => void } {
  const queue: Buffer[] = [];
  let queuedBytes = 0;
  let paused = false;
  let ended = false;
  let failure: Failed | Refused | undefined;
  let wake: (() => void) | undefined;
  const end = () => {
    ended = true;
    wake?.();
  };
  const fail = (why: Failed | Refused) => {
    if (ended) return;
    failure = why;
    flow().stop();
    end();
  };
  return {
    end,
    fail,
    isOver: () => ended,
    stop: () => {
      queue.length = 0;
      flow().stop();
      end();
    },
    push: (chunk) => {
      queue.push(chunk);
      queuedBytes += chunk.length;
      if (!paused && (queuedBytes > pauseAtBytes || queue.length > pauseAtChunks)) {
        paused = true;
        flow().pause();
      }
      wake?.();
    },
    next: async (idleMs) => {
      if (queue.length === 0 && !ended)
        await waiting(
          idleMs,
          (waker) => (wake = waker),
          () => fail(failed('timeout', `nothing came for ${idleMs} ms`)),
        );
      const chunk = queue.shift();
      if (!chunk) {
        if (failure) throw new StreamFailure(failure);
        return undefined;
      }
      queuedBytes -= chunk.length;
      if (paused && queue.length === 0) {
        paused = false;
        flow().resume();
      }
      return chunk;
    },
  };
}

function waiting(idleMs: number, onWake: (wake: () => void) => void, onIdle: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = idleMs === Infinity ? undefined : setTimeout(onIdle, idleMs);
    onWake(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
