import type { Socket } from 'node:net';
import { frame, toCountFrame } from './frames.js';
import type { Entry, Exit, Pipe } from './messages.js';
import { refused, type Refused, type Tier } from './spec.js';

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

const defaultGraceMs = 2_000;
const creditEveryBytes = 64 * 1024;
/** How long to read on after the program ended without a byte arriving: an escaped child may hold the pipe for ever. */
const drainMs = 100;
/** How often to wait so for the pipes of a program that ended before they were here. */
const mostDrains = 50;
const unreachable = refused('broker_lost', 'The pipes of the program did not arrive');

/**
 * Follows one long-lived process; `resolve` hears once whether it started. Its stdin and stdout are read and written here,
 * since a way through the broker would double what a call costs; its stderr and its end are told by the broker.
 */
export function openEntry(
  id: number,
  send: (bytes: Buffer) => void,
  handlers: OpenHandlers,
  resolve: (result: OpenProcess | Refused) => void,
  drop: () => void,
): Entry {
  const startedAt = performance.now();
  const pipes: Partial<Record<Pipe, Socket>> = {};
  const input = writer();
  let isStarted = false;
  let isGone = false;
  let isKilled = false;
  let isBusy = false;
  let heard = 0;
  /** Grows with whatever shows that more may come: the pipes, and each piece that was read. */
  let stirred = 0;
  let uncredited = 0;
  let exited: (() => void) | undefined;
  let begun: { readonly pid: number; readonly tier: Tier } | undefined;
  let tellGone: () => void = () => {};
  const gone = new Promise<void>((settle) => (tellGone = settle));

  const end = (exit: ProcessExit): void => {
    if (isGone) return;
    isGone = true;
    input.close();
    pipes.stdin?.destroy();
    pipes.stdout?.destroy();
    tellGone();
    if (isStarted) handlers.onExit(exit);
  };

  const begin = (): void => {
    const { stdin, stdout } = pipes;
    if (isStarted || isGone || begun === undefined || stdin === undefined || stdout === undefined) return;
    isStarted = true;
    stirred += 1;
    input.open(stdin);
    resolve({
      kind: 'open',
      ...begun,
      write: (bytes) => input.write(bytes),
      endInput: () => void stdin.end(),
      async kill(graceMs = defaultGraceMs) {
        isKilled = true;
        if (!isGone) send(toCountFrame(frame.kill, id, graceMs));
        await gone;
      },
    });
    stdout.on('data', (chunk: Buffer) => {
      heard += 1;
      stirred += 1;
      const busy = handlers.onStdout(chunk);
      if (busy === undefined) return;
      isBusy = true;
      stdout.pause();
      const goOn = (): void => {
        isBusy = false;
        stdout.resume();
      };
      busy.then(goOn, goOn);
    });
  };

  const hearStderr = (payload: Buffer): void => {
    const credit = (): void => {
      uncredited += payload.length;
      // A write for each small piece would cost more than the piece.
      if (isGone || uncredited < creditEveryBytes) return;
      send(toCountFrame(frame.credit, id, uncredited));
      uncredited = 0;
    };
    const busy = handlers.onStderr(Buffer.from(payload));
    if (busy === undefined) credit();
    else busy.then(credit, credit);
  };

  /** The program has ended; what it had written before is still on its way. */
  const leave = ({ code, signal, durationMs, refused: failure }: Exit): void => {
    const over = (): void => {
      if (isGone) return;
      // A launcher that gives up says nothing on stdout; whoever did was reached.
      const lost = failure !== undefined && heard === 0 ? { lost: failure } : {};
      if (!isStarted) resolve(failure ?? unreachable);
      end({ code, signal, durationMs, ...lost });
      drop();
    };
    const look = (before: number, rounds: number): void => {
      if (isGone) return;
      const waits = isStarted ? isBusy && !isKilled : rounds < mostDrains;
      if (stirred === before && !waits) over();
      else wait(rounds + 1);
    };
    // A timer that is late comes before what could be read in the meantime; an immediate comes after it.
    const wait = (rounds: number): void => {
      const before = stirred;
      setTimeout(() => setImmediate(() => look(before, rounds)), drainMs);
    };
    exited = over;
    if (pipes.stdout?.closed === true) over();
    else wait(0);
  };

  return {
    dueAt: Infinity,
    adopt(pipe, socket) {
      if (isGone || pipes[pipe] !== undefined) return false;
      pipes[pipe] = socket;
      socket.on('error', () => {}); // `close` follows
      if (pipe === 'stdout') socket.on('close', () => exited?.());
      begin();
      return true;
    },
    lost(refusal) {
      if (!isStarted) resolve(refusal);
      end({ code: null, signal: null, durationMs: performance.now() - startedAt, lost: refusal });
    },
    take(kind, payload) {
      if (kind === frame.stderr) hearStderr(payload);
      else if (kind === frame.started) {
        begun = JSON.parse(payload.toString()) as { pid: number; tier: Tier }; // written by our own broker
        begin();
      } else if (kind === frame.refused) {
        const refusal = JSON.parse(payload.toString()) as Refused; // likewise
        resolve(refusal);
        end({ code: null, signal: null, durationMs: 0, lost: refusal });
        return true;
      } else if (kind === frame.exit) leave(JSON.parse(payload.toString()) as Exit); // likewise
      return false;
    },
  };
}

/** Writes to a process and says when it takes no more. */
function writer() {
  let to: Socket | undefined;
  let waiting: ((isOpen: boolean) => void)[] = [];
  const wake = (isOpen: boolean): void => {
    const woken = waiting;
    waiting = [];
    for (const settle of woken) settle(isOpen);
  };
  return {
    open(socket: Socket): void {
      to = socket;
      socket.on('drain', () => wake(true));
      socket.on('close', () => wake(false));
    },
    close: () => wake(false),
    write(bytes: Buffer | string): Promise<boolean> {
      if (to?.writable !== true) return Promise.resolve(false);
      if (to.write(bytes)) return Promise.resolve(true);
      return new Promise((settle) => waiting.push(settle));
    },
  };
}
