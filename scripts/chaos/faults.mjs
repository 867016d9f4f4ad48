import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

const signal = (pid, name) => {
  try {
    process.kill(Number(pid), name);
  } catch {} // it ended meanwhile
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Clients that send half a request, or a whole one, and vanish. */
function vanish(gate, bytes) {
  return new Promise((resolve) => {
    const socket = connect(gate.address(), '127.0.0.1', () => socket.write(bytes, () => socket.resetAndDestroy()));
    socket.on('error', () => {}).on('close', resolve);
  });
}

/** Every fault: it strikes while calls run, and returns when it is over. */
export const faults = [
  {
    name: 'kill -9 of the gate',
    async strike(gate) {
      const running = gate.load(20);
      await gate.killGate();
      await running;
    },
  },
  {
    name: 'kill -9 of the broker',
    async strike(gate) {
      const running = gate.load(20);
      for (const pid of gate.descendants()) signal(pid, 'SIGKILL');
      await running;
    },
  },
  {
    name: 'kill -9 of a plugin',
    async strike(gate) {
      const running = gate.load(20);
      for (const pid of gate.processes()) signal(pid, 'SIGKILL');
      await running;
    },
  },
  {
    name: 'frozen plugin',
    async strike(gate) {
      for (const pid of gate.processes()) signal(pid, 'SIGSTOP');
      await gate.load(6);
    },
  },
  {
    name: 'frozen remote',
    async strike(gate) {
      signal(gate.far.pid, 'SIGSTOP');
      await gate.load(6);
      signal(gate.far.pid, 'SIGCONT');
    },
  },
  {
    name: 'vanishing clients',
    async strike(gate) {
      const whole = 'POST /tools/near__echo/execute HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}';
      await Promise.all(Array.from({ length: 60 }, (_, at) => vanish(gate, whole.slice(0, 10 + at))));
    },
  },
  {
    name: 'resets of the remote',
    async strike(gate) {
      for (let times = 0; times < 5; times += 1) {
        const running = gate.load(10);
        gate.resetRemote();
        await running;
      }
    },
  },
  {
    name: 'vanishing callers',
    async strike(gate) {
      // Real calls whose caller is gone before the answer: their slots and records must not leak.
      await Promise.allSettled(
        Array.from({ length: 40 }, (_, at) =>
          gate.call(at % 2 === 0 ? 'near__echo' : 'far__echo', AbortSignal.timeout(at % 8)),
        ),
      );
    },
  },
  {
    name: 'reload storm',
    async strike(gate) {
      const running = gate.load(40);
      for (let times = 0; times < 10; times += 1) {
        gate.configure();
        await pause(30);
      }
      await running;
    },
  },
  {
    name: 'orderly restart under load',
    async strike(gate) {
      const running = gate.load(20);
      await gate.stopGate();
      await running;
    },
  },
  {
    name: 'disk full',
    async strike(gate) {
      // Only on a separate, small file system: filling the disk of the machine would hit others.
      const { blocks, bsize, bavail } = statfsSync(gate.home);
      if (blocks * bsize > 256e6) return 'skipped';
      const ballast = join(gate.home, 'ballast');
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
      } catch {} // full, as intended
      await gate.load(20);
      if (existsSync(ballast)) rmSync(ballast);
      return undefined;
    },
  },
];
