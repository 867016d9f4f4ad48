import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { packageFile } from '../../lib/package-file.js';
import { describeSystemError } from '../../lib/system-error.js';
import { frameReader, type FrameHandler } from './frames.js';
import { brokerSerial, toRttimeLimit } from '../sweep/process-marker.js';
import type { PassedPipe } from './messages.js';
import { findExecutable } from '../executables.js';

/** Connection of the gateway to its broker. */
export interface BrokerLink {
  readonly pid: number | undefined;
  send(bytes: Buffer): void;
  /** Whether the connection keeps the gateway's process alive (ref/unref). */
  hold(isHeld: boolean): void;
  /** Kills a broker that no longer responds. */
  kill(): void;
  /** Closes the channel; resolves when the broker has killed all programs and exited. */
  close(): Promise<void>;
}

interface BrokerEvents {
  readonly onFrame: FrameHandler;
  /** A pipe of a program; the receiver owns it. */
  onPipe(passed: PassedPipe, socket: Socket): void;
  onLost(message: string): void;
}

// Always the built file: plain Node starts it, so tests need a build first.
const brokerFile = packageFile('dist/processes/broker/main.js');

const closeTimeoutMs = 15_000;
// A small heap keeps fork() in the broker fast.
const nodeFlags = ['--max-old-space-size=64', '--max-semi-space-size=1'];

/** Starts a broker for this instance; the only fork of the gateway's own process. */
export function startBroker(instance: number, events: BrokerEvents): BrokerLink {
  const node = [process.execPath, ...nodeFlags, brokerFile] as const;
  const prlimit = process.platform === 'linux' ? findExecutable('prlimit') : undefined;
  const limit = toRttimeLimit({ instance, serial: brokerSerial });
  // Marked before exec, so that every process it forks carries the marker from the start.
  const [file, ...args] =
    prlimit === undefined ? node : ([prlimit, `--rttime=${limit}:${limit}`, '--', ...node] as const);
  // The broker gets none of the gateway's environment, which may hold secrets; only a Node that needs it keeps its library path.
  const libraries = process.env['LD_LIBRARY_PATH'];
  const env = libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries };
  const broker = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe', 'ipc'], env, cwd: '/', detached: true });
  return toBrokerLink(broker, events);
}

function toBrokerLink(broker: ChildProcess, events: BrokerEvents): BrokerLink {
  const { stdin, stdout, stderr } = broker;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the broker was started without pipes');
  let stderrTail = '';
  let isClosing = false;
  let isLost = false;

  const gone = new Promise<void>((resolve) => {
    const reportLost = (how: string): void => {
      if (isLost) return;
      isLost = true;
      resolve();
      if (!isClosing)
        events.onLost(`The process broker exited (${how})${stderrTail === '' ? '' : `: ${stderrTail.trim()}`}`);
    };
    broker.once('error', (problem) => reportLost(describeSystemError(problem)));
    broker.once('exit', (code, name) => reportLost(name ?? `code ${code}`));
  });

  const readFrames = frameReader(events.onFrame);
  stdout.on('data', (chunk: Buffer) => {
    if (!readFrames(chunk)) broker.kill('SIGKILL');
  });
  // Trusted: only the broker writes to this IPC channel.
  broker.on('message', (passed, socket) => socket instanceof Socket && events.onPipe(passed as PassedPipe, socket));
  stderr.setEncoding('utf8').on('data', (chunk: string) => (stderrTail = (stderrTail + chunk).slice(-500)));
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {}); // `exit` follows and reports it once

  const hold = (isHeld: boolean): void => {
    // Typed as plain streams, but the pipes of a child are sockets.
    for (const handle of [broker, broker.channel, stdin as Socket, stdout as Socket, stderr as Socket]) {
      if (isHeld) handle?.ref();
      else handle?.unref();
    }
  };

  return {
    pid: broker.pid,
    send: (bytes) => void stdin.write(bytes),
    hold,
    kill: () => void broker.kill('SIGKILL'),
    async close() {
      isClosing = true;
      hold(true);
      stdin.end();
      const killTimer = setTimeout(() => broker.kill('SIGKILL'), closeTimeoutMs);
      await gone;
      clearTimeout(killTimer);
    },
  };
}
