import { StringDecoder } from 'node:string_decoder';

/** One server-sent event. */
interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** Parses server-sent events from chunks of any size. */
interface SseReader {
  /** Returns the events completed by this chunk; undefined once an event exceeded the limit, after which the stream is unusable. */
  push(piece: Uint8Array): readonly SseEvent[] | undefined;
  /** Last event id and retry time sent by the server. */
  readonly last: { readonly id: string | undefined; readonly retryMs: number | undefined };
}

/** Incremental SSE parser that buffers at most `maxEventBytes` of an unfinished event. */
export function sseReader(maxEventBytes: number): SseReader {
  const decoder = new StringDecoder('utf8');
  const last: { id: string | undefined; retryMs: number | undefined } = { id: undefined, retryMs: undefined };
  /** Chunks of the unfinished line; joining them on every chunk would take quadratic time. */
  let parts: string[] = [];
  let bufferedChars = 0;
  let carried = '';
  let event = '';
  let data: string[] = [];
  let size = 0;
  let first = true;
  let broken = false;

  const field = (line: string): void => {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      data.push(value);
      // Charge a fixed cost per line: many empty data lines also use memory.
      size += value.length + lineCost;
    } else if (name === 'event') event = value;
    else if (name === 'id' && value.length <= maxIdLength && !value.includes('\0')) last.id = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) last.retryMs = Number(value);
  };

  const textOf = (piece: Uint8Array): string => {
    // The decoder needs a Buffer view; the bytes are not copied.
    const text = carried + decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    carried = '';
    if (!first || text === '') return text;
    first = false;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  };
  const finish = (events: SseEvent[]): void => {
    if (data.length > 0)
      events.push({
        event: event || 'message',
        data: data.join('\n'),
        ...(last.id !== undefined && { id: last.id }),
      });
    event = '';
    data = [];
    size = 0;
  };

  return {
    last,
    push(piece) {
      if (broken) return undefined;
      const text = textOf(piece);
      const events: SseEvent[] = [];
      let start = 0;
      for (let at = 0; at < text.length; at += 1) {
        const char = text.charCodeAt(at);
        if (char !== 0x0a && char !== 0x0d) continue;
        // A carriage return at the end of a chunk may be the first half of CRLF.
        if (char === 0x0d && at === text.length - 1) {
          carried = '\r';
          break;
        }
        const end = text.slice(start, at);
        const line = bufferedChars === 0 ? end : parts.join('') + end;
        parts = [];
        bufferedChars = 0;
        if (char === 0x0d && text.charCodeAt(at + 1) === 0x0a) at += 1;
        start = at + 1;
        if (line === '') finish(events);
        else field(line);
      }
      const rest = text.slice(start, text.length - carried.length);
      if (rest !== '') parts.push(rest);
      bufferedChars += rest.length;
      if (bufferedChars + parts.length * lineCost + size > maxEventBytes) {
        broken = true;
        parts = [];
        return undefined;
      }
      return events;
    },
  };
}

const lineCost = 16;
/** Ids are sent back in the Last-Event-ID header. */
const maxIdLength = 1_024;
