/**
 * The spawn broker: a small separate process that starts and ends all programs, because a fork from the gateway's large
 * heap would block its event loop. Its stdin and stdout are the channel to the gateway: the child's own descriptors 0, 1
 * and 2 replace them, so no program can inherit the channel. When the channel closes, the gateway is gone and the broker
 * kills everything it started. Pipes of long-lived programs are passed to the gateway over IPC, so that their data does
 * not take the detour through the broker.
 */
import { Socket } from 'node:net';
import { broker } from './broker.js';
import { frameReader } from './frames.js';
import { closeInherited } from '../sandbox/inherited-descriptors.js';

closeInherited();

const input = new Socket({ fd: 0, readable: true, writable: false });
// process.stdout writes to pipes synchronously, so a slow gateway would block every timeout of the broker.
const output = new Socket({ fd: 1, readable: false, writable: true });
const main = broker(
  (bytes) => void output.write(bytes),
  (passed, socket, done) => process.send?.(passed, socket, {}, done),
);
let isLeaving = false;

async function leave(code: number): Promise<void> {
  if (isLeaving) return;
  isLeaving = true;
  await main.end();
  process.exit(code);
}

const readFrames = frameReader((kind, id, payload) => main.take(kind, id, Buffer.from(payload)));
input.on('data', (chunk: Buffer) => {
  if (!readFrames(chunk)) void leave(1);
});
for (const event of ['end', 'close', 'error'] as const) input.on(event, () => void leave(0));
output.on('error', () => void leave(0));
// A service manager signals the whole group; programs must only end when the gateway closes the channel.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
