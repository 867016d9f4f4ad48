/**
 * The spawn broker: a small process of its own that starts and ends every tool, because forking from the gateway's
 * large heap would stop its event loop. Its stdin and stdout are the channel: a child's own 0, 1 and 2 replace them,
 * so no tool can ever inherit it. When the channel closes, the gateway is gone and everything started here goes too.
 * The pipes of a long-lived program are passed to the gateway beside the channel, so that what is said to it and by it
 * does not take the way through here.
 */
import { Socket } from 'node:net';
import { broker } from './broker.js';
import { frameReader } from './frames.js';
import { closeInherited } from './inherited.js';

closeInherited();

const input = new Socket({ fd: 0, readable: true, writable: false });
// process.stdout would write to a pipe synchronously, and a slow gateway would stop every timeout in here.
const output = new Socket({ fd: 1, readable: false, writable: true });
const main = broker(
  (bytes) => void output.write(bytes),
  (passed, socket, done) => process.send?.(passed, socket, {}, done),
);
let leaving = false;

async function leave(code: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  await main.end();
  process.exit(code);
}

const read = frameReader((kind, id, payload) => main.take(kind, id, Buffer.from(payload)));
input.on('data', (chunk: Buffer) => {
  if (!read(chunk)) void leave(1);
});
for (const event of ['end', 'close', 'error'] as const) input.on(event, () => void leave(0));
output.on('error', () => void leave(0));
// A service manager signals every process at once; the gateway decides when its tools end, by closing the channel.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
