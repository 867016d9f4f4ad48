import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
  type ZlibOptions,
} from 'node:zlib';
import type { Transform } from 'node:stream';
import { toFailure, type Failed, type ResponseHeaders } from '../egress/egress-types.js';

/** Limits against decompression bombs. */
export interface DecompressionLimits {
  readonly maxBytes: number;
  readonly maxRatio: number;
}

type ContentCoding = 'gzip' | 'deflate' | 'br';

const ratioAppliesFrom = 1024 * 1024;

/** Content coding of a body; rejects nested codings, which only decompression bombs use. */
export function contentCodingOf(headers: ResponseHeaders): ContentCoding | undefined | Failed {
  const given = headers['content-encoding'];
  const name = (typeof given === 'string' ? given : (given ?? []).join(',')).trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  return name === 'deflate' || name === 'br'
    ? name
    : toFailure('bad_encoding', 'the content encoding of the response is not supported');
}

/** Maximum output size for a number of compressed bytes. */
export function maxDecompressedBytes(compressedBytes: number, { maxBytes, maxRatio }: DecompressionLimits): number {
  return Math.min(maxBytes, Math.max(ratioAppliesFrom, compressedBytes * maxRatio));
}

/** Decompresses a body off the main thread; stops at the limits. */
export function decompress(body: Buffer, coding: ContentCoding, limits: DecompressionLimits): Promise<Buffer | Failed> {
  if (body.length === 0) return Promise.resolve(body);
  return new Promise((resolve) => {
    const done = (error: NodeJS.ErrnoException | null, result: Buffer) =>
      resolve(error ? toDecompressionFailure(error) : result);
    const options: ZlibOptions = { maxOutputLength: maxDecompressedBytes(body.length, limits) };
    if (coding === 'br') brotliDecompress(body, options, done);
    else if (coding === 'gzip') gunzip(body, options, done);
    else (isZlib(body) ? inflate : inflateRaw)(body, options, done);
  });
}

/** Streaming decompressor. */
export function decompressor(coding: ContentCoding, first: Buffer): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding === 'gzip') return createGunzip();
  return isZlib(first) ? createInflate() : createInflateRaw();
}

/** Maps a zlib error to a failure without library text. */
export function toDecompressionFailure(error: { readonly code?: unknown }): Failed {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return toFailure('too_large', 'the decompressed response is too large');
  return toFailure('bad_encoding', 'the response cannot be decompressed');
}

// Servers send "deflate" with and without the zlib header.
function isZlib(body: Buffer): boolean {
  return ((body[0] ?? 0) & 0x0f) === 8 && body.length > 1 && body.readUInt16BE(0) % 31 === 0;
}
