import type { ArchiveEntry, ArchiveLimits, UnpackFailure } from './unpack.js';

/** Size of headers and the unit of padding in the format. */
const blockSize = 512;
const decoder = new TextDecoder('utf-8', { fatal: false });

/** A text field, which ends at its first NUL. */
const textAt = (bytes: Uint8Array, from: number, length: number): string => {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return decoder.decode(end === -1 ? field : field.subarray(0, end));
};

/** Lists the files of a tar archive; skips links, devices and folders. */
export function tarEntries(
  bytes: Uint8Array,
  limits: ArchiveLimits,
): { readonly entries: readonly ArchiveEntry[] } | UnpackFailure {
  const entries: ArchiveEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + blockSize <= bytes.length;) {
    const shortName = textAt(bytes, at, 100);
    // Two blocks of zeros end an archive.
    if (shortName === '' && bytes[at] === 0) break;
    const size = Number.parseInt(textAt(bytes, at + 124, 12).trim() || '0', 8);
    // Sizes are attacker-controlled: without the check a slice would read beyond the archive.
    if (!Number.isSafeInteger(size) || size < 0 || at + blockSize + size > bytes.length)
      return { refused: 'it is corrupt' };
    const type = String.fromCharCode(bytes[at + 156] ?? 0);
    const prefix = textAt(bytes, at + 257, 5) === 'ustar' ? textAt(bytes, at + 345, 155) : '';
    const data = bytes.subarray(at + blockSize, at + blockSize + size);
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
    // GNU and PAX store long names in an entry before the file.
    if (type === 'L') longName = textAt(data, 0, data.length);
    else if (type === 'x') longName = paxPath(decoder.decode(data)) ?? longName;
    else {
      // Links could lead out of the folder (Zip Slip), so only regular files are taken.
      if (type === '0' || type === '\0' || type === '7')
        entries.push({ name: longName ?? (prefix === '' ? shortName : `${prefix}/${shortName}`), data });
      longName = undefined;
    }
    if (entries.length > limits.maxFiles) return { refused: 'it contains too many files' };
  }
  return { entries };
}

/** The path in an extended header. */
function paxPath(text: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
}
