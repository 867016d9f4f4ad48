import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, openSync, readFileSync, statSync, writeSync, closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256 } from '../lib/hash.js';

/** The gateway's own token, made at the first start and kept in a file that only its owner can read. */
export function tokenFromFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const token = existing(path);
  if (token !== undefined) return token;
  const made = `tg_${randomBytes(32).toString('base64url')}`;
  // `wx`: of two gateways that start at once, one makes the token and the other reads it.
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, `${made}\n`);
    closeSync(file);
    return made;
  } catch (error) {
    const other = existing(path);
    if (other !== undefined) return other;
    throw error;
  }
}

function existing(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
  if (text.length < 32)
    throw new Error(
      `The token file ${path} holds no token of at least 32 characters; delete it to have a new one made`,
    );
  // A token that others can read is no secret.
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return text;
}

/** Compares in a time that does not depend on where the texts differ, nor on their lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));
}
