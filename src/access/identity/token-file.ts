import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, openSync, readFileSync, statSync, writeSync, closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256 } from '../../lib/hash.js';

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

/** Interval of change checks, and so the time until a running gateway rejects a token that was renewed. */
const lookEveryMs = 500;

/**
 * Reads the gateway's own token, and again after its file changed: a renewed token is accepted and the old one refused without a
 * restart. Without a file no token is valid.
 */
export function ownerToken(
  path: string,
  onToken: (token: string) => void = () => {},
  now: () => number = Date.now,
): () => string | undefined {
  let lookedAt = -Infinity;
  let seen: string | undefined;
  let token: string | undefined;
  return () => {
    // The absolute value: a clock that is set back must not keep a withdrawn token valid.
    if (Math.abs(now() - lookedAt) < lookEveryMs) return token;
    lookedAt = now();
    const stat = statSync(path, { throwIfNoEntry: false });
    const mark = stat === undefined ? 'none' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
    if (mark === seen) return token;
    try {
      // The first read creates the file, as at the start; later a missing file means that the token was withdrawn.
      token = seen === undefined ? tokenFromFile(path) : readToken(path);
    } catch {
      token = undefined;
    }
    seen = mark;
    if (token !== undefined) onToken(token);
    return token;
  };
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
