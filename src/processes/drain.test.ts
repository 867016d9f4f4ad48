import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { frame } from './broker/frames.js';
import { openEntry } from './open-process.js';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-words-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The two ends of a pipe. */
async function pipe(name: string): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(join(folder, name));
  await once(server, 'listening');
  const near = connect(join(folder, name)).on('error', () => {});
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [[Socket], unknown];
  server.close();
  return [near, far];
}

/** Nothing is read and no timer fires for so long, as in a process that has too much to do. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('output written just before exit is read, however busy the gateway is when its pipes come after its end', async () => {
  const [, stdin] = await pipe('in');
  const [speaker, stdout] = await pipe('out');
  speaker.write('last words');
  let out = '';
  const exit = new Promise((resolve) => {
    const entry = openEntry(
      1,
      () => {},
      { onStdout: (chunk) => void (out += chunk), onStderr() {}, onExit: resolve },
      () => standStill(400),
      () => {},
    );
    entry.take(frame.started, Buffer.from(JSON.stringify({ pid: 1, tier: 'none' })));
    entry.take(frame.exit, Buffer.from(JSON.stringify({ code: 0, signal: null, durationMs: 1 })));
    entry.adopt?.('stdin', stdin);
    entry.adopt?.('stdout', stdout);
  });
  expect(await exit).toMatchObject({ code: 0 });
  expect(out).toBe('last words');
  speaker.destroy();
});
