import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ada } from '../../../test/support/make.js';
import type { EventFeed } from './events.js';
import { eventsRoute } from './events.js';
import { httpDoor } from './edge/server.js';

type Receiver = Parameters<EventFeed['subscribe']>[0];

test('a subscriber that never reads loses its connection when the feed gives up on it', async () => {
  let subscribed = (_receiver: Receiver): void => {};
  const receiving = new Promise<Receiver>((resolve) => (subscribed = resolve));
  let closed = (): void => {};
  const gone = new Promise<void>((resolve) => (closed = resolve));
  const feed: EventFeed = {
    subscribe(receiver) {
      subscribed(receiver);
      return { resume: () => {}, close: () => closed() };
    },
  };
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes: [eventsRoute(feed)],
    authenticator: { authenticate: () => ({ principal: ada }) },
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 1_000,
    peerRatePerSecond: 0,
    maxConnections: 10,
    // The timeout for all responses must not be what ends this one.
    timeouts: { writeMs: 3_600_000 },
    onFault: (error) => expect.fail(String(error)),
  });
  await door.start();
  onTestFinished(() => door.stop(AbortSignal.abort()));
  const socket = connect(door.address().port, '127.0.0.1', () => {
    socket.pause();
    socket.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n');
  });
  onTestFinished(() => void socket.destroy());
  const receiver = await receiving;
  const chunk = `: ${'x'.repeat(1_000_000)}\n\n`;
  // Fills the buffers of both sides.
  for (let count = 0; count < 20; count += 1) receiver.write(chunk);
  receiver.end();
  await gone;
});
