import { StringDecoder } from 'node:string_decoder';

/** The last of what a child wrote to stderr; never more than `maxChars`. */
export interface StderrRing {
  push(chunk: Buffer): void;
  /** The tail with secrets masked, '' where nothing was written. */
  tail(maxChars?: number): string;
}

/** A ring that drains a child's stderr, so that a chatty child is never held back by it. */
export function stderrRing(mask: (text: string) => string, maxChars = 8_192): StderrRing {
  const decoder = new StringDecoder('utf8');
  let kept = '';
  return {
    push(chunk) {
      kept += decoder.write(chunk);
      // Cut at twice the size, so that a flood of small pieces does not copy the ring for each of them.
      if (kept.length > 2 * maxChars) kept = kept.slice(-maxChars);
    },
    tail(most = maxChars) {
      // Masked before it is cut: half a secret would no longer be known as one.
      return mask(kept).trim().slice(-most);
    },
  };
}
