/** Counts a stream while it passes and lets no byte beyond its cap through. */
export interface Capture {
  take(chunk: Buffer): void;
  truncated(): boolean;
}

/** A capture that hands on at most `maxBytes` and calls `atCap` once, at the first byte too many. */
export function capture(maxBytes: number, onBytes: (chunk: Buffer) => void, atCap: () => void): Capture {
  let taken = 0;
  let over = false;
  return {
    take(chunk) {
      if (over) return;
      const kept = chunk.length <= maxBytes - taken ? chunk : chunk.subarray(0, maxBytes - taken);
      taken += kept.length;
      if (kept.length > 0) onBytes(kept);
      if (kept.length === chunk.length) return;
      over = true;
      atCap();
    },
    truncated: () => over,
  };
}
