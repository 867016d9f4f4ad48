import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, openSync, readFileSync, statSync, writeSync, closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256 } from '../lib/hash.js';

/** Reads the gateway's own token, or creates it at the first start in a file with mode 0600. */
export function tokenFromFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const token = readToken(path);
  if (token !== undefined) return token;
  const made = `tg_${randomBytes(32).toString('base64url')}`;
  // `wx` fails if the file exists: of two gateways that start concurrently, one creates the token and the other reads it.
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, `${made}\n`);
    closeSync(file);
    return made;
  } catch (error) {
    const other = readToken(path);
    if (other !== undefined) return other;
    throw error;
  }
}

function readToken(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
  if (text.length < 32)
    throw new Error(
      `The token file ${path} contains no token of at least 32 characters; delete it to create a new one`,
    );
  // Restrict a token file that other users can read.
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return text;
}

/** Compares secrets in constant time, independent of their lengths (timing attack). */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));
}
