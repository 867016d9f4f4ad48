import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { removeStaleGroups, runGroups } from './cgroups.js';
import { child, type Child } from './child.js';
import { frame, toCountFrame, toFrame } from './frames.js';
import { launch, type Ground } from './launch.js';
import { ownLimits } from './limits.js';
import { brokerSerial, runSerial, toLimit } from './mark.js';
import type { Hello, Passed, Start } from './messages.js';
import { refused } from './spec.js';
import { killAll } from './sweep.js';
import { sweeper } from './sweeper.js';
import { probeTiers } from './tiers.js';

/** The side of the broker that its pipe talks to. */
export interface Broker {
  /** Takes one frame; the payload must be the broker's to keep. */
  take(kind: number, id: number, payload: Buffer): void;
  /** Kills everything this broker ever started; resolves when it is gone. */
  end(): Promise<void>;
}

const patienceMs = 5_000;

/** Gives a socket away; `done` is told when it is gone. */
export type Pass = (passed: Passed, socket: Socket, done: () => void) => void;

/** A broker that answers through `send` and gives the pipes of long-lived programs away through `pass`. */
export function broker(send: (bytes: Buffer) => void, pass: Pass): Broker {
  const children = new Map<number, Child>();
  let ready: Promise<(id: number, start: Start) => void> | undefined;
  let instance = -1;
  let ending = false;

  const prepare = async (hello: Hello): Promise<(id: number, start: Start) => void> => {
    if (hello.replaces) {
      await killAll((mark) => mark.instance === hello.instance);
      removeStaleGroups(new Set([hello.instance]));
    }
    const groups = runGroups(hello.instance);
    const report =
      hello.report ?? (await probeTiers({ instance: hello.instance, serial: brokerSerial }, groups !== undefined));
    send(toFrame(frame.tiers, 0, JSON.stringify(report)));
    const ground: Ground = {
      report,
      bestEffort: hello.bestEffort,
      uid: process.getuid?.() ?? -1,
      ownLimits: ownLimits(),
      hasCgroups: groups !== undefined,
    };
    const swept = sweeper(hello.instance);
    let runs = 0;
    const stale = new Set(hello.stale);
    if (stale.size > 0) {
      void killAll((mark) => stale.has(mark.instance)).then((left) => {
        removeStaleGroups(stale);
        send(toCountFrame(frame.swept, 0, left));
      });
    }

    return (id, start) => {
      if (ending) return;
      const who = { instance: hello.instance, serial: runSerial(runs++) };
      const plan = launch(start.spec, toLimit(who), ground);
      if (plan.kind === 'refused') return send(toFrame(frame.refused, id, JSON.stringify(plan)));
      // Moving a process into a cgroup holds up every fork of the machine for a moment, so only a run that asks for it pays.
      const group = plan.maxProcesses === undefined ? undefined : groups?.make(who.serial, plan.maxProcesses);
      if (plan.maxProcesses !== undefined && group?.enter() !== true) {
        void group?.end();
        return send(
          toFrame(
            frame.refused,
            id,
            JSON.stringify(refused('sandbox_unavailable', 'The number of processes cannot be limited')),
          ),
        );
      }
      const begun = (): Child =>
        child(
          start,
          plan,
          { who, sweeper: swept, group },
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
        children.set(id, begun());
      } catch (problem) {
        void group?.end();
        throw problem;
      } finally {
        if (group?.leave() === false) process.exit(1); // a new broker is better than one inside a group that gets killed
      }
    };
  };

  const begin = async (id: number, payload: Buffer): Promise<void> => {
    // The payload was written by our own gateway from its own types; nobody else holds this pipe.
    const start = JSON.parse(payload.toString()) as Start;
    try {
      (await ready)?.(id, start);
    } catch (problem) {
      const message = problem instanceof Error ? problem.message : String(problem);
      send(
        toFrame(
          frame.refused,
          id,
          JSON.stringify(refused('spawn_failed', `The program could not be started: ${message}`)),
        ),
      );
    }
  };

  /** A kill may overtake its start while the tiers are still being probed; the same promise keeps their order. */
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
      ending = true;
      for (const target of children.values()) target.kill(0);
      const until = performance.now() + patienceMs;
      while (children.size > 0 && performance.now() < until) await pause(5);
      await killAll((mark) => mark.instance === instance);
      removeStaleGroups(new Set([instance]));
    },
  };
}
