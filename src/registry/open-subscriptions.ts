import type { View } from '../core/gateway.js';
import type { Principal } from '../core/principal.js';
import type { Subscription } from '../core/subscription.js';
import { subscription } from '../core/subscription.js';

/** Subscriptions that are open, by principal. */
interface SubscriptionTable {
  /** A subscription that reports only while `mayContinue`, and ends at the first change after that. */
  begin(view: View & { readonly changed: () => void }, mayContinue: () => boolean): Subscription;
  /** Why this principal cannot open another one. */
  fullReason(principal: Principal): string | undefined;
  /** Ends those that may not continue. */
  sweep(): void;
  close(): void;
}

/** One caller may not hold all of them. */
const maxPerPrincipal = 1_000;

export function subscriptionTable(): SubscriptionTable {
  const open = new Map<Subscription, () => boolean>();
  const counts = new Map<string, number>();

  return {
    begin({ principal: { id }, changed }, mayContinue) {
      const mine = subscription(
        () => {
          if (mayContinue()) changed();
          else mine.stop();
        },
        () => {
          open.delete(mine);
          const left = (counts.get(id) ?? 1) - 1;
          if (left === 0) counts.delete(id);
          else counts.set(id, left);
        },
      );
      open.set(mine, mayContinue);
      counts.set(id, (counts.get(id) ?? 0) + 1);
      return mine;
    },
    // The subscription that asks is counted already.
    fullReason: ({ id }) =>
      (counts.get(id) ?? 0) > maxPerPrincipal
        ? `At most ${maxPerPrincipal} subscriptions of one caller can be open`
        : undefined,
    sweep() {
      for (const [each, mayContinue] of Array.from(open)) if (!mayContinue()) each.stop();
    },
    close() {
      for (const each of Array.from(open.keys())) each.stop();
    },
  };
}
