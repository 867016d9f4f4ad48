import { randomInt } from 'node:crypto';
import { frame, toCountFrame, toFrame } from './broker-frames.js';
import { planLaunch, type Launch } from './launch.js';
import { ownLimits } from './limits.js';
import { startBroker, type BrokerLink } from './broker-link.js';
import { maxInstance, toRttimeLimit } from './process-marker.js';
import { uncapped, type ProcessEntry, type Hello, type StartRequest } from './broker-messages.js';
import { openEntry, type OpenHandlers, type OpenProcess } from './open-process.js';
import { orphans } from './orphans.js';
import { protectedPaths, type ProtectedPaths } from './protected-paths.js';
import { runEntry } from './run-process.js';
import { toRefusal, type ProcessSpec, type Refused, type RunOptions, type RunResult } from './process-spec.js';
import { noTiers, type TierReport } from './tiers.js';

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
  /** Number of programs running or being killed. */
  active(): number;
  /** Ends every program (SIGTERM, the grace, SIGKILL) and the broker; later starts are refused. */
  close(graceMs?: number): Promise<void>;
  /** The broker's pid, for diagnosis; undefined while there is none. */
  readonly brokerPid: number | undefined;
}

const defaultGraceMs = 2_000;
const watchEveryMs = 5_000;
const quickExitMs = 1_000;
const maxStartBytes = 2 * 1024 * 1024;
const closeTimeoutMs = 15_000;

/** Gateway side of process handling: one broker, restarted when it crashes. */
export function processes(options: ProcessesOptions = {}): Processes {
  const instance = randomInt(1, maxInstance);
  const records = options.stateFolder === undefined ? undefined : orphans(options.stateFolder, instance);
  const paths = options.paths ?? protectedPaths(process.env, []);
  const entries = new Map<number, ProcessEntry>();
  let current: BrokerLink | undefined;
  let nextId = 1;
  let quickExits = 0;
  let isClosed = false;
  let report: TierReport | undefined;
  let resolveTiers: (report: TierReport) => void = () => {};
  const tiers = new Promise<TierReport>((resolve) => (resolveTiers = resolve));
  let onIdle: (() => void) | undefined;

  const drop = (id: number): void => {
    entries.delete(id);
    if (entries.size > 0) return;
    current?.hold(false);
    onIdle?.();
  };

  const onFrame = (kind: number, id: number, payload: Buffer): void => {
    if (kind === frame.tiers) {
      report = JSON.parse(payload.toString()) as TierReport; // trusted: written by the broker
      resolveTiers(report);
      current?.hold(entries.size > 0);
    } else if (kind === frame.swept) {
      // Keeps the records if a process could not be killed, so that the next start tries again.
      if (payload.readUInt32LE(0) === 0) records?.clearStale();
    } else if (kind === frame.problem) options.onProblem?.(payload.toString());
    else if (entries.get(id)?.take(kind, payload) === true) drop(id);
  };

  const connect = (replaces: boolean): void => {
    const connectedAt = performance.now();
    current = startBroker(instance, {
      onFrame,
      onPipe({ id, pipe }, socket) {
        if (entries.get(id)?.adopt?.(pipe, socket) !== true) socket.destroy();
      },
      onLost(message) {
        current = undefined;
        for (const [id, entry] of entries) {
          entry.lost(toRefusal('broker_lost', message));
          drop(id);
        }
        options.onProblem?.(message);
        if (isClosed) return;
        quickExits = performance.now() - connectedAt < quickExitMs ? quickExits + 1 : 0;
        // Callers of tiers() must get a result even if no broker ever starts.
        if (quickExits >= 3) resolveTiers(noTiers(message));
        const delayMs = quickExits === 0 ? 0 : Math.min(5_000, 50 * 2 ** quickExits);
        const retry = setTimeout(() => isClosed || connect(true), delayMs);
        if (report !== undefined || quickExits >= 3) retry.unref();
      },
    });
    const hello: Hello = {
      instance,
      replaces,
      bestEffort: options.bestEffort === true,
      paths,
      stale: replaces ? [] : (records?.stale ?? []),
      ...(report === undefined ? {} : { report }),
    };
    current.send(toFrame(frame.hello, 0, JSON.stringify(hello)));
  };

  // Watchdog: a broker that is alive but stuck would leave callers waiting forever.
  const watch = setInterval(() => {
    const time = performance.now();
    for (const entry of entries.values()) if (entry.dueAt < time) return current?.kill();
    return undefined;
  }, watchEveryMs).unref();

  /** Registers an entry under the next id and sends the start request; a refusal if there is no broker. */
  const begin = (
    start: StartRequest,
    make: (id: number, send: (bytes: Buffer) => void) => ProcessEntry,
  ): Refused | undefined => {
    const payload = JSON.stringify(start);
    // The kernel rejects longer command lines anyway; a larger frame would break the channel for all programs.
    if (Buffer.byteLength(payload) > maxStartBytes)
      return toRefusal('spawn_failed', 'The command line and environment are too long');
    if (current === undefined)
      return toRefusal('broker_lost', isClosed ? 'The gateway is closing' : 'The process broker is being restarted');
    const target = current;
    const id = nextId;
    nextId = nextId === 0xffff_ffff ? 1 : nextId + 1;
    if (entries.size === 0) target.hold(true);
    entries.set(
      id,
      make(id, (bytes) => target.send(bytes)),
    );
    target.send(toFrame(frame.start, id, payload));
    return undefined;
  };

  connect(false);

  return {
    tiers: () => tiers,
    async plan(spec) {
      const report = await tiers;
      const uid = process.getuid?.() ?? -1;
      const context = {
        report,
        uid,
        bestEffort: options.bestEffort === true,
        ownLimits: ownLimits(),
        hasCgroups: report.processLimit.available,
        paths,
      };
      return planLaunch(spec, toRttimeLimit({ instance, serial: 0 }), context);
    },
    active: () => entries.size,
    get brokerPid() {
      return current?.pid;
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
        const refusal = begin(start, (id, send) => openEntry(id, send, handlers, resolve, () => drop(id)));
        if (refusal !== undefined) resolve(refusal);
      }),
    async close(graceMs = 0) {
      isClosed = true;
      clearInterval(watch);
      const giveUp = setTimeout(() => current?.kill(), graceMs + closeTimeoutMs);
      for (const id of entries.keys()) current?.send(toCountFrame(frame.kill, id, graceMs));
      if (entries.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      clearTimeout(giveUp);
      const last = current;
      current = undefined;
      await last?.close();
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
  timedOut: false,
  cancelled: true,
  durationMs: 0,
  tier: spec.tier,
});
