import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Skipped } from './walk.js';

/** The text of a file, or why it cannot be had. Never more than the limit is read, and a link put in the way is not followed. Without waiting: a small file is read sooner than another thread is asked to. */
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

/** The same text once more; empty where it cannot be had any longer. */
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
    // Python still allows Latin-1 sources; anything else in that clothing reads as odd letters, never as other code.
    const head = bytes.subarray(0, 200).toString('latin1');
    return /coding[:=]\s*(?:latin-?1|iso-8859-1|cp1252|windows-1252)/i.test(head)
      ? { text: bytes.toString('latin1') }
      : { reason: 'encoding' };
  }
}
