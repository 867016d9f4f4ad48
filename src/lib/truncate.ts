/** A value cut to a byte budget: whether anything was cut off, and how large the whole was. */
export interface Truncated<T> {
  readonly value: T;
  readonly truncated: boolean;
  readonly totalBytes: number;
}

const encoder = new TextEncoder();

/** The text itself when it fits in `maxBytes` of UTF-8, else its longest beginning that does, cut between code points. */
export function truncateText(text: string, maxBytes: number): Truncated<string> {
  const totalBytes = Buffer.byteLength(text);
  if (totalBytes <= maxBytes) return { value: text, truncated: false, totalBytes };
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, Math.floor(maxBytes))));
  return { value: text.slice(0, read), truncated: true, totalBytes };
}

/** The bytes themselves when they fit, else their beginning without a half code point at the cut; no bytes are copied. */
export function truncateBytes<T extends Uint8Array>(bytes: T, maxBytes: number): Truncated<Uint8Array> {
  const totalBytes = bytes.length;
  const budget = Math.max(0, Math.floor(maxBytes));
  if (totalBytes <= budget) return { value: bytes, truncated: false, totalBytes };
  let cut = budget;
  while (cut > 0 && budget - cut < 3 && isContinuation(bytes[cut])) cut--;
  // Four continuation bytes in a row belong to no code point: the bytes are not UTF-8, so any cut is as good.
  if (isContinuation(bytes[cut])) cut = budget;
  return { value: bytes.subarray(0, cut), truncated: true, totalBytes };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
