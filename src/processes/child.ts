import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { describeSystemError } from '../lib/system-error.js';
import type { Launch } from './launch.js';
import type { RunGroup } from './cgroups.js';
import type { ProcessMarker } from './process-marker.js';
import { outputWindowBytes, type ExitReport, type Pipe, type StartRequest } from './broker-messages.js';
import { outputCap } from './output-cap.js';
import { toRefusal, type Refused } from './process-spec.js';
import { findMarked, sendSignal } from './process-sweep.js';
import type { Sweeper } from './sweeper.js';
import { launcherFailure } from './tiers.js';

/** Events of a child. */
interface ChildEvents {
  started(pid: number): void;
  output(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Hands over a pipe of a long-lived program; `done` must be called when it was sent. */
  pipe(pipe: Pipe, socket: Socket, done: () => void): void;
  ended(outcome: ExitReport | Refused): void;
  problem(message: string): void;
}

/** One running program inside the broker. */
export interface Child {
  credit(bytes: number): void;
  /** Ends the whole tree: SIGTERM, the grace, SIGKILL; `ended` follows when nothing is left. */
  kill(graceMs: number): void;
}

/** Marker, sweeper and cgroup that keep track of the processes of a run. */
export interface Containment {
  readonly marker: ProcessMarker;
  readonly sweeper: Sweeper;
  readonly group: RunGroup | undefined;
}

/** Drain interval after exit: reading stops after one interval without data, since an escaped child may hold the pipe open. */
const drainMs = 100;
const maxDrains = 50;
const stuckMs = 5_000;
const longestTimerMs = 2 ** 31 - 1;

/** Starts one program and reports through the events; `ended` fires exactly once. */
export function startChild(
  start: StartRequest,
  plan: Launch,
  { marker, sweeper, group }: Containment,
  events: ChildEvents,
): Child {
  const startedAt = performance.now();
  const isRun = ({ instance, serial }: ProcessMarker): boolean =>
    instance === marker.instance && serial === marker.serial;
  const [file, ...args] = plan.argv;
  const program = spawn(file, args, {
    cwd: plan.cwd,
    env: start.spec.env,
    detached: true, // separate session, so the program cannot signal the gateway's group or use its terminal
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
  let chunksRead = 0;
  let graceTimer: NodeJS.Timeout | undefined;
  let stuckTimer: NodeJS.Timeout | undefined;

  const isEnding = (): boolean => state.killing || state.timedOut || state.cancelled;

  const terminate = (pid: number): void => {
    // SIGTERM to bwrap's outer process would kill the whole namespace at once, so it goes to the processes inside.
    const inside = findMarked(isRun).filter((candidate) => plan.tier !== 'bwrap' || candidate !== pid);
    for (const candidate of inside) sendSignal(candidate, 'SIGTERM');
    if (inside.length === 0) sendSignal(-pid, 'SIGTERM'); // not both: many programs exit immediately on a second SIGTERM
  };

  const killTree = (): void => {
    const { pid } = program;
    if (pid === undefined || state.killing) return;
    state.killing = true;
    // After the process is reaped its group id may be reused; from then on only the marker identifies our processes.
    if (!state.exited || plan.tier === 'none') sendSignal(-pid, 'SIGKILL');
    // A process in uninterruptible sleep cannot be reaped; the caller must not wait for it.
    void sweepRun().then(() => {
      if (!state.exited) stuckTimer = setTimeout(() => void finish(null, 'SIGKILL'), stuckMs);
    });
  };

  const sweepRun = async (): Promise<void> => {
    const [left] = await Promise.all([sweeper.sweep(marker.serial), group?.end()]);
    if (left > 0) events.problem(`${left} processes could not be killed`);
  };

  const kill = (graceMs: number): void => {
    const { pid } = program;
    if (pid === undefined || state.exited || state.ended) return;
    clearTimeout(graceTimer);
    if (graceMs <= 0) return killTree();
    terminate(pid);
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
  const stdout = outputCap(start.maxStdoutBytes, (chunk) => send('stdout', chunk), atCap);
  const stderr = outputCap(start.maxStderrBytes, (chunk) => send('stderr', chunk), atCap);

  const timeout =
    start.timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => {
            state.timedOut = !state.exited && !isEnding();
            kill(start.graceMs);
          },
          Math.min(start.timeoutMs, longestTimerMs),
        ); // setTimeout fires at once for longer values

  const end = (outcome: ExitReport | Refused): void => {
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
    // A cancelled run is only reported once its whole process tree is gone.
    if (isEnding()) await sweepRun();
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

  if (start.kind === 'open') handOverPipes(program, events);
  else {
    program.stdout?.on('data', (chunk: Buffer) => {
      chunksRead += 1;
      state.sawStdout = true;
      stdout.take(chunk);
    });
  }
  program.stderr?.on('data', (chunk: Buffer) => {
    chunksRead += 1;
    if (state.stderrStart.length < 512) state.stderrStart += chunk.toString('latin1', 0, 512);
    stderr.take(chunk);
  });
  for (const stream of [program.stdout, program.stderr]) stream?.on('error', () => {});
  program.once('spawn', () => events.started(program.pid ?? 0));
  program.once('error', (problem) =>
    end(toRefusal('spawn_failed', `Cannot start the program: ${describeSystemError(problem)}`)),
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
    const checkDrained = (before: number, rounds: number): void => {
      const waitsForReader = unread >= outputWindowBytes && !isEnding();
      if (rounds >= maxDrains || (chunksRead === before && !waitsForReader)) return once();
      scheduleCheck(waitsForReader ? rounds : rounds + 1);
    };
    // In a busy event loop a late timer fires before pending reads; setImmediate runs after them.
    const scheduleCheck = (rounds: number): void => {
      const before = chunksRead;
      setTimeout(() => setImmediate(() => checkDrained(before, rounds)), drainMs);
    };
    program.once('close', once);
    // Kills what the program left behind: daemons, background jobs, children that hold the pipe open.
    void (plan.tier === 'prlimit' ? sweepRun() : group?.end());
    if (plan.tier === 'none' && program.pid !== undefined) sendSignal(-program.pid, 'SIGKILL');
    scheduleCheck(0);
  });

  return {
    credit(bytes) {
      unread = Math.max(0, unread - bytes);
      if (unread < outputWindowBytes / 2) flow();
    },
    kill(graceMs) {
      state.cancelled ||= !state.exited && !isEnding();
      kill(graceMs);
    },
  };
}

/** Hands over stdin and stdout of a program before any byte is read here. */
function handOverPipes(program: ChildProcess, events: ChildEvents): void {
  const { pid, stdin, stdout } = program;
  if (pid === undefined || stdin === null || stdout === null) return;
  // Node starts reading a child's stdout at once, and those bytes would be lost; there is no public API to prevent it.
  (stdout as unknown as { readonly _handle: { readStop(): void } })._handle.readStop();
  // On exit Node destroys the child's stdin and drains its stdout, even if they are still waiting to be handed over.
  Object.assign(program, { stdin: null, stdout: null });
  program.stdio.fill(null, 0, 2);
  // Typed as streams, but pipes of a child are sockets; the child's `close` event waits until they are closed here.
  for (const [name, pipe] of [
    ['stdin', stdin as Socket],
    ['stdout', stdout as Socket],
  ] as const)
    events.pipe(name, pipe, () => pipe.destroy());
}
