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
import { failed, type Failed, type ResponseHeaders } from './egress-types.js';

/** How much an answer may unpack to. */
export interface UnpackLimits {
  readonly maxBytes: number;
  readonly maxRatio: number;
}

type Coding = 'gzip' | 'deflate' | 'br';

const ratioAppliesFrom = 1024 * 1024;

/** Which coding the body is in; two codings in a row serve nobody but bombs and are not read. */
export function codingOf(headers: ResponseHeaders): Coding | undefined | Failed {
  const given = headers['content-encoding'];
  const name = (typeof given === 'string' ? given : (given ?? []).join(',')).trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  return name === 'deflate' || name === 'br'
    ? name
    : failed('bad_encoding', 'the answer is in an encoding that is not supported');
}

/** The most bytes that `packed` received bytes may become. */
export function allowance(packed: number, { maxBytes, maxRatio }: UnpackLimits): number {
  return Math.min(maxBytes, Math.max(ratioAppliesFrom, packed * maxRatio));
}

/** Unpacks a whole body off the main thread, giving up as soon as it outgrows the limits. */
export function unpacked(body: Buffer, coding: Coding, limits: UnpackLimits): Promise<Buffer | Failed> {
  if (body.length === 0) return Promise.resolve(body);
  return new Promise((resolve) => {
    const done = (error: NodeJS.ErrnoException | null, result: Buffer) =>
      resolve(error ? unpackFailure(error) : result);
    const options: ZlibOptions = { maxOutputLength: allowance(body.length, limits) };
    if (coding === 'br') brotliDecompress(body, options, done);
    else if (coding === 'gzip') gunzip(body, options, done);
    else (isZlib(body) ? inflate : inflateRaw)(body, options, done);
  });
}

/** A stream that unpacks as bytes come in. */
export function unpacker(coding: Coding, first: Buffer): Transform {
  if (coding === 'br') return createBrotliDecompress();
  if (coding === 'gzip') return createGunzip();
  return isZlib(first) ? createInflate() : createInflateRaw();
}

/** What went wrong while unpacking, in our words. */
export function unpackFailure(error: { readonly code?: unknown }): Failed {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return failed('too_large', 'the answer unpacks to more than allowed');
  return failed('bad_encoding', 'the answer cannot be unpacked');
}

// "deflate" is sent with and without its zlib header; the header is recognisable.
function isZlib(body: Buffer): boolean {
  return ((body[0] ?? 0) & 0x0f) === 8 && body.length > 1 && body.readUInt16BE(0) % 31 === 0;
}
