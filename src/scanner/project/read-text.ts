import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Skipped } from './walk.js';

/** Reads a file up to a size limit; O_NOFOLLOW closes the TOCTOU gap of a link swapped in after listing. Synchronous, since small files are read faster than a thread pool round trip. */
export function readText(
  path: string,
  maxBytes: number,
): { readonly text: string } | { readonly reason: Skipped['reason'] } {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) return { reason: 'unreadable' };
    return stat.size > maxBytes ? { reason: 'too-large' } : decode(readFileSync(file));
  } catch {
    return { reason: 'unreadable' };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads an evicted text again; empty if the file is no longer readable. */
export function readTextAgain(path: string, maxBytes: number): string {
  const read = readText(path, maxBytes);
  return 'text' in read ? read.text : '';
}

function decode(bytes: Buffer): { text: string } | { reason: Skipped['reason'] } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes) };
  if (bytes.subarray(0, 8_192).includes(0)) return { reason: 'binary' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // Python allows Latin-1 sources; mislabelled bytes become odd letters, never different code.
    const head = bytes.subarray(0, 200).toString('latin1');
    return /coding[:=]\s*(?:latin-?1|iso-8859-1|cp1252|windows-1252)/i.test(head)
      ? { text: bytes.toString('latin1') }
      : { reason: 'encoding' };
  }
}
