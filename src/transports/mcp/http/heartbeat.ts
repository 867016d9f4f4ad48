import { linkedSet } from '../../../lib/linked-set.js';
import type { LinkedNode } from '../../../lib/linked-set.js';

/** A stream that sends a keep-alive on each heartbeat. */
export interface HeartbeatTarget {
  onHeartbeat(): void;
}

/** Notifies all registered targets periodically, with one shared timer. */
export interface Heartbeat {
  add(target: HeartbeatTarget): LinkedNode<HeartbeatTarget>;
  delete(node: LinkedNode<HeartbeatTarget>): void;
  stop(): void;
}

/** Starts the shared timer; it does not keep the process alive. */
export function startHeartbeat(everyMs: number): Heartbeat {
  // A linked set: streams come and go with requests, and a Set would keep growing its table.
  const targets = linkedSet<HeartbeatTarget>();
  const timer = setInterval(() => {
    for (const target of targets) target.onHeartbeat();
  }, everyMs).unref();
  return {
    add: (target) => targets.add(target),
    delete: (node) => targets.remove(node),
    stop() {
      clearInterval(timer);
      targets.clear();
    },
  };
}
