/** Detects that no client has been connected for a while. */
interface IdleWatch {
  /** Counts a connection; the returned function releases it. */
  hold(): () => void;
  /** Starts to count now if nothing is connected. */
  look(): void;
  stop(): void;
}

interface IdleOptions {
  /** Read at each look, so that a reload applies. */
  readonly idleMs: () => number;
  /** Whether work goes on without a connection, such as a task. */
  readonly isBusy: () => boolean;
  readonly onIdle: () => void;
}

/** Interval of looks while work goes on without a connection. */
const busyLookMs = 1_000;

/** Calls `onIdle` once, after the last connection closed and nothing was connected since. */
export function idleWatch({ idleMs, isBusy, onIdle }: IdleOptions): IdleWatch {
  let held = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const expire = (): void => {
    if (held > 0 || stopped) return;
    if (isBusy()) {
      timer = setTimeout(expire, busyLookMs);
      return;
    }
    stopped = true;
    onIdle();
  };
  const look = (): void => {
    clearTimeout(timer);
    if (held === 0 && !stopped) timer = setTimeout(expire, idleMs());
  };
  return {
    look,
    hold() {
      held += 1;
      clearTimeout(timer);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        held -= 1;
        look();
      };
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
