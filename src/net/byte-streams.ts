import { pipeline, Readable } from 'node:stream';
import type { ByteSource } from './arriving-answers.js';
import { failed, StreamFailure, type ResponseHeaders } from './egress-types.js';
import { allowance, codingOf, unpacker, unpackFailure, type UnpackLimits } from './unpacking.js';

/** The bytes of an answer as its sender meant them: unpacked while they come, counted, and cut at the limits. */
export async function* byteStream(
  source: ByteSource,
  headers: ResponseHeaders,
  limits: UnpackLimits,
  idleMs: number,
  onOver: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  let packed = 0;
  let total = 0;
  async function* raw(first: Buffer): AsyncGenerator<Buffer, void, undefined> {
    for (let chunk: Buffer | undefined = first; chunk; chunk = await source.next(idleMs)) {
      packed += chunk.length;
      yield chunk;
    }
  }
  const counted = (chunk: Buffer, limit: number): Buffer => {
    total += chunk.length;
    if (total > limit) throw tooLarge(limit);
    return chunk;
  };
  try {
    const coding = codingOf(headers);
    if (typeof coding === 'object') throw new StreamFailure(coding);
    const first = await source.next(idleMs);
    if (!first) return;
    if (coding)
      for await (const chunk of unpackedChunks(raw(first), unpacker(coding, first)))
        yield counted(chunk, allowance(packed, limits));
    else
      for (let chunk: Buffer | undefined = first; chunk; chunk = await source.next(idleMs))
        yield counted(chunk, limits.maxBytes);
  } finally {
    source.stop();
    onOver();
  }
}

/** The same bytes as one piece; an answer that came whole with its head is not waited for a piece at a time. */
export async function wholeStream(
  source: ByteSource,
  headers: ResponseHeaders,
  limits: UnpackLimits,
  idleMs: number,
  onOver: () => void,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  if (codingOf(headers) !== undefined) {
    for await (const chunk of byteStream(source, headers, limits, idleMs, onOver)) parts.push(chunk);
    return Buffer.concat(parts);
  }
  let total = 0;
  try {
    for (let chunk = await source.next(idleMs); chunk; chunk = await source.next(idleMs)) {
      total += chunk.length;
      if (total > limits.maxBytes) throw tooLarge(limits.maxBytes);
      parts.push(chunk);
    }
  } finally {
    source.stop();
    onOver();
  }
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

const tooLarge = (limit: number): StreamFailure =>
  new StreamFailure(failed('too_large', `the answer is larger than ${limit} bytes`));

async function* unpackedChunks(
  chunks: AsyncGenerator<Buffer>,
  unpack: ReturnType<typeof unpacker>,
): AsyncGenerator<Buffer, void, undefined> {
  // The error reaches us through the last stream; this only closes the others.
  pipeline(Readable.from(chunks), unpack, () => undefined);
  try {
    for await (const chunk of unpack) yield chunk;
  } catch (error) {
    throw error instanceof StreamFailure ? error : new StreamFailure(unpackFailure({ code: undefined }));
  }
}
