import { randomInt } from 'node:crypto';
import { frame, toCountFrame, toFrame } from './frames.js';
import { launch, type Launch } from './launch.js';
import { ownLimits } from './limits.js';
import { link, type Link } from './link.js';
import { maxInstance, toLimit } from './mark.js';
import { uncapped, type Entry, type Hello, type Start } from './messages.js';
import { openEntry, type OpenHandlers, type OpenProcess } from './open.js';
import { orphans } from './orphans.js';
import { runEntry } from './run.js';
import { refused, type ProcessSpec, type Refused, type RunOptions, type RunResult } from './spec.js';
import { noTiers, type TierReport } from './tiers.js';

export interface ProcessesOptions {
  /** Runs in a weaker tier, or without a limit that cannot be set, instead of refusing; off unless told. */
  readonly bestEffort?: boolean;
  /** Where this gateway is written down, so that after a crash the next one can end its orphans. */
  readonly stateFolder?: string;
  /** Hears what an operator should know: a lost broker, a process that could not be killed. */
  onProblem?(message: string): void;
}

/** Starts and ends programs through the broker; refusals are values, and nothing it starts outlives it. */
export interface Processes {
  run(spec: ProcessSpec, options: RunOptions): Promise<RunResult>;
  open(spec: ProcessSpec, handlers: OpenHandlers): Promise<OpenProcess | Refused>;
  /** The exact command that `run` would start now, or why it would not; starts nothing. */
  plan(spec: ProcessSpec): Promise<Launch | Refused>;
  /** What this machine can hold a process with; probed once. */
  tiers(): Promise<TierReport>;
  /** How many programs are running or being ended. */
  active(): number;
  /** Ends every program (SIGTERM, the grace, SIGKILL) and the broker; later starts are refused. */
  close(graceMs?: number): Promise<void>;
  /** The broker's pid, for diagnosis; undefined while there is none. */
  readonly brokerPid: number | undefined;
}

const defaultGraceMs = 2_000;
const watchEveryMs = 5_000;
const quickDeathMs = 1_000;
const maxStartBytes = 2 * 1024 * 1024;
const closePatienceMs = 15_000;

/** The gateway's side of process handling: one broker, restarted when it dies. */
export function processes(options: ProcessesOptions = {}): Processes {
  const instance = randomInt(1, maxInstance);
  const records = options.stateFolder === undefined ? undefined : orphans(options.stateFolder, instance);
  const entries = new Map<number, Entry>();
  let current: Link | undefined;
  let nextId = 1;
  let quickDeaths = 0;
  let isClosed = false;
  let report: TierReport | undefined;
  let tellTiers: (report: TierReport) => void = () => {};
  const tiers = new Promise<TierReport>((resolve) => (tellTiers = resolve));
  let settled: (() => void) | undefined;

  const drop = (id: number): void => {
    entries.delete(id);
    if (entries.size > 0) return;
    current?.hold(false);
    settled?.();
  };

  const onFrame = (kind: number, id: number, payload: Buffer): void => {
    if (kind === frame.tiers) {
      report = JSON.parse(payload.toString()) as TierReport; // written by our own broker
      tellTiers(report);
      current?.hold(entries.size > 0);
    } else if (kind === frame.swept) {
      // What could not be killed is remembered, so that the next start tries again.
      if (payload.readUInt32LE(0) === 0) records?.swept();
    } else if (kind === frame.problem) options.onProblem?.(payload.toString());
    else if (entries.get(id)?.take(kind, payload) === true) drop(id);
  };

  const connect = (replaces: boolean): void => {
    const bornAt = performance.now();
    current = link(instance, {
      onFrame,
      onPipe({ id, pipe }, socket) {
        if (entries.get(id)?.adopt?.(pipe, socket) !== true) socket.destroy();
      },
      onLost(message) {
        current = undefined;
        for (const [id, entry] of entries) {
          entry.lost(refused('broker_lost', message));
          drop(id);
        }
        options.onProblem?.(message);
        if (isClosed) return;
        quickDeaths = performance.now() - bornAt < quickDeathMs ? quickDeaths + 1 : 0;
        // Whoever asks what this machine can do gets an answer, also when no broker will start.
        if (quickDeaths >= 3) tellTiers(noTiers(message));
        const delayMs = quickDeaths === 0 ? 0 : Math.min(5_000, 50 * 2 ** quickDeaths);
        const again = setTimeout(() => isClosed || connect(true), delayMs);
        if (report !== undefined || quickDeaths >= 3) again.unref();
      },
    });
    const hello: Hello = {
      instance,
      replaces,
      bestEffort: options.bestEffort === true,
      stale: replaces ? [] : (records?.stale ?? []),
      ...(report === undefined ? {} : { report }),
    };
    current.send(toFrame(frame.hello, 0, JSON.stringify(hello)));
  };

  // A broker that is alive but stuck would leave callers waiting for ever.
  const watch = setInterval(() => {
    const now = performance.now();
    for (const entry of entries.values()) if (entry.dueAt < now) return current?.kill();
    return undefined;
  }, watchEveryMs).unref();

  /** Registers an entry made for the next id and sends its start; a refusal when there is no broker to send it to. */
  const begin = (start: Start, make: (id: number, send: (bytes: Buffer) => void) => Entry): Refused | undefined => {
    const payload = JSON.stringify(start);
    // The kernel takes no longer command line; a larger frame would only break the channel for everyone.
    if (Buffer.byteLength(payload) > maxStartBytes)
      return refused('spawn_failed', 'The command line and environment are too large');
    if (current === undefined)
      return refused('broker_lost', isClosed ? 'The gateway is closing' : 'The process broker is being restarted');
    const to = current;
    const id = nextId;
    nextId = nextId === 0xffff_ffff ? 1 : nextId + 1;
    if (entries.size === 0) to.hold(true);
    entries.set(
      id,
      make(id, (bytes) => to.send(bytes)),
    );
    to.send(toFrame(frame.start, id, payload));
    return undefined;
  };

  connect(false);

  return {
    tiers: () => tiers,
    async plan(spec) {
      const report = await tiers;
      const uid = process.getuid?.() ?? -1;
      const ground = {
        report,
        uid,
        bestEffort: options.bestEffort === true,
        ownLimits: ownLimits(),
        hasCgroups: report.processLimit.available,
      };
      return launch(spec, toLimit({ instance, serial: 0 }), ground);
    },
    active: () => entries.size,
    get brokerPid() {
      return current?.pid;
    },
    run: (spec, runOptions) =>
      new Promise((resolve) => {
        if (runOptions.signal?.aborted === true) return resolve(neverStarted(spec));
        const { timeoutMs, graceMs = defaultGraceMs, maxStdoutBytes, maxStderrBytes, onCap } = runOptions;
        const start: Start = { kind: 'run', spec, timeoutMs, graceMs, maxStdoutBytes, maxStderrBytes, onCap };
        const refusal = begin(start, (id, send) => runEntry(id, send, runOptions, graceMs, resolve));
        return refusal === undefined ? undefined : resolve(refusal);
      }),
    open: (spec, handlers) =>
      new Promise((resolve) => {
        const start: Start = {
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
      const giveUp = setTimeout(() => current?.kill(), graceMs + closePatienceMs);
      for (const id of entries.keys()) current?.send(toCountFrame(frame.kill, id, graceMs));
      if (entries.size > 0) await new Promise<void>((resolve) => (settled = resolve));
      clearTimeout(giveUp);
      const last = current;
      current = undefined;
      await last?.close();
      records?.forget();
    },
  };
}

const neverStarted = (spec: ProcessSpec): RunResult => ({
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
