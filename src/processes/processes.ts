import { randomInt } from 'node:crypto';
import { frame, toCountFrame, toFrame } from './broker/frames.js';
import { planLaunch, type Launch } from './launch.js';
import { ownLimits } from './limits.js';
import { brokerConnection } from './broker/connection.js';
import { processEntries } from './process-entries.js';
import { maxInstance, toRttimeLimit } from './sweep/process-marker.js';
import { uncapped, type ProcessEntry, type Hello, type StartRequest } from './broker/messages.js';
import { openEntry, type OpenHandlers, type OpenProcess } from './open-process.js';
import { orphans } from './sweep/orphans.js';
import { maskWatch } from './sandbox/mask-watch.js';
import { protectedPaths, type ProtectedPaths } from './sandbox/protected-paths.js';
import { runEntry } from './run-process.js';
import { toRefusal, type ProcessSpec, type Refused, type RunOptions, type RunResult } from './process-spec.js';
import type { TierReport } from './sandbox/tiers.js';

export interface ProcessesOptions {
  /** Runs in a weaker tier, or without a limit that cannot be set, instead of refusing; off by default. */
  readonly bestEffort?: boolean;
  /** Folder that records this instance, so that after a crash the next start can kill its orphans. */
  readonly stateFolder?: string;
  /** Places that sandboxed programs are kept away from; by default those of this user, without any of a gateway. */
  readonly paths?: ProtectedPaths;
  /** Called for problems an operator should see: a lost broker, a process that could not be killed. */
  onProblem?(message: string): void;
}

/** Starts and ends programs through the broker; refusals are values, and no program outlives the gateway. */
export interface Processes {
  run(spec: ProcessSpec, options: RunOptions): Promise<RunResult>;
  open(spec: ProcessSpec, handlers: OpenHandlers): Promise<OpenProcess | Refused>;
  /** The exact command line `run` would use, or the refusal; starts nothing. */
  plan(spec: ProcessSpec): Promise<Launch | Refused>;
  /** Sandbox tiers of this machine; probed once. */
  tiers(): Promise<TierReport>;
  /**
   * Called with a protected place, or one of `more`, that was created or replaced: programs that were started before may see it, so that
   * they should be replaced. Returns the function that ends this.
   */
  onMaskLost(more: readonly string[], listener: (path: string) => void): () => void;
  /** Number of programs running or being killed. */
  active(): number;
  /** Ends every program (SIGTERM, the grace, SIGKILL) and the broker; later starts are refused. */
  close(graceMs?: number): Promise<void>;
  /** The broker's pid, for diagnosis; undefined while there is none. */
  readonly brokerPid: number | undefined;
}

const defaultGraceMs = 2_000;
const watchEveryMs = 5_000;
const maxStartBytes = 2 * 1024 * 1024;
const closeTimeoutMs = 15_000;

/** Gateway side of process handling: one broker, restarted when it crashes. */
export function processes(options: ProcessesOptions = {}): Processes {
  const instance = randomInt(1, maxInstance);
  const records = options.stateFolder === undefined ? undefined : orphans(options.stateFolder, instance);
  const paths = options.paths ?? protectedPaths(process.env, []);
  const masks = maskWatch(paths);
  const isBestEffort = options.bestEffort === true;
  const entries = processEntries((hasEntries) => broker.hold(hasEntries));

  const onFrame = (kind: number, id: number, payload: Buffer): void => {
    if (kind === frame.tiers) {
      broker.setReport(JSON.parse(payload.toString()) as TierReport); // trusted: written by the broker
      broker.hold(entries.size() > 0);
    } else if (kind === frame.swept) {
      // Keeps the records if a process could not be killed, so that the next start tries again.
      if (payload.readUInt32LE(0) === 0) records?.clearStale();
    } else if (kind === frame.problem) options.onProblem?.(payload.toString());
    else entries.take(kind, id, payload);
  };
  const broker = brokerConnection({
    instance,
    hello: (replaces, report): Hello => ({
      instance,
      replaces,
      bestEffort: isBestEffort,
      paths,
      stale: replaces ? [] : (records?.stale ?? []),
      ...(report === undefined ? {} : { report }),
    }),
    onFrame,
    onPipe: ({ id, pipe }, socket) => entries.adopt(id, pipe, socket) || void socket.destroy(),
    onLost(message) {
      entries.lose(toRefusal('broker_lost', message));
      options.onProblem?.(message);
    },
  });

  // Watchdog: a broker that is alive but stuck would leave callers waiting forever.
  const watch = setInterval(() => entries.isOverdue(performance.now()) && broker.kill(), watchEveryMs).unref();

  /** Registers an entry under the next id and sends the start request; a refusal if there is no broker. */
  const begin = (
    start: StartRequest,
    make: (id: number, send: (bytes: Buffer) => void) => ProcessEntry,
  ): Refused | undefined => {
    const payload = JSON.stringify(start);
    // The kernel rejects longer command lines anyway; a larger frame would break the channel for all programs.
    if (Buffer.byteLength(payload) > maxStartBytes)
      return toRefusal('spawn_failed', 'The command line and environment are too long');
    const link = broker.current();
    if (link === undefined)
      return toRefusal(
        'broker_lost',
        broker.isClosed() ? 'The gateway is closing' : 'The process broker is being restarted',
      );
    const id = entries.add((next) => make(next, (bytes) => link.send(bytes)));
    link.send(toFrame(frame.start, id, payload));
    return undefined;
  };

  broker.connect();

  return {
    tiers: () => broker.report,
    async plan(spec) {
      const report = await broker.report;
      return planLaunch(spec, toRttimeLimit({ instance, serial: 0 }), {
        report,
        uid: process.getuid?.() ?? -1,
        bestEffort: isBestEffort,
        ownLimits: ownLimits(),
        hasCgroups: report.processLimit.available,
        paths,
      });
    },
    onMaskLost: masks.add,
    active: entries.size,
    get brokerPid() {
      return broker.current()?.pid;
    },
    run: (spec, runOptions) =>
      new Promise((resolve) => {
        if (runOptions.signal?.aborted === true) return resolve(cancelledBeforeStart(spec));
        const { timeoutMs, graceMs = defaultGraceMs, maxStdoutBytes, maxStderrBytes, onCap } = runOptions;
        const start: StartRequest = { kind: 'run', spec, timeoutMs, graceMs, maxStdoutBytes, maxStderrBytes, onCap };
        const refusal = begin(start, (id, send) => runEntry(id, send, runOptions, graceMs, resolve));
        return refusal === undefined ? undefined : resolve(refusal);
      }),
    open: (spec, handlers) =>
      new Promise((resolve) => {
        const start: StartRequest = {
          kind: 'open',
          spec,
          graceMs: defaultGraceMs,
          maxStdoutBytes: uncapped,
          maxStderrBytes: uncapped,
          onCap: 'kill',
        };
        const refusal = begin(start, (id, send) => openEntry(id, send, handlers, resolve, () => entries.drop(id)));
        if (refusal !== undefined) resolve(refusal);
      }),
    async close(graceMs = 0) {
      masks.close();
      broker.stopRestarts();
      clearInterval(watch);
      const giveUp = setTimeout(() => broker.kill(), graceMs + closeTimeoutMs);
      for (const id of entries.ids()) broker.current()?.send(toCountFrame(frame.kill, id, graceMs));
      await entries.untilEmpty();
      clearTimeout(giveUp);
      await broker.close();
      records?.release();
    },
  };
}

const cancelledBeforeStart = (spec: ProcessSpec): RunResult => ({
  kind: 'finished',
  code: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncatedStdout: false,
  truncatedStderr: false,
  producedBytes: 0,
  timedOut: false,
  cancelled: true,
  durationMs: 0,
  tier: spec.tier,
});
