import type { Socket } from 'node:net';
import { frame, toCountFrame } from './broker/frames.js';
import type { ProcessEntry, ExitReport, Pipe } from './broker/messages.js';
import { drainOutput, maxDrains } from './output-drain.js';
import { toRefusal, type Refused, type Tier } from './process-spec.js';

/** Exit of a long-lived process; `lost` is set if its exit status is unknown. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly lost?: Refused;
}

/** Events of a long-lived process; a promise returned for output pauses the process until it settles (backpressure). */
export interface OpenHandlers {
  onStdout(chunk: Buffer): void | Promise<void>;
  onStderr(chunk: Buffer): void | Promise<void>;
  /** Stdout was closed; the process may still run. */
  onStdoutEnd?(): void;
  onExit(exit: ProcessExit): void;
}

/** A long-lived process with its stdin open. */
export interface OpenProcess {
  readonly kind: 'open';
  readonly pid: number;
  readonly tier: Tier;
  /** Sends bytes in order; resolves true when more may follow, false once stdin is closed. */
  write(bytes: Buffer | string): Promise<boolean>;
  endInput(): void;
  /** Kills the process tree; resolves when all of it is gone. */
  kill(graceMs?: number): Promise<void>;
}

const defaultGraceMs = 2_000;
// Credits in batches, since each is a separate frame on the pipe.
const creditEveryBytes = 64 * 1024;
const pipesMissing = toRefusal('broker_lost', 'The pipes of the program did not arrive from the process broker');

/**
 * Tracks one long-lived process; calls `resolve` once it has started or was refused. Reads and writes its stdin and stdout
 * directly, since a detour through the broker would double the cost of a call; stderr and exit come from the broker.
 */
export function openEntry(
  id: number,
  send: (bytes: Buffer) => void,
  handlers: OpenHandlers,
  resolve: (result: OpenProcess | Refused) => void,
  drop: () => void,
): ProcessEntry {
  const startedAt = performance.now();
  const pipes: Partial<Record<Pipe, Socket>> = {};
  const input = inputWriter();
  const output = outputReader(handlers.onStdout);
  const stderr = creditedOutput(handlers.onStderr, (bytes) => !isGone && send(toCountFrame(frame.credit, id, bytes)));
  let isStarted = false;
  let isGone = false;
  let isKilled = false;
  let onPipeClosed: (() => void) | undefined;
  let startInfo: { readonly pid: number; readonly tier: Tier } | undefined;
  let resolveGone: () => void = () => {};
  // All callers of kill wait for the same end.
  const gone = new Promise<void>((settle) => (resolveGone = settle));

  const end = (exit: ProcessExit): void => {
    // The exit frame, a lost broker and a refusal can all arrive; only the first counts.
    if (isGone) return;
    isGone = true;
    input.close();
    pipes.stdin?.destroy();
    pipes.stdout?.destroy();
    resolveGone();
    // A process that never started has no exit: its refusal was returned instead.
    if (isStarted) handlers.onExit(exit);
  };

  const begin = (): void => {
    const { stdin, stdout } = pipes;
    // The start frame and the two pipes arrive in any order; the process is usable once all three are there.
    if (isStarted || isGone || startInfo === undefined || stdin === undefined || stdout === undefined) return;
    isStarted = true;
    input.open(stdin);
    resolve({
      kind: 'open',
      ...startInfo,
      write: (bytes) => input.write(bytes),
      endInput: () => void stdin.end(),
      async kill(graceMs = defaultGraceMs) {
        isKilled = true;
        if (!isGone) send(toCountFrame(frame.kill, id, graceMs));
        await gone;
      },
    });
    // Reading starts last, so that no output is delivered before the caller has the process.
    output.open(stdout);
  };

  /** Drains stdout after exit: output written before the exit may still be in the pipe. */
  const drain = ({ code, signal, durationMs, refused: failure }: ExitReport): void => {
    const finish = (): void => {
      if (isGone) return;
      // A launcher that fails writes nothing to stdout; output means that the program did start.
      const lost = failure !== undefined && !output.hasRead() ? { lost: failure } : {};
      if (!isStarted) resolve(failure ?? pipesMissing);
      end({ code, signal, durationMs, ...lost });
      drop();
    };
    onPipeClosed = finish;
    // Already closed: nothing is left in the pipe.
    if (pipes.stdout?.closed === true) return finish();
    return drainOutput(
      () => output.activity() + Number(isStarted),
      (isQuiet, rounds) => {
        if (isGone) return 'done';
        // A reader that is busy still wants the rest, unless the process was killed.
        const waits = isStarted ? output.isBusy() && !isKilled : rounds < maxDrains;
        if (!isQuiet || waits) return 'again';
        finish();
        return 'done';
      },
    );
  };

  return {
    // No deadline: a server runs as long as the gateway.
    dueAt: Infinity,
    adopt(pipe, socket) {
      // A pipe that comes too late is refused, and the caller closes it (descriptor leak).
      if (isGone || pipes[pipe] !== undefined) return false;
      pipes[pipe] = socket;
      socket.on('error', () => {}); // `close` follows
      if (pipe === 'stdout')
        socket.on('close', () => {
          onPipeClosed?.();
          if (!isGone) handlers.onStdoutEnd?.();
        });
      begin();
      return true;
    },
    lost(refusal) {
      if (!isStarted) resolve(refusal);
      end({ code: null, signal: null, durationMs: performance.now() - startedAt, lost: refusal });
    },
    take(kind, payload) {
      if (kind === frame.stderr) stderr.forward(payload);
      else if (kind === frame.started) {
        startInfo = JSON.parse(payload.toString()) as { pid: number; tier: Tier }; // trusted: written by the broker
        begin();
      } else if (kind === frame.refused) {
        const refusal = JSON.parse(payload.toString()) as Refused; // trusted as above
        resolve(refusal);
        end({ code: null, signal: null, durationMs: 0, lost: refusal });
        return true;
      } else if (kind === frame.exit) drain(JSON.parse(payload.toString()) as ExitReport); // trusted as above
      return false;
    },
  };
}

/** Reads stdout with backpressure: paused while a handler is busy. */
function outputReader(handle: OpenHandlers['onStdout']) {
  let chunksRead = 0;
  let isBusy = false;
  return {
    hasRead: () => chunksRead > 0,
    isBusy: () => isBusy,
    /** Counter used to detect that output has drained. */
    activity: () => chunksRead,
    open(stdout: Socket): void {
      stdout.on('data', (chunk: Buffer) => {
        chunksRead += 1;
        const busy = handle(chunk);
        if (busy === undefined) return;
        isBusy = true;
        stdout.pause();
        const resumeReading = (): void => {
          isBusy = false;
          stdout.resume();
        };
        // Resumed after a failure as well; a paused pipe would block the server for ever.
        busy.then(resumeReading, resumeReading);
      });
    },
  };
}

/** Forwards stderr and credits it to the broker, in batches: a credit for each small chunk would cost more than the chunk. */
function creditedOutput(handle: OpenHandlers['onStderr'], credit: (bytes: number) => unknown) {
  let uncredited = 0;
  return {
    forward(payload: Buffer): void {
      const count = (): void => {
        uncredited += payload.length;
        if (uncredited < creditEveryBytes) return;
        credit(uncredited);
        uncredited = 0;
      };
      // Copied: a slice would keep the large read buffer alive.
      const busy = handle(Buffer.from(payload));
      if (busy === undefined) count();
      else busy.then(count, count);
    },
  };
}

/** Writes to stdin with backpressure. */
function inputWriter() {
  let target: Socket | undefined;
  let waiting: ((isOpen: boolean) => void)[] = [];
  const wake = (isOpen: boolean): void => {
    // Emptied before the calls, because a writer may write again at once.
    const writers = waiting;
    waiting = [];
    for (const settle of writers) settle(isOpen);
  };
  return {
    open(socket: Socket): void {
      target = socket;
      socket.on('drain', () => wake(true));
      socket.on('close', () => wake(false));
    },
    close: () => wake(false),
    write(bytes: Buffer | string): Promise<boolean> {
      // A closed stdin is a result and not an error: the exit follows with the reason.
      if (target?.writable !== true) return Promise.resolve(false);
      if (target.write(bytes)) return Promise.resolve(true);
      return new Promise((settle) => waiting.push(settle));
    },
  };
}
