import { isUtf8 } from 'node:buffer';

/** Text of a body in the charset that its content type declares, UTF-8 by default; undefined if it is not text in it. */
export function decodeText(body: Buffer, contentType: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') return isUtf8(body) ? body.toString('utf8') : undefined;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    // An unknown charset, or bytes that it does not contain; some services declare one and send UTF-8.
    return isUtf8(body) ? body.toString('utf8') : undefined;
  }
}
