type AbortListener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * Cheap AbortSignal for use inside the gateway: one is created per request, and a native one costs more than most guards together.
 * It supports what our own code uses; native functions such as `fetch` reject it and need a signal of `lazyController`.
 */
class LightSignal {
  aborted = false;
  reason: unknown = undefined;
  onabort = null;
  #listeners: AbortListener[] | undefined;

  addEventListener(type: string, listener: AbortListener): void {
    if (type !== 'abort' || this.aborted) return;
    // A list, not a Set, for the reason given at `LinkedSet`; there are rarely more than three listeners.
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

  /** Calls every listener once, regardless of its options: a signal fires at most once. */
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

/** Owner of a signal; the native AbortController has this shape too. */
export interface Controller {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** Controller whose signal is almost free until a listener is added. */
export function lightController(): Controller {
  const signal = new LightSignal();
  return {
    // Has every member of AbortSignal except the internal slots that native functions check.
    signal: signal as unknown as AbortSignal,
    abort: (reason) => signal.fire(reason ?? new DOMException('This operation was aborted', 'AbortError')),
  };
}

/** A signal that never fires, for work that is not cancellable. */
export const neverAborted = (): AbortSignal => lightController().signal;

/** Controller that creates its native AbortSignal on first access. */
export function lazyController(): Controller {
  let controller: AbortController | undefined;
  let aborted: { readonly reason: unknown } | undefined;
  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (aborted !== undefined) controller.abort(aborted.reason);
      }
      return controller.signal;
    },
    abort(reason) {
      aborted ??= { reason };
      controller?.abort(aborted.reason);
    },
  };
}
