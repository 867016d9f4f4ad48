import { createServer, request } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startHeartbeat } from './heartbeat.js';
import { PostStream, maxUnreadBytes } from './post-stream.js';

/** A real response whose client reads only when told. */
async function anAnswer() {
  let taken: (res: ServerResponse) => void = () => {};
  const arrived = new Promise<ServerResponse>((resolve) => (taken = resolve));
  const server = createServer((_req, res) => taken(res)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const client = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, method: 'POST' });
  client.end();
  const answer = new Promise<import('node:http').IncomingMessage>((resolve) => client.once('response', resolve));
  const res = await arrived;
  const close = (): void => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  };
  return { res, answer, close };
}

test('a reader that does not read is not sent more than a bounded amount, and still gets the answer', async () => {
  const { res, answer, close } = await anAnswer();
  const pulse = startHeartbeat(60_000);
  const stream = new PostStream(res, { canStream: true, heartbeat: pulse });
  const piece = JSON.stringify({ note: 'x'.repeat(10_000) });
  for (let at = 0; at < 5_000; at += 1) stream.send(piece);
  expect(res.writableLength).toBeLessThan(maxUnreadBytes + 20_000);
  stream.finish(1, { result: '{"last":true}' }, 200);
  let text = '';
  for await (const chunk of await answer) text += String(chunk);
  expect(text).toContain('"last":true');
  expect(text.length).toBeLessThan(50_000_000);
  pulse.stop();
  close();
});

test('a long wait is kept alive by comments in a stream; a short one is plain JSON', async () => {
  const long = await anAnswer();
  const pulse = startHeartbeat(5);
  const stream = new PostStream(long.res, { canStream: true, heartbeat: pulse });
  const res = await long.answer;
  expect(res.headers['content-type']).toBe('text/event-stream');
  stream.finish(1, { result: '{}' }, 200);
  let text = '';
  for await (const chunk of res) text += String(chunk);
  expect(text).toMatch(/^(: keep-alive\n\n)+event: message\ndata: \{"jsonrpc":"2.0","id":1,"result":\{\}\}\n\n$/);
  pulse.stop();
  const short = await anAnswer();
  const still = startHeartbeat(60_000);
  new PostStream(short.res, { canStream: true, heartbeat: still }).finish(1, { result: '{}' }, 200);
  expect((await short.answer).headers['content-type']).toBe('application/json');
  still.stop();
  long.close();
  short.close();
});
