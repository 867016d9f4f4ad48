/** Monotonic milliseconds; passed as a parameter wherever time matters, so that tests need not sleep. */
export type Clock = () => number;

export const monotonic: Clock = () => performance.now();
