import { inflateRawSync } from 'node:zlib';
import type { ArchiveEntry, ArchiveLimits, UnpackFailure } from './unpack.js';

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const maxComment = 65_557;

/** Lists the files of a zip archive; skips links, and enforces limits on actual sizes because declared ones are untrusted (zip bomb). */
export function zipEntries(
  archive: Uint8Array,
  limits: ArchiveLimits,
): { readonly entries: readonly ArchiveEntry[] } | UnpackFailure {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  let end = -1;
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - maxComment); at -= 1) {
    if (bytes.readUInt32LE(at) === endSignature) {
      end = at;
      break;
    }
  }
  if (end === -1) return { refused: 'it is corrupt' };
  const count = bytes.readUInt16LE(end + 10);
  if (count > limits.maxFiles) return { refused: 'it contains too many files' };
  const entries: ArchiveEntry[] = [];
  let left = limits.maxTotalBytes;
  let at = bytes.readUInt32LE(end + 16);
  try {
    for (let index = 0; index < count; index += 1) {
      if (bytes.readUInt32LE(at) !== entrySignature) return { refused: 'it is corrupt' };
      const [method, packed, nameLength, extra, comment] = [
        bytes.readUInt16LE(at + 10),
        bytes.readUInt32LE(at + 20),
        bytes.readUInt16LE(at + 28),
        bytes.readUInt16LE(at + 30),
        bytes.readUInt16LE(at + 32),
      ];
      const isLink = ((bytes.readUInt32LE(at + 38) >>> 16) & 0xf000) === 0xa000;
      const head = bytes.readUInt32LE(at + 42);
      const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
      at += 46 + nameLength + extra + comment;
      if (name.endsWith('/') || isLink) continue;
      const start = head + 30 + bytes.readUInt16LE(head + 26) + bytes.readUInt16LE(head + 28);
      const body = bytes.subarray(start, start + packed);
      if (method !== 0 && method !== 8) return { refused: `it uses the unsupported compression method ${method}` };
      const data = method === 0 ? body : inflateRawSync(body, { maxOutputLength: Math.max(1, left) });
      left -= data.length;
      if (left < 0) return { refused: 'its unpacked size exceeds the limit' };
      entries.push({ name, data });
    }
  } catch (error) {
    return {
      refused:
        error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
          ? 'its unpacked size exceeds the limit'
          : 'it is corrupt',
    };
  }
  return { entries };
}
