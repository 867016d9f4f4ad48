import type { EgressStream } from '../../../net/egress/egress-types.js';
import { pause } from '../../../lib/pause.js';
import type { RpcRequest } from '../../../wire/message.js';
import type { Reply, RpcReply, TransportFailure } from '../../../wire/reply.js';
import type { ChannelEvents } from './channel.js';
import type { Exchanged } from './http-exchange.js';
import { bodyFailure } from './http-failures.js';
import { streamMessages } from './http-messages.js';

/** Where a stream can be resumed, and how long the server asks to wait before that. */
export interface StreamPosition {
  lastId?: string;
  retryMs?: number;
}

/** Reads a stream until the response to `id` or its end; dispatches all other messages. */
type ReadStream = (
  answer: EgressStream,
  position: StreamPosition,
  about?: { readonly id: number; readonly owner: object | undefined },
) => Promise<RpcReply | undefined>;

/** Delay before a stream is opened again, and its upper bound. */
export const reopenMs = 1_000;
export const maxReopenMs = 30_000;
/** Attempts to resume one response. */
const maxResumes = 5;

/** Reader of the event streams of one channel. */
export function streamReader(
  { notification }: Pick<ChannelEvents, 'notification'>,
  answerRequest: (request: RpcRequest, owner: object | undefined) => unknown,
  maxEventBytes: number,
): ReadStream {
  return async (answer, position, about) => {
    for await (const { message, lastId, retryMs } of streamMessages(answer, maxEventBytes)) {
      if (lastId !== undefined) position.lastId = lastId;
      if (retryMs !== undefined) position.retryMs = retryMs;
      if (message?.kind === 'response' && message.id === about?.id) {
        // The response ends the exchange; later events on the stream belong to nothing.
        answer.cancel();
        return message.reply;
      }
      if (message?.kind === 'notification') notification(message.method, message.params, about?.owner);
      else if (message?.kind === 'request') void answerRequest(message, about?.owner);
    }
    return undefined;
  };
}

/** How a cut stream is continued. */
interface ResponseStreamOptions {
  readonly read: (answer: EgressStream, position: StreamPosition) => Promise<RpcReply | undefined>;
  /** Opens the rest of the stream behind an event id. */
  readonly resume: (lastId: string) => Promise<Exchanged>;
  readonly signal: AbortSignal;
}

/** The reply on an event stream. A stream that was cut is resumed like one that was closed on purpose, by Last-Event-ID. */
export async function readResponseStream(first: EgressStream, options: ResponseStreamOptions): Promise<Reply> {
  const { resume, signal } = options;
  const position: StreamPosition = {};
  let cut: TransportFailure = { kind: 'connection', message: 'the server closed the stream before it sent a response' };
  const read = async (stream: EgressStream): Promise<RpcReply | undefined> => {
    try {
      return await options.read(stream, position);
    } catch (error) {
      const failure = bodyFailure(error);
      // Only a lost connection is resumed; a protocol error would repeat itself.
      if (signal.aborted || failure.kind !== 'connection') throw error;
      cut = failure;
      return undefined;
    }
  };
  let reply = await read(first);
  for (let tries = 0; reply === undefined && tries < maxResumes && !signal.aborted; tries += 1) {
    // Without an event id the server cannot continue the stream.
    if (position.lastId === undefined) break;
    await pause(Math.min(position.retryMs ?? reopenMs, maxReopenMs), signal);
    const resumed = await resume(position.lastId);
    if ('failure' in resumed) {
      if (resumed.failure.kind !== 'connection') return resumed;
      cut = resumed.failure;
      continue;
    }
    if (resumed.status !== 200) {
      resumed.cancel();
      break;
    }
    reply = await read(resumed);
  }
  // The server may have processed the request, so it must not be sent again.
  return reply ?? { failure: { ...cut, unprocessed: false } };
}
