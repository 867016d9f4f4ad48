import type { ChannelEnd } from '../channels/channel.js';
import type { Session } from './session.js';

interface SessionRevivalOptions {
  /** Whether there is still no session, and one may be opened. */
  readonly isNeeded: () => boolean;
  readonly open: () => Promise<Session | ChannelEnd>;
  readonly firstDelayMs?: number;
}

const maxAttempts = 8;
const maxDelayMs = 10_000;

/** Recoveries of all sources so far: the number of one is never that of an earlier one, also after a source was replaced. */
let recoveries = 0;

/**
 * Opens a session again after one was lost during calls. An open circuit breaker lets no call through that would open it, so
 * without this a server that is back would stay unused for the whole cooldown. Gives up after some attempts with exponential
 * back-off; the next call opens a session as usual.
 */
export function sessionRevival({ isNeeded, open, firstDelayMs = 250 }: SessionRevivalOptions) {
  let timer: NodeJS.Timeout | undefined;
  let latest = 0;
  let isLost = false;

  function recovered(): void {
    isLost = false;
    latest = ++recoveries;
  }

  function schedule(attempt: number): void {
    timer = setTimeout(() => void revive(attempt), Math.min(maxDelayMs, firstDelayMs * 2 ** attempt)).unref();
  }

  async function revive(attempt: number): Promise<void> {
    timer = undefined;
    if (!isNeeded()) return;
    const opened = await open().catch(() => undefined);
    if (opened !== undefined && 'request' in opened) recovered();
    else if (attempt + 1 < maxAttempts && timer === undefined && isNeeded()) schedule(attempt + 1);
  }

  return {
    /** Number of the latest recovery; 0 before the first. */
    latest: () => latest,
    /** The server answers again on the session it had. */
    recovered,
    /** A session answered a call: the server is back without our help. */
    answered(): void {
      if (isLost) recovered();
    },
    /** The session was lost. */
    begin(): void {
      isLost = true;
      if (timer === undefined) schedule(0);
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}
