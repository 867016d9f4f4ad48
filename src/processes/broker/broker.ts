import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describeSystemError } from '../../lib/system-error.js';
import { removeStaleGroups, runGroups } from '../sandbox/cgroups.js';
import { startChild, type Child } from '../child.js';
import { frame, toCountFrame, toFrame } from './frames.js';
import { planLaunch, type LaunchContext } from '../launch.js';
import { ownLimits } from '../limits.js';
import { brokerSerial, runSerial, toRttimeLimit } from '../sweep/process-marker.js';
import type { Hello, PassedPipe, StartRequest } from './messages.js';
import { toRefusal } from '../process-spec.js';
import { killAll } from '../sweep/process-sweep.js';
import { sweeper } from '../sweep/sweeper.js';
import { probeTiers } from '../sandbox/tiers.js';

/** Handles the frames of the gateway. */
interface Broker {
  /** Handles one frame; keeps the payload, so the caller must not reuse its buffer. */
  take(kind: number, id: number, payload: Buffer): void;
  /** Kills every process of this broker; resolves when they are gone. */
  end(): Promise<void>;
}

// The gateway waits for this at its own shutdown.
const endTimeoutMs = 5_000;

/** Passes a socket to the gateway; calls `done` when it was sent. */
type PassSocket = (passed: PassedPipe, socket: Socket, done: () => void) => void;

/** Creates a broker that replies through `send` and passes pipes of long-lived programs through `pass`. */
export function broker(send: (bytes: Buffer) => void, pass: PassSocket): Broker {
  const children = new Map<number, Child>();
  let ready: Promise<(id: number, start: StartRequest) => void> | undefined;
  let instance = -1;
  let ending = false;

  const prepare = async (hello: Hello): Promise<(id: number, start: StartRequest) => void> => {
    // Processes of a crashed broker are still running; they are found by their mark.
    if (hello.replaces) {
      await killAll((mark) => mark.instance === hello.instance);
      removeStaleGroups(new Set([hello.instance]));
    }
    const groups = runGroups(hello.instance);
    const report =
      // Probing takes long, so a replaced broker gets the report of its predecessor.
      hello.report ??
      (await probeTiers({ instance: hello.instance, serial: brokerSerial }, groups !== undefined, hello.paths));
    send(toFrame(frame.tiers, 0, JSON.stringify(report)));
    const ground: LaunchContext = {
      report,
      bestEffort: hello.bestEffort,
      uid: process.getuid?.() ?? -1,
      ownLimits: ownLimits(),
      hasCgroups: groups !== undefined,
      paths: hello.paths,
    };
    const runSweeper = sweeper(hello.instance);
    let runs = 0;
    const stale = new Set(hello.stale);
    if (stale.size > 0) {
      // In the background: leftovers of earlier gateways must not delay the first start.
      void killAll((mark) => stale.has(mark.instance)).then((left) => {
        removeStaleGroups(stale);
        send(toCountFrame(frame.swept, 0, left));
      });
    }

    return (id, start) => {
      // No start after the end began; it would outlive the gateway.
      if (ending) return;
      const marker = { instance: hello.instance, serial: runSerial(runs++) };
      const plan = planLaunch(start.spec, toRttimeLimit(marker), ground);
      if (plan.kind === 'refused') return send(toFrame(frame.refused, id, JSON.stringify(plan)));
      // Moving a process into a cgroup briefly stalls every fork on the machine, so only runs with a process limit pay for it.
      const group = plan.maxProcesses === undefined ? undefined : groups?.create(marker.serial, plan.maxProcesses);
      // The broker enters the group before it forks, so that the child is counted from its first instruction.
      if (plan.maxProcesses !== undefined && group?.enter() !== true) {
        void group?.end();
        return send(
          toFrame(
            frame.refused,
            id,
            JSON.stringify(
              toRefusal('sandbox_unavailable', 'Cannot limit the number of processes: no pids cgroup could be entered'),
            ),
          ),
        );
      }
      const spawnChild = (): Child =>
        startChild(
          start,
          plan,
          { marker, sweeper: runSweeper, group },
          {
            started: (pid) => {
              if (start.kind === 'open') send(toFrame(frame.started, id, JSON.stringify({ pid, tier: plan.tier })));
            },
            output: (stream, chunk) => send(toFrame(stream === 'stdout' ? frame.stdout : frame.stderr, id, chunk)),
            pipe: (pipe, socket, done) => pass({ id, pipe }, socket, done),
            problem: (message) => send(toFrame(frame.problem, id, message)),
            ended: (outcome) => {
              children.delete(id);
              send(toFrame('kind' in outcome ? frame.refused : frame.exit, id, JSON.stringify(outcome)));
            },
          },
        );
      try {
        children.set(id, spawnChild());
      } catch (problem) {
        void group?.end();
        throw problem;
      } finally {
        if (group?.leave() === false) process.exit(1); // otherwise the broker would be killed together with the group; the gateway starts a new one
      }
    };
  };

  const begin = async (id: number, payload: Buffer): Promise<void> => {
    // Trusted: only the gateway holds the other end of this pipe.
    const start = JSON.parse(payload.toString()) as StartRequest;
    try {
      (await ready)?.(id, start);
    } catch (problem) {
      send(
        toFrame(
          frame.refused,
          id,
          JSON.stringify(toRefusal('spawn_failed', `Cannot start the program: ${describeSystemError(problem)}`)),
        ),
      );
    }
  };

  /** Waits for the same promise as a start does, so that a kill cannot overtake it while tiers are being probed. */
  const withChild = async (id: number, use: (child: Child) => void): Promise<void> => {
    await ready;
    const target = children.get(id);
    if (target !== undefined) use(target);
  };

  return {
    take(kind, id, payload) {
      if (kind === frame.hello) {
        const hello = JSON.parse(payload.toString()) as Hello; // as above
        instance = hello.instance;
        ready = prepare(hello);
      } else if (kind === frame.start) void begin(id, payload);
      else if (kind === frame.kill) void withChild(id, (target) => target.kill(payload.readUInt32LE(0)));
      else if (kind === frame.credit) void withChild(id, (target) => target.credit(payload.readUInt32LE(0)));
    },
    async end() {
      // First, so that no start slips in while the children are killed.
      ending = true;
      for (const target of children.values()) target.kill(0);
      const until = performance.now() + endTimeoutMs;
      // Children report their own end; the sweep below finds those that do not.
      while (children.size > 0 && performance.now() < until) await pause(5);
      await killAll((mark) => mark.instance === instance);
      removeStaleGroups(new Set([instance]));
    },
  };
}
