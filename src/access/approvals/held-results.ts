import { randomUUID } from 'node:crypto';
import type { Json } from '../../core/json.js';
import type { Done, Failed } from '../../core/outcome.js';
import type { Peers } from '../../core/peers.js';

/** Results that wait in memory for approval of their release; a restart discards them, which counts as a denial. */
export interface HeldResults {
  /** Stores a result and returns its id. */
  add(outcome: Done | Failed, until: number): string;
  /** Takes a result out, once; undefined if it is unknown, taken or expired. */
  take(id: string): Promise<Done | Failed | undefined>;
}

/** Bounds memory: the oldest results are dropped first, which counts as a denial. */
const maxHeld = 100;
const verb = 'withheld result';
const replicaIn = /^([A-Za-z0-9-]{1,32})\./;

/** Bounded table; with other replicas an id names the one that holds the result, and it is taken there. */
export function heldResults({
  peers,
  now = Date.now,
}: { readonly peers?: Peers | undefined; readonly now?: () => number } = {}): HeldResults {
  const held = new Map<string, { readonly outcome: Done | Failed; readonly until: number }>();
  const sweep = (): void => {
    for (const [id, { until }] of held) if (until <= now() || held.size > maxHeld) held.delete(id);
  };
  const takeHere = (id: string): Done | Failed | undefined => {
    const found = held.get(id);
    held.delete(id);
    return found === undefined || found.until <= now() ? undefined : found.outcome;
  };
  // The replica that asks has opened the sealed state, which binds the id to one caller and one call.
  peers?.handle(verb, ({ body }) => Promise.resolve((takeHere(String(body)) ?? null) as unknown as Json));
  return {
    add(outcome, until) {
      const id = `${peers === undefined ? '' : `${peers.replica}.`}${randomUUID()}`;
      held.set(id, { outcome, until });
      sweep();
      return id;
    },
    async take(id) {
      const replica = replicaIn.exec(id)?.[1];
      if (peers === undefined || replica === undefined || replica === peers.replica) return takeHere(id);
      const answer = await peers.ask(replica, verb, id);
      // Authenticated, and an outcome is plain data.
      return answer.ok && answer.body !== null ? (answer.body as unknown as Done | Failed) : undefined;
    },
  };
}
