/** Limits a stream to a number of bytes. */
interface OutputCap {
  take(chunk: Buffer): void;
  truncated(): boolean;
  /** Bytes that were produced, forwarded or not. */
  produced(): number;
}

/** Forwards at most `maxBytes` and calls `atCap` once, at the first byte over the limit. */
export function outputCap(maxBytes: number, onBytes: (chunk: Buffer) => void, atCap: () => void): OutputCap {
  let taken = 0;
  let over = false;
  let produced = 0;
  return {
    take(chunk) {
      produced += chunk.length;
      if (over) return;
      const kept = chunk.length <= maxBytes - taken ? chunk : chunk.subarray(0, maxBytes - taken);
      taken += kept.length;
      if (kept.length > 0) onBytes(kept);
      if (kept.length === chunk.length) return;
      over = true;
      atCap();
    },
    truncated: () => over,
    produced: () => produced,
  };
}
