/** Buffer with a size limit; copies chunks together, so that a flood of one-byte chunks costs bytes instead of objects. */
interface BodyBuffer {
  /** Appends a chunk; false if it would exceed the limit, and then it is dropped. */
  readonly add: (chunk: Buffer) => boolean;
  readonly bytes: () => Buffer;
}

const firstAllocation = 16_384;

/** Creates a buffer of at most `maxBytes`; memory grows with received data, never with a declared Content-Length. */
export function bodyBuffer(maxBytes: number): BodyBuffer {
  let store: Buffer | undefined;
  let length = 0;
  return {
    add: (chunk) => {
      if (length + chunk.length > maxBytes) return false;
      // Most bodies are a single chunk, which needs no copy.
      if (!store) store = chunk;
      else {
        if (length + chunk.length > store.length) store = grow(store, length, length + chunk.length);
        chunk.copy(store, length);
      }
      length += chunk.length;
      return true;
    },
    bytes: () => store?.subarray(0, length) ?? Buffer.alloc(0),
  };
}

function grow(store: Buffer, length: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(firstAllocation, needed, length * 2));
  store.copy(larger, 0, 0, length);
  return larger;
}
