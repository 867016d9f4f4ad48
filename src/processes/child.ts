import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { describeSystemError } from '../lib/system-error.js';
import type { Launch } from './launch.js';
import { outputCap } from './output-cap.js';
import { drainOutput, maxDrains } from './output-drain.js';
import { outputWindow } from './output-window.js';
import type { ExitReport, Pipe, StartRequest } from './broker/messages.js';
import { toRefusal, type Refused } from './process-spec.js';
import { launcherFailure } from './sandbox/tiers.js';
import { treeEnd, type Containment } from './tree-end.js';

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

// setTimeout takes a signed 32-bit number of milliseconds.
const longestTimerMs = 2 ** 31 - 1;
// The launchers report their own failure at the beginning of stderr.
const maxStderrStart = 512;

/** Starts one program and reports through the events; `ended` fires exactly once. */
export function startChild(start: StartRequest, plan: Launch, containment: Containment, events: ChildEvents): Child {
  const startedAt = performance.now();
  const [file, ...args] = plan.argv;
  const program = spawn(file, args, {
    cwd: plan.cwd,
    env: start.spec.env,
    detached: true, // separate session, so the program cannot signal the gateway's group or use its terminal
    stdio: [start.kind === 'open' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // One object, because callbacks of several events read and write it.
  const state = { timedOut: false, cancelled: false, exited: false, ended: false, sawStdout: false, stderrStart: '' };
  let chunksRead = 0;

  const tree = treeEnd({
    ...containment,
    pid: program.pid,
    tier: plan.tier,
    isExited: () => state.exited,
    onProblem: events.problem,
    onStuck: () => void finish(null, 'SIGKILL'),
  });
  // The first request decides how the end is reported: timeout, cancellation or kill.
  const isEnding = (): boolean => tree.isKilling() || state.timedOut || state.cancelled;
  const kill = (graceMs: number): void => {
    if (!state.exited && !state.ended) tree.end(graceMs);
  };

  // Flow control: the child is paused while the gateway has not consumed its output (backpressure).
  const window = outputWindow([start.kind === 'open' ? null : program.stdout, program.stderr]);
  const capped = (stream: 'stdout' | 'stderr', maxBytes: number) =>
    outputCap(
      maxBytes,
      (chunk) => {
        events.output(stream, chunk);
        window.sent(chunk.length);
      },
      // A program that floods is ended instead of drained, if the caller wants that.
      () => start.onCap === 'kill' && tree.kill(),
    );
  const stdout = capped('stdout', start.maxStdoutBytes);
  const stderr = capped('stderr', start.maxStderrBytes);

  const onTimeout = (): void => {
    // A program that has just exited by itself did not time out.
    state.timedOut = !state.exited && !isEnding();
    kill(start.graceMs);
  };
  const timeout =
    start.timeoutMs === undefined ? undefined : setTimeout(onTimeout, Math.min(start.timeoutMs, longestTimerMs)); // setTimeout fires at once for longer values

  const end = (outcome: ExitReport | Refused): void => {
    // Exit, error and a stuck tree can all arrive; only the first is reported.
    if (state.ended) return;
    state.ended = true;
    clearTimeout(timeout);
    tree.clear();
    program.stdout?.destroy();
    program.stderr?.destroy();
    events.ended(outcome);
  };

  const finish = async (code: number | null, name: string | null): Promise<void> => {
    // A cancelled run is only reported once its whole process tree is gone.
    if (isEnding()) await tree.sweep();
    // A launcher that failed looks like a program that failed; its text distinguishes them.
    const failure = launcherFailure(code, state.stderrStart, state.sawStdout);
    end({
      code,
      signal: name,
      timedOut: state.timedOut,
      cancelled: state.cancelled,
      tier: plan.tier,
      truncatedStdout: stdout.truncated(),
      truncatedStderr: stderr.truncated(),
      producedBytes: stdout.produced() + stderr.produced(),
      durationMs: performance.now() - startedAt,
      ...(failure === undefined ? {} : { refused: failure }),
    });
  };

  const onExit = (code: number | null, name: string | null): void => {
    state.exited = true;
    clearTimeout(timeout);
    let finished = false;
    const once = (): void => {
      if (finished) return;
      finished = true;
      void finish(code, name);
    };
    // `close` waits for the pipes, which a descendant may hold open for ever; draining ends that wait.
    program.once('close', once);
    tree.afterExit();
    drainOutput(
      () => chunksRead,
      (isQuiet, rounds) => {
        const waitsForReader = window.isFull() && !isEnding();
        if (rounds < maxDrains && (!isQuiet || waitsForReader)) return waitsForReader ? 'hold' : 'again';
        once();
        return 'done';
      },
    );
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
    if (state.stderrStart.length < maxStderrStart) state.stderrStart += chunk.toString('latin1', 0, maxStderrStart);
    stderr.take(chunk);
  });
  // A pipe may break at any time; without a handler the broker would end.
  for (const stream of [program.stdout, program.stderr]) stream?.on('error', () => {});
  program.once('spawn', () => events.started(program.pid ?? 0));
  program.once('error', (problem) =>
    end(toRefusal('spawn_failed', `Cannot start the program: ${describeSystemError(problem)}`)),
  );
  program.once('exit', onExit);

  return {
    credit: window.credit,
    kill(graceMs) {
      // Cancelled only if nothing else had ended it before.
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
