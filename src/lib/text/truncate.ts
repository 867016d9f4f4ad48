/** Text cut to a byte budget, with the size of the original. */
interface Truncated {
  readonly value: string;
  readonly truncated: boolean;
  readonly totalBytes: number;
}

const encoder = new TextEncoder();

/** Truncates text to `maxBytes` of UTF-8, between code points; returns the same string if it fits. */
export function truncateText(text: string, maxBytes: number): Truncated {
  const totalBytes = Buffer.byteLength(text);
  if (totalBytes <= maxBytes) return { value: text, truncated: false, totalBytes };
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, Math.floor(maxBytes))));
  return { value: text.slice(0, read), truncated: true, totalBytes };
}
