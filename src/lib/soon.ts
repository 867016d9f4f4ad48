/** A value that exists already, or a promise of it. */
export type Soon<T> = T | Promise<T>;

/**
 * Continues at once with a value that exists, else when it is resolved: embedded stores answer synchronously, and a microtask per
 * look-up would cost every call.
 */
export function after<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
