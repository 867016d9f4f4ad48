import { pipeline, Readable } from 'node:stream';
import type { ByteSource } from './streamed-response.js';
import { toFailure, StreamFailure, type ResponseHeaders } from '../egress/egress-types.js';
import {
  maxDecompressedBytes,
  contentCodingOf,
  decompressor,
  toDecompressionFailure,
  type DecompressionLimits,
} from './decompression.js';

/** Decompressed bytes of a response body; fails once they exceed the limits. */
export async function* byteStream(
  source: ByteSource,
  headers: ResponseHeaders,
  limits: DecompressionLimits,
  idleMs: number,
  onOver: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  let compressedBytes = 0;
  let total = 0;
  async function* raw(first: Buffer): AsyncGenerator<Buffer, void, undefined> {
    for (let chunk: Buffer | undefined = first; chunk; chunk = await source.next(idleMs)) {
      compressedBytes += chunk.length;
      yield chunk;
    }
  }
  // Counted after decompression: a small body may unpack to gigabytes (decompression bomb).
  const checkSize = (chunk: Buffer, limit: number): Buffer => {
    total += chunk.length;
    if (total > limit) throw tooLargeFailure(limit);
    return chunk;
  };
  try {
    const coding = contentCodingOf(headers);
    if (typeof coding === 'object') throw new StreamFailure(coding);
    const first = await source.next(idleMs);
    if (!first) return;
    if (coding)
      for await (const chunk of decompressChunks(raw(first), decompressor(coding, first)))
        yield checkSize(chunk, maxDecompressedBytes(compressedBytes, limits));
    else
      for (let chunk: Buffer | undefined = first; chunk; chunk = await source.next(idleMs))
        yield checkSize(chunk, limits.maxBytes);
    // On every way out, also if the reader stops early.
  } finally {
    source.stop();
    onOver();
  }
}

/** The same bytes as one buffer, with a fast path for bodies without content coding. */
export async function readWhole(
  source: ByteSource,
  headers: ResponseHeaders,
  limits: DecompressionLimits,
  idleMs: number,
  onOver: () => void,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  if (contentCodingOf(headers) !== undefined) {
    for await (const chunk of byteStream(source, headers, limits, idleMs, onOver)) parts.push(chunk);
    return Buffer.concat(parts);
  }
  let total = 0;
  try {
    for (let chunk = await source.next(idleMs); chunk; chunk = await source.next(idleMs)) {
      total += chunk.length;
      if (total > limits.maxBytes) throw tooLargeFailure(limits.maxBytes);
      parts.push(chunk);
    }
  } finally {
    source.stop();
    onOver();
  }
  const [first] = parts;
  // One chunk needs no copy.
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

/** Failure of a body that exceeds its limit. */
const tooLargeFailure = (limit: number): StreamFailure =>
  new StreamFailure(toFailure('too_large', `the response is larger than ${limit} bytes`));

/** Decompresses chunks; an error of the decoder becomes a failure of the response. */
async function* decompressChunks(
  chunks: AsyncGenerator<Buffer>,
  unpack: ReturnType<typeof decompressor>,
): AsyncGenerator<Buffer, void, undefined> {
  // Errors surface in the loop below; the callback only makes pipeline destroy the other streams.
  pipeline(Readable.from(chunks), unpack, () => undefined);
  try {
    for await (const chunk of unpack) yield chunk;
  } catch (error) {
    throw error instanceof StreamFailure ? error : new StreamFailure(toDecompressionFailure({ code: undefined }));
  }
}
