import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Launch } from './launch.js';
import type { RunGroup } from './cgroups.js';
import type { Mark } from './mark.js';
import { outputWindowBytes, type Exit, type Pipe, type Start } from './messages.js';
import { capture } from './capture.js';
import { refused, type Refused } from './spec.js';
import { marked, signal } from './sweep.js';
import type { Sweeper } from './sweeper.js';
import { launcherFailure } from './tiers.js';

/** What one child tells the broker. */
export interface ChildEvents {
  started(pid: number): void;
  output(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Gives away a pipe of a long-lived program; `done` is told when it is gone. */
  pipe(pipe: Pipe, socket: Socket, done: () => void): void;
  ended(outcome: Exit | Refused): void;
  problem(message: string): void;
}

/** One running program inside the broker. */
export interface Child {
  credit(bytes: number): void;
  /** Ends the whole tree: SIGTERM, the grace, SIGKILL; `ended` follows when nothing is left. */
  kill(graceMs: number): void;
}

/** What a child is known and held by. */
export interface Holding {
  readonly who: Mark;
  readonly sweeper: Sweeper;
  readonly group: RunGroup | undefined;
}

/** How long to read on after the program ended without a byte arriving: an escaped child may hold the pipe for ever. */
const drainMs = 100;
const maxDrains = 50;
const stuckMs = 5_000;
const longestTimerMs = 2 ** 31 - 1;

/** Starts one program; everything about it comes back through the events, `ended` exactly once. */
export function child(start: Start, plan: Launch, { who, sweeper, group }: Holding, events: ChildEvents): Child {
  const startedAt = performance.now();
  const isRun = ({ instance, serial }: Mark): boolean => instance === who.instance && serial === who.serial;
  const [file, ...args] = plan.argv;
  const program = spawn(file, args, {
    cwd: plan.cwd,
    env: start.spec.env,
    detached: true, // a session of its own: the gateway's terminal and group are out of reach
    stdio: [start.kind === 'open' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const state = {
    timedOut: false,
    cancelled: false,
    exited: false,
    ended: false,
    killing: false,
    sawStdout: false,
    stderrStart: '',
  };
  let unread = 0;
  let heard = 0;
  let graceTimer: NodeJS.Timeout | undefined;
  let stuckTimer: NodeJS.Timeout | undefined;

  const isAsked = (): boolean => state.killing || state.timedOut || state.cancelled;

  const term = (pid: number): void => {
    // bwrap's own outer process would take the whole namespace down at once, so SIGTERM goes to what runs inside it.
    const inside = marked(isRun).filter((candidate) => plan.tier !== 'bwrap' || candidate !== pid);
    for (const candidate of inside) signal(candidate, 'SIGTERM');
    if (inside.length === 0) signal(-pid, 'SIGTERM'); // never both: many programs take a second SIGTERM for impatience
  };

  const killTree = (): void => {
    const { pid } = program;
    if (pid === undefined || state.killing) return;
    state.killing = true;
    // Once reaped, the group's number may belong to someone else; from then on only the mark tells who is ours.
    if (!state.exited || plan.tier === 'none') signal(-pid, 'SIGKILL');
    // A process stuck in the kernel cannot be reaped; its caller must not wait for it.
    void swept().then(() => {
      if (!state.exited) stuckTimer = setTimeout(() => void finish(null, 'SIGKILL'), stuckMs);
    });
  };

  const swept = async (): Promise<void> => {
    const [left] = await Promise.all([sweeper.sweep(who.serial), group?.end()]);
    if (left > 0) events.problem(`${left} processes could not be killed`);
  };

  const kill = (graceMs: number): void => {
    const { pid } = program;
    if (pid === undefined || state.exited || state.ended) return;
    clearTimeout(graceTimer);
    if (graceMs <= 0) return killTree();
    term(pid);
    graceTimer = setTimeout(killTree, graceMs);
  };

  const flow = (): void => {
    const open = unread < outputWindowBytes;
    for (const stream of [program.stdout, program.stderr]) {
      if (open && stream?.isPaused() === true) stream.resume();
      else if (!open) stream?.pause();
    }
  };

  const send = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    unread += chunk.length;
    events.output(stream, chunk);
    if (unread >= outputWindowBytes) flow();
  };
  const atCap = (): void => {
    if (start.onCap === 'kill') killTree();
  };
  const stdout = capture(start.maxStdoutBytes, (chunk) => send('stdout', chunk), atCap);
  const stderr = capture(start.maxStderrBytes, (chunk) => send('stderr', chunk), atCap);

  const timeout =
    start.timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => {
            state.timedOut = !state.exited && !isAsked();
            kill(start.graceMs);
          },
          Math.min(start.timeoutMs, longestTimerMs),
        ); // a longer one would fire at once

  const end = (outcome: Exit | Refused): void => {
    if (state.ended) return;
    state.ended = true;
    clearTimeout(timeout);
    clearTimeout(graceTimer);
    clearTimeout(stuckTimer);
    void group?.end();
    program.stdout?.destroy();
    program.stderr?.destroy();
    events.ended(outcome);
  };

  const finish = async (code: number | null, name: string | null): Promise<void> => {
    // A tree that we were asked to end is gone before anyone is told so.
    if (isAsked()) await swept();
    const failure = launcherFailure(code, state.stderrStart, state.sawStdout);
    end({
      code,
      signal: name,
      timedOut: state.timedOut,
      cancelled: state.cancelled,
      tier: plan.tier,
      truncatedStdout: stdout.truncated(),
      truncatedStderr: stderr.truncated(),
      durationMs: performance.now() - startedAt,
      ...(failure === undefined ? {} : { refused: failure }),
    });
  };

  if (start.kind === 'open') givePipes(program, events);
  else {
    program.stdout?.on('data', (chunk: Buffer) => {
      heard += 1;
      state.sawStdout = true;
      stdout.take(chunk);
    });
  }
  program.stderr?.on('data', (chunk: Buffer) => {
    heard += 1;
    if (state.stderrStart.length < 512) state.stderrStart += chunk.toString('latin1', 0, 512);
    stderr.take(chunk);
  });
  for (const stream of [program.stdout, program.stderr]) stream?.on('error', () => {});
  program.once('spawn', () => events.started(program.pid ?? 0));
  program.once('error', (problem) =>
    end(refused('spawn_failed', `The program could not be started: ${problem.message}`)),
  );
  program.once('exit', (code, name) => {
    state.exited = true;
    clearTimeout(timeout);
    clearTimeout(graceTimer);
    let finished = false;
    const once = (): void => {
      if (finished) return;
      finished = true;
      void finish(code, name);
    };
    const look = (before: number, rounds: number): void => {
      const waitsForReader = unread >= outputWindowBytes && !isAsked();
      if (rounds >= maxDrains || (heard === before && !waitsForReader)) return once();
      wait(waitsForReader ? rounds : rounds + 1);
    };
    // A timer that is late comes before what could be read in the meantime; an immediate comes after it.
    const wait = (rounds: number): void => {
      const before = heard;
      setTimeout(() => setImmediate(() => look(before, rounds)), drainMs);
    };
    program.once('close', once);
    // What the program left behind goes with it: daemons, background jobs, whoever still holds the pipe.
    void (plan.tier === 'prlimit' ? swept() : group?.end());
    if (plan.tier === 'none' && program.pid !== undefined) signal(-program.pid, 'SIGKILL');
    wait(0);
  });

  return {
    credit(bytes) {
      unread = Math.max(0, unread - bytes);
      if (unread < outputWindowBytes / 2) flow();
    },
    kill(graceMs) {
      state.cancelled ||= !state.exited && !isAsked();
      kill(graceMs);
    },
  };
}

/** Gives away stdin and stdout of a program that has just been started, before a byte of them was read. */
function givePipes(program: ChildProcess, events: ChildEvents): void {
  const { pid, stdin, stdout } = program;
  if (pid === undefined || stdin === null || stdout === null) return;
  // Node reads a child's output from the first moment, and what it read here would be lost; there is no public way to stop it.
  (stdout as unknown as { readonly _handle: { readStop(): void } })._handle.readStop();
  // When a program ends, Node destroys its stdin and reads its stdout empty, also where they still wait to be given away.
  Object.assign(program, { stdin: null, stdout: null });
  program.stdio.fill(null, 0, 2);
  // Typed as plain streams, but the pipes of a child are sockets; the program's `close` waits for them to be closed here.
  for (const [name, pipe] of [
    ['stdin', stdin as Socket],
    ['stdout', stdout as Socket],
  ] as const)
    events.pipe(name, pipe, () => pipe.destroy());
}
