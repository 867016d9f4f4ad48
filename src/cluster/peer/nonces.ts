/** Memory of used nonces (replay protection). */
export interface Nonces {
  /** Records a nonce; false if it was used, or if so many are remembered that a replay could hide among them. */
  use(nonce: string, now: number): boolean;
}

/** Remembers nonces for at least `keepMs`, in two generations; only authenticated requests may add one, so the bound is theirs. */
export function recentNonces(keepMs: number, maxNonces = 500_000): Nonces {
  let [current, previous] = [new Set<string>(), new Set<string>()];
  let turnedAt = 0;
  return {
    use(nonce, now) {
      if (now - turnedAt >= keepMs) {
        previous = now - turnedAt >= 2 * keepMs ? new Set() : current;
        current = new Set();
        turnedAt = now;
      }
      if (current.has(nonce) || previous.has(nonce) || current.size >= maxNonces) return false;
      current.add(nonce);
      return true;
    },
  };
}
