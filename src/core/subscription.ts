import type { GuardedCall } from './call.js';
import type { Failed } from './outcome.js';
import { done, refuse } from './outcome.js';
import type { Operation } from './tool.js';

/** Starts to report changes of the resource in `args.uri`; ends with the function that stops it, or with a refusal. */
export type Subscribe = (call: GuardedCall, changed: () => void) => Promise<(() => void) | Failed>;

/** The caller's side of a subscription; travels with the call that opens it. */
export interface Subscriber {
  readonly changed: () => void;
  /** Takes over the subscription that a source has opened. */
  readonly opened: (stop: () => void) => void;
}

/** A subscription from its request to its end. */
export interface Subscription extends Subscriber {
  /** Ends it once; a source that opens it later is stopped at once. */
  readonly stop: () => void;
}

/** A subscription that reports changes until it is stopped. */
export function subscription(changed: () => void, onEnd: () => void = () => {}): Subscription {
  const stops: (() => void)[] = [];
  let ended = false;
  return {
    changed: () => {
      if (!ended) changed();
    },
    opened: (stop) => {
      if (ended) stop();
      else stops.push(stop);
    },
    stop: () => {
      if (ended) return;
      ended = true;
      for (const stop of stops) stop();
      onEnd();
    },
  };
}

/** The operation of a call that subscribes; the outcome carries no data. */
export const subscribeOperation =
  (subscribe: Subscribe): Operation =>
  async (call) => {
    const { subscriber } = call;
    if (subscriber === undefined) return refuse('invalid_arguments', 'This call cannot receive changes');
    const opened = await subscribe(call, subscriber.changed);
    if (typeof opened !== 'function') return opened;
    subscriber.opened(opened);
    return done([]);
  };
