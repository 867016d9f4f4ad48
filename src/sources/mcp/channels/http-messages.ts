import type { EgressStream } from '../../../net/egress/egress-types.js';
import { StreamFailure, toFailure } from '../../../net/egress/egress-types.js';
import { decode } from '../../../wire/message.js';
import type { Message } from '../../../wire/message.js';
import { sseReader } from '../../../wire/sse-reader.js';

/** One SSE event: its message if it has one, and the position to resume from. */
interface StreamMessage {
  readonly message?: Message;
  readonly lastId?: string;
  readonly retryMs?: number;
  /** Event name and data, for the HTTP+SSE transport of 2024. */
  readonly event?: string;
  readonly data?: string;
}

/** Yields the messages of an SSE stream; incomplete events are never parsed. */
export async function* streamMessages(answer: EgressStream, maxEventBytes: number): AsyncGenerator<StreamMessage> {
  const reader = sseReader(maxEventBytes);
  for await (const piece of answer.body) {
    const events = reader.push(piece);
    // Bounded per event: a server could send one that never ends.
    if (events === undefined) {
      answer.cancel();
      throw new StreamFailure(toFailure('too_large', 'an event in the stream is too large'));
    }
    const { id, retryMs } = reader.last;
    const position = { ...(id !== undefined && { lastId: id }), ...(retryMs !== undefined && { retryMs }) };
    // Also without an event: a keep-alive may carry a new position.
    if (events.length === 0) yield position;
    for (const { event, data } of events) {
      // Other event names belong to the transport of 2024.
      if (event !== 'message' || data === '') {
        yield { ...position, event, data };
        continue;
      }
      const decoded = decode(Buffer.from(data));
      for (const message of decoded.kind === 'batch' ? decoded.messages : [decoded]) yield { message, ...position };
    }
  }
}

/** Reads the single message of a JSON response (size-limited by egress); undefined if the body is empty. */
export async function readMessage(answer: EgressStream): Promise<Message | undefined> {
  const bytes = await answer.whole();
  if (bytes.length === 0) return undefined;
  const decoded = decode(bytes);
  return decoded.kind === 'batch' ? decoded.messages.find(({ kind }) => kind === 'response') : decoded;
}
