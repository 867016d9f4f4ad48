/** Bytes gathered up to a cap, copied together so that a flood of one-byte chunks costs bytes and not objects. */
export interface Gathered {
  /** False once the cap is passed; what came over it is not kept. */
  readonly add: (chunk: Buffer) => boolean;
  readonly bytes: () => Buffer;
}

const firstAllocation = 16_384;

/** Gathers at most `maxBytes` bytes; memory grows with what came, never with what was announced. */
export function gathered(maxBytes: number): Gathered {
  let store: Buffer | undefined;
  let length = 0;
  return {
    add: (chunk) => {
      if (length + chunk.length > maxBytes) return false;
      // Most answers come in one piece, which then needs no copy.
      if (!store) store = chunk;
      else {
        if (length + chunk.length > store.length) store = grown(store, length, length + chunk.length);
        chunk.copy(store, length);
      }
      length += chunk.length;
      return true;
    },
    bytes: () => store?.subarray(0, length) ?? Buffer.alloc(0),
  };
}

function grown(store: Buffer, length: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(firstAllocation, needed, length * 2));
  store.copy(larger, 0, 0, length);
  return larger;
}
