import { writeSync } from 'node:fs';

/** Destination of log lines. An urgent line is written at once, with everything before it; others once per event loop turn. */
export type LogSink = (line: string, isUrgent: boolean) => void;

interface SinkOptions {
  /** Writes bytes to stderr and returns how many; tests replace it. */
  readonly write?: (data: Uint8Array, offset: number) => number;
  readonly schedule?: (flush: () => void) => void;
  /** Called when lines were dropped because stderr accepts nothing and the buffer is full. */
  readonly onDropped?: (lines: number) => void;
}

/** Written in the middle of a turn beyond this size. */
const FULL_CHARS = 65_536;
/** A reader of stderr that has stopped must not cost unbounded memory. */
const MAX_WAITING_BYTES = 1_048_576;
const RETRY_MS = 20;
/** How often a full pipe is tried at the end of the process, and the pause between. */
const LAST_TRIES = 25;
const LAST_PAUSE_MS = 20;

/**
 * Buffers lines and writes them together. The end of the process, by `process.exit`, an uncaught exception or an empty event loop,
 * writes what is left. SIGKILL loses at most the info and debug lines of the current turn: warnings and errors never wait.
 */
export function stderrSink(options: SinkOptions = {}): LogSink & { flush(): void } {
  const { write = (data, offset) => writeSync(2, data, offset), schedule = setImmediate } = options;
  let lines = '';
  let scheduled = false;
  /** Bytes that a full pipe did not take (EAGAIN). */
  let waiting: Buffer | undefined;
  let dropped = 0;

  const drain = (): void => {
    const data = waiting;
    if (data === undefined) return;
    let written = 0;
    try {
      while (written < data.length) written += write(data, written);
      waiting = undefined;
    } catch (error) {
      // A closed stderr (EPIPE, EBADF) must not crash the gateway: its lines are lost. A full pipe keeps them for later.
      waiting = isFullPipe(error) ? data.subarray(written) : undefined;
    }
  };
  const retry = (): void => {
    if (waiting === undefined) return;
    drain();
    if (waiting !== undefined) setTimeout(retry, RETRY_MS).unref();
    else if (dropped > 0) {
      const count = dropped;
      dropped = 0;
      options.onDropped?.(count);
    }
  };
  const flush = (): void => {
    if (lines === '') return;
    const data = Buffer.from(lines);
    const count = lines;
    lines = '';
    if (waiting === undefined) {
      waiting = data;
      drain();
      if (waiting !== undefined) setTimeout(retry, RETRY_MS).unref();
    } else if (waiting.length + data.length > MAX_WAITING_BYTES) dropped += count.split('\n').length - 1;
    else waiting = Buffer.concat([waiting, data]);
  };
  const flushLater = (): void => {
    scheduled = false;
    flush();
  };
  const sink = (line: string, isUrgent: boolean): void => {
    lines += line;
    if (isUrgent || lines.length > FULL_CHARS) return flush();
    if (scheduled) return undefined;
    scheduled = true;
    schedule(flushLater);
    return undefined;
  };
  return Object.assign(sink, {
    flush() {
      flush();
      for (let tries = 0; tries < LAST_TRIES; tries += 1) {
        if (waiting === undefined) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_PAUSE_MS);
        drain();
      }
    },
  });
}

const isFullPipe = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

let shared: ReturnType<typeof stderrSink> | undefined;

/** The sink of this process: one, so that all logs share one order and one exit handler. */
export function processSink(): LogSink {
  if (shared === undefined) {
    shared = stderrSink({
      onDropped: (count) =>
        shared?.(
          `{"level":"warning","time":"${new Date().toISOString()}","lines":${count},"event":"log.dropped"}\n`,
          true,
        ),
    });
    process.on('exit', shared.flush);
  }
  return shared;
}
