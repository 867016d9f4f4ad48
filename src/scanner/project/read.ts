import { open } from 'node:fs/promises';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Skipped } from './walk.js';

/** The text of a file, or why it cannot be had. Never more than the limit is read, and a link put in the way is not followed. */
export async function readText(
  path: string,
  maxBytes: number,
): Promise<{ readonly text: string } | { readonly reason: Skipped['reason'] }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!handle) return { reason: 'unreadable' };
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { reason: 'unreadable' };
    if (stat.size > maxBytes) return { reason: 'too-large' };
    return decode(await handle.readFile());
  } catch {
    return { reason: 'unreadable' };
  } finally {
    await handle.close();
  }
}

/** The same text once more, without waiting; empty where it cannot be had any longer. */
export function readTextAgain(path: string, maxBytes: number): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    const read = stat.isFile() && stat.size <= maxBytes ? decode(readFileSync(file)) : undefined;
    return read && 'text' in read ? read.text : '';
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
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
