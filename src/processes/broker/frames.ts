/** Frame kinds between gateway and broker; `>` goes to the broker, `<` to the gateway. */
export const frame = {
  hello: 1, // > JSON Hello
  start: 2, // > JSON Start
  kill: 5, // > u32 grace in ms
  credit: 6, // > u32 output bytes consumed
  tiers: 16, // < JSON TierReport
  started: 17, // < JSON { pid, tier }
  stdout: 18, // < bytes
  stderr: 19, // < bytes
  exit: 20, // < JSON Exit
  refused: 21, // < JSON { reason, message }
  problem: 23, // < text for the log
  swept: 25, // < u32 orphans of dead gateways that could not be killed
} as const;

const headerBytes = 9;

/** Maximum payload of one frame; a longer one is a protocol error. */
export const maxPayloadBytes = 4 * 1024 * 1024;

/** Encodes a frame: length, kind, id, payload. */
export function toFrame(kind: number, id: number, payload: Buffer | string = ''): Buffer {
  const length = Buffer.byteLength(payload);
  const bytes = Buffer.allocUnsafe(headerBytes + length);
  bytes.writeUInt32LE(length, 0);
  bytes[4] = kind;
  bytes.writeUInt32LE(id, 5);
  if (typeof payload === 'string') bytes.write(payload, headerBytes);
  else payload.copy(bytes, headerBytes);
  return bytes;
}

/** Encodes a frame with one unsigned number, clamped to the range of a timer. */
export function toCountFrame(kind: number, id: number, count: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32LE(Math.min(Math.max(0, Math.trunc(count) || 0), 2 ** 31 - 1), 0);
  return toFrame(kind, id, payload);
}

export type FrameHandler = (kind: number, id: number, payload: Buffer) => void;

/**
 * Decoder for chunks of any size; emits complete frames and returns false once the stream is corrupt. A payload is only
 * valid during the call; handlers copy what they keep.
 */
export function frameReader(onFrame: FrameHandler): (chunk: Buffer) => boolean {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let wanted = headerBytes;
  let isBroken = false;

  return (chunk) => {
    if (isBroken) return false;
    bufferedBytes += chunk.length;
    buffered.push(chunk);
    if (bufferedBytes < wanted) return true;
    const bytes = buffered.length === 1 ? chunk : Buffer.concat(buffered, bufferedBytes);
    let at = 0;
    wanted = headerBytes;
    while (bytes.length - at >= headerBytes) {
      const length = bytes.readUInt32LE(at);
      if (length > maxPayloadBytes) {
        isBroken = true;
        buffered = [];
        return false;
      }
      if (bytes.length - at < headerBytes + length) {
        wanted = headerBytes + length;
        break;
      }
      const body = at + headerBytes;
      onFrame(bytes.readUInt8(at + 4), bytes.readUInt32LE(at + 5), bytes.subarray(body, body + length));
      at = body + length;
    }
    bufferedBytes = bytes.length - at;
    buffered = bufferedBytes === 0 ? [] : [bytes.subarray(at)];
    return true;
  };
}
