import { StringDecoder } from 'node:string_decoder';

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** Reads server-sent events from pieces of any size. */
export interface SseReader {
  /** The events completed by this piece; undefined once one grew past the limit, after which the stream is not to be trusted. */
  push(piece: Uint8Array): readonly SseEvent[] | undefined;
  /** The last event id and retry time the server named. */
  readonly last: { readonly id: string | undefined; readonly retryMs: number | undefined };
}

/** An incremental reader that holds at most `maxEventBytes` of an unfinished event. */
export function sseReader(maxEventBytes: number): SseReader {
  const decoder = new StringDecoder('utf8');
  const last: { id: string | undefined; retryMs: number | undefined } = { id: undefined, retryMs: undefined };
  let rest = '';
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
      size += value.length;
    } else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) last.id = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) last.retryMs = Number(value);
  };

  return {
    last,
    push(piece) {
      if (broken) return undefined;
      // A Buffer view is needed by the decoder; the bytes are not copied.
      rest += decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
      if (first && rest !== '') {
        first = false;
        if (rest.startsWith('\uFEFF')) rest = rest.slice(1);
      }
      const events: SseEvent[] = [];
      let start = 0;
      for (let at = 0; at < rest.length; at += 1) {
        const char = rest.charCodeAt(at);
        if (char !== 0x0a && char !== 0x0d) continue;
        // A carriage return at the very end may be half of a pair.
        if (char === 0x0d && at === rest.length - 1) break;
        const line = rest.slice(start, at);
        if (char === 0x0d && rest.charCodeAt(at + 1) === 0x0a) at += 1;
        start = at + 1;
        if (line !== '') field(line);
        else {
          if (data.length > 0)
            events.push({
              event: event || 'message',
              data: data.join('\n'),
              ...(last.id !== undefined && { id: last.id }),
            });
          event = '';
          data = [];
          size = 0;
        }
      }
      rest = rest.slice(start);
      if (rest.length + size > maxEventBytes) {
        broken = true;
        return undefined;
      }
      return events;
    },
  };
}
