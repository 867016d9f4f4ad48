import { monotonic } from '../../lib/clock.js';
import { pause } from '../../lib/pause.js';
import { progressTokenOf } from '../../wire/meta.js';
import type { RpcRequest } from '../../wire/message.js';
import type { MessageSink } from '../mcp/message-sink.js';

/** Time between the last progress message of a request and its response. */
const gapMs = 10;
const progressHead = '{"jsonrpc":"2.0","method":"notifications/progress"';

/** Sink of one request, and the wait before its response. */
interface PacedSink {
  readonly sink: MessageSink;
  /** Resolves once the response may follow; undefined if it may at once. */
  gap(): Promise<boolean> | undefined;
}

/**
 * Separates progress messages from the response over a pipe: clients that read both in one chunk drop the handler of the progress
 * with the response, before the message is delivered to it.
 */
export function pacedSink(inner: MessageSink, { params }: Pick<RpcRequest, 'params'>): PacedSink {
  if (progressTokenOf(params) === undefined) return { sink: inner, gap: () => undefined };
  let last = Number.NEGATIVE_INFINITY;
  /** Resolves when the last progress message has left: lines of one turn are written together at its end. */
  let leaving: Promise<void> | undefined;
  return {
    sink: {
      ...inner,
      send(text) {
        inner.send(text);
        if (!text.startsWith(progressHead)) return;
        leaving ??= new Promise((resolve) => {
          setImmediate(() => {
            leaving = undefined;
            last = monotonic();
            resolve();
          });
        });
      },
    },
    gap() {
      if (leaving) return leaving.then(() => pause(gapMs));
      const restMs = last + gapMs - monotonic();
      return restMs > 0 ? pause(restMs) : undefined;
    },
  };
}
