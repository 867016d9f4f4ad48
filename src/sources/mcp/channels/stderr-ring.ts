import { StringDecoder } from 'node:string_decoder';

/** Ring buffer with the tail of a child's stderr; never more than `maxChars`. */
interface StderrRing {
  push(chunk: Buffer): void;
  /** The tail with secrets redacted; '' if nothing was written. */
  tail(maxChars?: number): string;
}

/** Drains a child's stderr, so that backpressure never blocks a chatty child. */
export function stderrRing(mask: (text: string) => string, maxChars = 8_192): StderrRing {
  const decoder = new StringDecoder('utf8');
  let buffer = '';
  return {
    push(chunk) {
      buffer += decoder.write(chunk);
      // Cut at twice the size, so that many small chunks do not copy the buffer each time.
      if (buffer.length > 2 * maxChars) buffer = buffer.slice(-maxChars);
    },
    tail(most = maxChars) {
      // Redact before cutting: half a secret would no longer match.
      return mask(buffer).trim().slice(-most);
    },
  };
}
