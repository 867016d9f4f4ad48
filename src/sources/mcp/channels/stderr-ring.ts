import { StringDecoder } from 'node:string_decoder';

/** Ring buffer with the tail of a child's stderr; never more than `maxChars`. */
interface StderrRing {
  push(chunk: Buffer): void;
  /** The tail with secrets redacted; '' if nothing was written. */
  tail(maxChars?: number): string;
}

/** Longest line that is passed on; a longer one comes in parts. */
const maxLineChars = 2_000;

/** Drains a child's stderr, so that backpressure never blocks a chatty child. */
export function stderrRing(
  mask: (text: string) => string,
  {
    maxChars = 8_192,
    onLine,
  }: { readonly maxChars?: number; readonly onLine?: ((line: string) => void) | undefined } = {},
): StderrRing {
  const decoder = new StringDecoder('utf8');
  let buffer = '';
  let unfinished = '';
  const emitLines = (text: string): void => {
    if (!onLine) return;
    unfinished += text;
    const end = unfinished.length > maxLineChars ? unfinished.length : unfinished.lastIndexOf('\n') + 1;
    if (end === 0) return;
    // Redacted before it is split: a secret may have several lines.
    const lines = mask(unfinished.slice(0, end)).split('\n');
    unfinished = unfinished.slice(end);
    for (const line of lines) if (line.trim() !== '') onLine(line.trimEnd().slice(0, maxLineChars));
  };
  return {
    push(chunk) {
      const text = decoder.write(chunk);
      emitLines(text);
      buffer += text;
      // Cut at twice the size, so that many small chunks do not copy the buffer each time.
      if (buffer.length > 2 * maxChars) buffer = buffer.slice(-maxChars);
    },
    tail(most = maxChars) {
      // Redact before cutting: half a secret would no longer match.
      return mask(buffer).trim().slice(-most);
    },
  };
}
