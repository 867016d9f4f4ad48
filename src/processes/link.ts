import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { ownFile } from '../lib/own-files.js';
import { frameReader, type FrameHandler } from './frames.js';
import { brokerSerial, toLimit } from './mark.js';
import type { Passed } from './messages.js';
import { findExecutable } from './tools.js';

/** The broker as the gateway sees it: frames out, frames and pipes of programs in, and one word when it is lost. */
export interface Link {
  readonly pid: number | undefined;
  send(bytes: Buffer): void;
  /** Whether the link alone keeps the gateway's process alive. */
  hold(isHeld: boolean): void;
  /** Ends a broker that no longer answers. */
  kill(): void;
  /** Closes the channel; resolves when the broker has ended everything and itself. */
  close(): Promise<void>;
}

export interface LinkEvents {
  readonly onFrame: FrameHandler;
  /** A pipe of a program, ours from now on. */
  onPipe(passed: Passed, socket: Socket): void;
  onLost(message: string): void;
}

// The built file, also under a test runner that reads TypeScript: plain Node must be able to start it, so tests build first.
const brokerFile = ownFile('dist/processes/broker-main.js');

const patienceMs = 15_000;
// A small heap keeps the broker's own forks fast.
const nodeFlags = ['--max-old-space-size=64', '--max-semi-space-size=1'];

/** Starts a broker for this instance; the only place where the gateway's own process forks. */
export function link(instance: number, events: LinkEvents): Link {
  const node = [process.execPath, ...nodeFlags, brokerFile] as const;
  const prlimit = process.platform === 'linux' ? findExecutable('prlimit') : undefined;
  const limit = toLimit({ instance, serial: brokerSerial });
  // Marked before it runs, so that whatever it forks is ours from the first instruction on.
  const [file, ...args] =
    prlimit === undefined ? node : ([prlimit, `--rttime=${limit}:${limit}`, '--', ...node] as const);
  // Nothing of the gateway's environment may be read in the broker's; only a Node that needs it keeps its library path.
  const libraries = process.env['LD_LIBRARY_PATH'];
  const env = libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries };
  const broker = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe', 'ipc'], env, cwd: '/', detached: true });
  return linked(broker, events);
}

function linked(broker: ChildProcess, events: LinkEvents): Link {
  const { stdin, stdout, stderr } = broker;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the broker was started without pipes');
  let lastWords = '';
  let isClosing = false;
  let isLost = false;

  const gone = new Promise<void>((resolve) => {
    const lose = (how: string): void => {
      if (isLost) return;
      isLost = true;
      resolve();
      if (!isClosing)
        events.onLost(`The process broker ended (${how})${lastWords === '' ? '' : `: ${lastWords.trim()}`}`);
    };
    broker.once('error', (problem) => lose(problem.message));
    broker.once('exit', (code, name) => lose(name ?? `code ${code}`));
  });

  const read = frameReader(events.onFrame);
  stdout.on('data', (chunk: Buffer) => {
    if (!read(chunk)) broker.kill('SIGKILL');
  });
  // Written by our own broker, which sends nothing but these.
  broker.on('message', (passed, socket) => socket instanceof Socket && events.onPipe(passed as Passed, socket));
  stderr.setEncoding('utf8').on('data', (chunk: string) => (lastWords = (lastWords + chunk).slice(-500)));
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {}); // `exit` follows and says it once

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
      const impatience = setTimeout(() => broker.kill('SIGKILL'), patienceMs);
      await gone;
      clearTimeout(impatience);
    },
  };
}
