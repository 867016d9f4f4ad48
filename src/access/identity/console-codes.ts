import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/hash.js';
import type { SessionRequest } from './console-sessions.js';

/** One-time codes that a browser exchanges for a console session: 256 bits, one use, one minute. */
interface ConsoleCodes {
  /** Undefined if too many codes are pending. */
  issue(request: SessionRequest): { readonly code: string; readonly expiresAt: number } | undefined;
  /** Returns what the code stands for and consumes it; undefined if it is unknown, used or expired. */
  redeem(code: string): SessionRequest | undefined;
}

const lifetimeMs = 60_000;
const maxPending = 1_000;

/** Codes in memory; only their hashes are kept, so that a heap dump opens no session. */
export function consoleCodes(now: () => number = Date.now): ConsoleCodes {
  const pending = new Map<string, { readonly request: SessionRequest; readonly expiresAt: number }>();
  const evictExpired = (): void => {
    for (const [hash, { expiresAt }] of pending) {
      // In order of issue, so the first one that is valid ends the search.
      if (expiresAt > now()) return;
      pending.delete(hash);
    }
  };
  return {
    issue(request) {
      evictExpired();
      if (pending.size >= maxPending) return undefined;
      const code = randomBytes(32).toString('base64url');
      const expiresAt = now() + lifetimeMs;
      pending.set(sha256(code), { request, expiresAt });
      return { code, expiresAt };
    },
    redeem(code) {
      evictExpired();
      const hash = sha256(code);
      const found = pending.get(hash);
      // Deleted before it is used: of two requests with the same code, one gets a session.
      pending.delete(hash);
      return found?.request;
    },
  };
}
