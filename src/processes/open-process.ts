import type { Socket } from 'node:net';
import { frame, toCountFrame } from './broker-frames.js';
import type { ProcessEntry, ExitReport, Pipe } from './broker-messages.js';
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
const creditEveryBytes = 64 * 1024;
/** Drain interval after exit: reading stops after one interval without data, since an escaped child may hold the pipe open. */
const drainMs = 100;
/** Drain intervals to wait for the pipes of a program that exited before they arrived. */
const maxDrains = 50;
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
  let isStarted = false;
  let isGone = false;
  let isKilled = false;
  let isBusy = false;
  let chunksRead = 0;
  /** Activity counter used to detect that output has drained. */
  let activity = 0;
  let uncredited = 0;
  let onPipeClosed: (() => void) | undefined;
  let startInfo: { readonly pid: number; readonly tier: Tier } | undefined;
  let resolveGone: () => void = () => {};
  const gone = new Promise<void>((settle) => (resolveGone = settle));

  const end = (exit: ProcessExit): void => {
    if (isGone) return;
    isGone = true;
    input.close();
    pipes.stdin?.destroy();
    pipes.stdout?.destroy();
    resolveGone();
    if (isStarted) handlers.onExit(exit);
  };

  const begin = (): void => {
    const { stdin, stdout } = pipes;
    if (isStarted || isGone || startInfo === undefined || stdin === undefined || stdout === undefined) return;
    isStarted = true;
    activity += 1;
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
    stdout.on('data', (chunk: Buffer) => {
      chunksRead += 1;
      activity += 1;
      const busy = handlers.onStdout(chunk);
      if (busy === undefined) return;
      isBusy = true;
      stdout.pause();
      const resumeReading = (): void => {
        isBusy = false;
        stdout.resume();
      };
      busy.then(resumeReading, resumeReading);
    });
  };

  const forwardStderr = (payload: Buffer): void => {
    const credit = (): void => {
      uncredited += payload.length;
      // Batched: a credit frame for each small chunk would cost more than the chunk.
      if (isGone || uncredited < creditEveryBytes) return;
      send(toCountFrame(frame.credit, id, uncredited));
      uncredited = 0;
    };
    const busy = handlers.onStderr(Buffer.from(payload));
    if (busy === undefined) credit();
    else busy.then(credit, credit);
  };

  /** Drains stdout after exit: output written before the exit may still be in the pipe. */
  const drain = ({ code, signal, durationMs, refused: failure }: ExitReport): void => {
    const finish = (): void => {
      if (isGone) return;
      // A launcher that fails writes nothing to stdout; output means that the program did start.
      const lost = failure !== undefined && chunksRead === 0 ? { lost: failure } : {};
      if (!isStarted) resolve(failure ?? pipesMissing);
      end({ code, signal, durationMs, ...lost });
      drop();
    };
    const checkDrained = (before: number, rounds: number): void => {
      if (isGone) return;
      const waits = isStarted ? isBusy && !isKilled : rounds < maxDrains;
      if (activity === before && !waits) finish();
      else scheduleCheck(rounds + 1);
    };
    // In a busy event loop a late timer fires before pending reads; setImmediate runs after them.
    const scheduleCheck = (rounds: number): void => {
      const before = activity;
      setTimeout(() => setImmediate(() => checkDrained(before, rounds)), drainMs);
    };
    onPipeClosed = finish;
    if (pipes.stdout?.closed === true) finish();
    else scheduleCheck(0);
  };

  return {
    dueAt: Infinity,
    adopt(pipe, socket) {
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
      if (kind === frame.stderr) forwardStderr(payload);
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

/** Writes to stdin with backpressure. */
function inputWriter() {
  let target: Socket | undefined;
  let waiting: ((isOpen: boolean) => void)[] = [];
  const wake = (isOpen: boolean): void => {
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
      if (target?.writable !== true) return Promise.resolve(false);
      if (target.write(bytes)) return Promise.resolve(true);
      return new Promise((settle) => waiting.push(settle));
    },
  };
}
