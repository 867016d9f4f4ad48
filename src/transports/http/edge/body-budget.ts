/** Limits of body bytes that are in memory at one time. */
interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxInflightBodyBytes: number;
}

/** Bytes of one request; released when it is answered. */
export interface BodyLease {
  /** Accounts for received bytes; false if they exceed the budget. */
  take(bytes: number): boolean;
  release(): void;
}

/** Bounds the bytes of all request bodies in flight: without it some hundred large bodies at once exhaust the heap. */
interface BodyBudget {
  lease(holder: string): BodyLease;
  readonly used: number;
}

/** Counts bytes as they arrive, not as they are announced: announcing costs an attacker nothing. One holder gets at most half. */
export function bodyBudget(limits: () => BodyLimits): BodyBudget {
  const held = new Map<string, number>();
  let used = 0;
  return {
    get used() {
      return used;
    },
    lease(holder) {
      let own = 0;
      return {
        take(bytes) {
          const { maxBodyBytes, maxInflightBodyBytes } = limits();
          // A single body of the permitted size always fits.
          const total = Math.max(maxInflightBodyBytes, maxBodyBytes);
          const mine = (held.get(holder) ?? 0) + bytes;
          if (used + bytes > total || mine > Math.max(total / 2, maxBodyBytes)) return false;
          used += bytes;
          own += bytes;
          held.set(holder, mine);
          return true;
        },
        release() {
          const left = (held.get(holder) ?? 0) - own;
          if (left > 0) held.set(holder, left);
          else held.delete(holder);
          used -= own;
          own = 0;
        },
      };
    },
  };
}
