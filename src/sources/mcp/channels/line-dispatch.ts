import { decode } from '../../../wire/message.js';
import type { Message } from '../../../wire/message.js';
import { headAndTail, lineReader } from '../../../wire/lines.js';
import type { OverlongLine } from '../../../wire/lines.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import { findResponseId } from './response-id.js';

/** Where the messages of a program go. */
interface LineDispatchOptions {
  /** Name of the program in messages. */
  readonly displayName: string;
  readonly maxLineBytes: number;
  readonly settle: (response: { readonly id: number; readonly reply: Reply }) => void;
  readonly onMessage: (message: Exclude<Message, { readonly kind: 'invalid' }>) => void;
  /** Called for output lines that are not JSON-RPC. */
  readonly onInvalidLine?: ((what: string) => void) | undefined;
}

/** Decodes the output of a program line by line; one unreadable line costs only the request it answers. */
export function lineDispatch(options: LineDispatchOptions): (chunk: Buffer) => void {
  const { displayName, maxLineBytes, settle, onMessage, onInvalidLine } = options;
  const lines = lineReader(maxLineBytes);

  /** Fails the request that an unparsable response belongs to at once, instead of at its deadline. */
  const failUnreadable = ({ head, tail }: OverlongLine, kind: 'oversized' | 'protocol', why: string): void => {
    onInvalidLine?.(why);
    // The id is searched in the raw text: beginning and end are enough to find it.
    const id = findResponseId(head, tail);
    if (id === undefined) return;
    settle({ id, reply: failedReply(kind, `${displayName} sent a response that cannot be parsed: ${why}`) });
  };
  const dispatch = (message: Message): void =>
    message.kind === 'invalid' ? onInvalidLine?.(message.error.message) : onMessage(message);

  return (chunk) => {
    for (const line of lines.push(chunk)) {
      // An overlong line is not buffered; only its ends are known.
      if (!Buffer.isBuffer(line)) {
        failUnreadable(line, 'oversized', `a line over ${maxLineBytes} bytes was skipped`);
        continue;
      }
      const decoded = decode(line);
      if (decoded.kind === 'batch') for (const message of decoded.messages) dispatch(message);
      else if (decoded.kind === 'invalid') failUnreadable(headAndTail(line), 'protocol', decoded.error.message);
      else dispatch(decoded);
    }
  };
}
