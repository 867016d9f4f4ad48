import { frame, toCountFrame, toFrame } from './frames.js';
import { inputWindowBytes, type Entry, type Exit } from './messages.js';
import type { Refused, Tier } from './spec.js';

/** How a long-lived process ended; `lost` says why nobody can tell more. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly lost?: Refused;
}

/** What a long-lived process says; a promise returned for output holds the process back until it is settled. */
export interface OpenHandlers {
  onStdout(chunk: Buffer): void | Promise<void>;
  onStderr(chunk: Buffer): void | Promise<void>;
  onExit(exit: ProcessExit): void;
}

/** A long-lived process with its stdin open. */
export interface OpenProcess {
  readonly kind: 'open';
  readonly pid: number;
  readonly tier: Tier;
  /** Sends bytes in order; resolves true when more may follow, false once the process reads no more. */
  write(bytes: Buffer | string): Promise<boolean>;
  endInput(): void;
  /** Ends the whole tree; resolves when nothing is left of it. */
  kill(graceMs?: number): Promise<void>;
}

const pieceBytes = 64 * 1024;
const defaultGraceMs = 2_000;
const creditEveryBytes = 64 * 1024;

/** Follows one long-lived process; `resolve` hears once whether it started. */
export function openEntry(
  id: number,
  send: (bytes: Buffer) => void,
  handlers: OpenHandlers,
  resolve: (result: OpenProcess | Refused) => void,
): Entry {
  const startedAt = performance.now();
  let isStarted = false;
  let isGone = false;
  let isDeaf = false;
  let untaken = 0;
  let uncredited = 0;
  let waiting: ((isOpen: boolean) => void)[] = [];
  let tellGone: () => void = () => {};
  const gone = new Promise<void>((settle) => (tellGone = settle));

  const wake = (isOpen: boolean): void => {
    const woken = waiting;
    waiting = [];
    for (const settle of woken) settle(isOpen);
  };

  const end = (exit: ProcessExit): true => {
    isGone = true;
    wake(false);
    tellGone();
    if (isStarted) handlers.onExit(exit);
    return true;
  };

  const hand = (handler: OpenHandlers['onStdout'], payload: Buffer): false => {
    const credit = (): void => {
      uncredited += payload.length;
      // A write for each small piece would cost more than the piece.
      if (isGone || uncredited < creditEveryBytes) return;
      send(toCountFrame(frame.credit, id, uncredited));
      uncredited = 0;
    };
    const busy = handler(Buffer.from(payload));
    if (busy === undefined) credit();
    else busy.then(credit, credit);
    return false;
  };

  const open = (pid: number, tier: Tier): OpenProcess => ({
    kind: 'open',
    pid,
    tier,
    write(data) {
      if (isGone || isDeaf) return Promise.resolve(false);
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      untaken += bytes.length;
      for (let at = 0; at < bytes.length; at += pieceBytes) send(toFrame(frame.input, id, bytes.subarray(at, at + pieceBytes)));
      if (untaken <= inputWindowBytes) return Promise.resolve(true);
      return new Promise((settle) => waiting.push(settle));
    },
    endInput: () => send(toFrame(frame.endInput, id)),
    async kill(graceMs = defaultGraceMs) {
      if (!isGone) send(toCountFrame(frame.kill, id, graceMs));
      await gone;
    },
  });

  return {
    dueAt: Infinity,
    lost(refusal) {
      if (!isStarted) resolve(refusal);
      end({ code: null, signal: null, durationMs: performance.now() - startedAt, lost: refusal });
    },
    take(kind, payload) {
      if (kind === frame.stdout) return hand((chunk) => handlers.onStdout(chunk), payload);
      if (kind === frame.stderr) return hand((chunk) => handlers.onStderr(chunk), payload);
      if (kind === frame.started) {
        isStarted = true;
        const { pid, tier } = JSON.parse(payload.toString()) as { pid: number; tier: Tier }; // written by our own broker
        resolve(open(pid, tier));
      } else if (kind === frame.inputDone) {
        untaken -= payload.readUInt32LE(0);
        if (untaken <= inputWindowBytes) wake(true);
      } else if (kind === frame.inputClosed) {
        isDeaf = true;
        wake(false);
      } else if (kind === frame.refused) {
        const refusal = JSON.parse(payload.toString()) as Refused; // likewise
        resolve(refusal);
        return end({ code: null, signal: null, durationMs: 0, lost: refusal });
      } else if (kind === frame.exit) {
        const { code, signal, durationMs, refused } = JSON.parse(payload.toString()) as Exit; // likewise
        return end({ code, signal, durationMs, ...(refused === undefined ? {} : { lost: refused }) });
      }
      return false;
    },
  };
}
