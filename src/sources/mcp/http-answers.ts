import type { EgressStream } from '../../net/egress-types.js';
import { decode } from '../../wire/message.js';
import type { Message } from '../../wire/message.js';
import { sseReader } from '../../wire/sse-reader.js';

/** One event of a stream: its message where it holds one, and the place to come back to. */
export interface StreamMessage {
  readonly message?: Message;
  readonly lastId?: string;
  readonly retryMs?: number;
  /** The event's name and text, for protocols that use them. */
  readonly event?: string;
  readonly data?: string;
}

/** The messages of a stream as they come; a part of an event is never taken for one. */
export async function* messagesOf(answer: EgressStream, maxEventBytes: number): AsyncGenerator<StreamMessage> {
  const reader = sseReader(maxEventBytes);
  for await (const piece of answer.body) {
    const events = reader.push(piece);
    if (events === undefined) {
      answer.cancel();
      throw new Error('An event of the stream is too large');
    }
    const { id, retryMs } = reader.last;
    const place = { ...(id !== undefined && { lastId: id }), ...(retryMs !== undefined && { retryMs }) };
    if (events.length === 0) yield place;
    for (const { event, data } of events) {
      if (event !== 'message' || data === '') {
        yield { ...place, event, data };
        continue;
      }
      const decoded = decode(Buffer.from(data));
      for (const message of decoded.kind === 'batch' ? decoded.messages : [decoded]) yield { message, ...place };
    }
  }
}

/** The one message of a plain answer, which egress has kept within its bounds; undefined where there is none. */
export async function whole(answer: EgressStream): Promise<Message | undefined> {
  const bytes = await answer.whole();
  if (bytes.length === 0) return undefined;
  const decoded = decode(bytes);
  return decoded.kind === 'batch' ? decoded.messages.find(({ kind }) => kind === 'response') : decoded;
}

/** What an answer without a usable message means. */
export function problemOf(status: number, message: Message | undefined): string {
  if (status === 401) return 'the server wants authorization; see toolgate login';
  if (status === 403) return 'the server forbids this';
  if (status >= 300 && status < 400) return 'the server redirects, which is not followed';
  if (message?.kind === 'invalid' && status < 400)
    return `the server answered with something that is no JSON-RPC: ${message.error.message}`;
  return `the server answered with status ${status}`;
}
