type AbortListener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * An AbortSignal for the inside of the gateway: made for every request, and a real one costs more than most guards together.
 * It does what our own code asks of a signal. Native functions insist on a real one: hand them `realSignal(signal)`.
 */
class LightSignal {
  aborted = false;
  reason: unknown = undefined;
  onabort = null;
  #listeners: AbortListener[] | undefined;

  addEventListener(type: string, listener: AbortListener): void {
    if (type !== 'abort' || this.aborted) return;
    // A list and not a Set, for the reason told at `Crowd`; two or three listen, seldom more.
    this.#listeners ??= [];
    if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: string, listener: AbortListener): void {
    const listeners = this.#listeners;
    const at = listeners?.lastIndexOf(listener) ?? -1;
    if (listeners === undefined || at < 0) return;
    listeners.copyWithin(at, at + 1);
    listeners.pop();
  }

  dispatchEvent(): boolean {
    return true;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Every listener hears it once, whatever options it gave: a signal fires at most once. */
  fire(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners === undefined) return;
    const event = new Event('abort');
    for (const listener of listeners) {
      if (typeof listener === 'function') listener.call(this, event);
      else listener.handleEvent(event);
    }
  }
}

/** What a maker of signals holds; the native AbortController is one too. */
export interface Controller {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** A controller whose signal costs next to nothing until somebody listens. */
export function lightController(): Controller {
  const signal = new LightSignal();
  return {
    // It has everything of an AbortSignal but the brand that native functions look for.
    signal: signal as unknown as AbortSignal,
    abort: (reason) => signal.fire(reason ?? new DOMException('This operation was aborted', 'AbortError')),
  };
}

/** A signal of its own for work that nobody cancels; any number may listen to it. */
export const nobodyCancels = (): AbortSignal => lightController().signal;

/** A controller that makes its real AbortSignal when it is first asked for. */
export function lazyController(): Controller {
  let made: AbortController | undefined;
  let over: { readonly reason: unknown } | undefined;
  return {
    get signal() {
      if (made === undefined) {
        made = new AbortController();
        if (over !== undefined) made.abort(over.reason);
      }
      return made.signal;
    },
    abort(reason) {
      over ??= { reason };
      made?.abort(over.reason);
    },
  };
}

/** The signal itself where it is a native one, else a native one that follows it. */
export function realSignal(signal: AbortSignal): AbortSignal {
  if (isNative(signal)) return signal;
  const follower = new AbortController();
  if (signal.aborted) follower.abort(signal.reason);
  else signal.addEventListener('abort', () => follower.abort(signal.reason), { once: true });
  return follower.signal;
}

const isNative = (signal: unknown): boolean => signal instanceof AbortSignal;
