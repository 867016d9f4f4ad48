import type { ServerResponse } from 'node:http';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ada, never } from '../../../../test/support/make.js';
import { sendJson } from './respond.js';
import type { Route } from './route.js';
import type { HttpDoor, HttpOptions } from './server.js';
import { httpDoor } from './server.js';

const doors: HttpDoor[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(doors.splice(0).map((door) => door.stop(AbortSignal.abort())));
});

const hello: Route = { method: 'GET', path: '/hello', auth: 'open', handle: ({ res }) => sendJson(res, 200, 'hello') };
const echo: Route = {
  method: 'POST',
  path: '/echo',
  auth: 'principal',
  consumes: 'application/json',
  handle: ({ res, body, principal }) => sendJson(res, 200, { bytes: body.length, principal: principal.id }),
};

async function aDoor(routes: readonly Route[], over: Partial<HttpOptions> = {}) {
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes,
    authenticator: { authenticate: () => ({ principal: ada }) },
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 1_000_000,
    peerRatePerSecond: 0,
    maxConnections: 100,
    onFault: (error) => expect.fail(String(error)),
    ...over,
  });
  await door.start();
  doors.push(door);
  const { port } = door.address();
  /** A client that sends raw text and, with `mute`, never reads and never closes. */
  const open = async (text: string, mute = false) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    let answer = '';
    const closed = new Promise<string>((resolve) => {
      socket.on('close', () => resolve(answer)).on('end', () => resolve(answer));
    });
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    if (mute) socket.pause();
    else socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.write(text);
    return { socket, closed, answer: () => answer };
  };
  const status = (path = '/hello'): Promise<number> =>
    new Promise((resolve) => {
      request({ port, host: '127.0.0.1', path, agent: false }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      })
        .on('error', () => resolve(0))
        .end();
    });
  return { door, port, open, status };
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) expect.fail('the condition never held');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const head = 'HTTP/1.1\r\nhost: localhost\r\n';

test.each([
  ['nothing', ''],
  ['half a header', `GET /hello HTTP/1.1\r\nhost: loc`],
  ['half a body', `POST /echo ${head}content-type: application/json\r\ncontent-length: 10\r\n\r\n{"a`],
])('a client that sends %s is answered 408 and disconnected, even if it never closes', async (_what, text) => {
  const timeouts = { headersMs: 100, requestMs: 200, checkMs: 50 };
  const { open, status } = await aDoor([hello, echo], { timeouts, maxConnectionsPerPeer: 1 });
  const { closed } = await open(text);
  expect(await closed).toMatch(/^HTTP\/1.1 408 /);
  // The only connection of this peer is free again, although the client keeps its side open.
  await until(async () => (await status()) === 200);
});

test('a client that does not read its response is disconnected', async () => {
  const gone: Promise<void>[] = [];
  const large = Buffer.alloc(30_000_000, 'x');
  const route: Route = {
    method: 'GET',
    path: '/large',
    auth: 'open',
    handle({ res }: { readonly res: ServerResponse }) {
      gone.push(new Promise((resolve) => res.once('close', () => resolve())));
      res.writeHead(200, { 'content-type': 'text/plain' });
      res.write(large);
    },
  };
  const { open } = await aDoor([route], { timeouts: { writeMs: 200 } });
  await open(`GET /large ${head}\r\n`, true);
  await until(() => gone.length === 1);
  await gone[0];
});

test('a call that takes longer than the write timeout is answered', async () => {
  let answer = (): void => {};
  const route: Route = {
    method: 'GET',
    path: '/slow',
    auth: 'open',
    handle: ({ res }) =>
      new Promise((resolve) => {
        answer = () => resolve(sendJson(res, 200, 'late'));
      }),
  };
  const { open } = await aDoor([route], { timeouts: { writeMs: 50 } });
  const client = await open(`GET /slow ${head}connection: close\r\n\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 400));
  answer();
  expect(await client.closed).toContain('"late"');
});

test('one peer has a share of the connections, and more are answered 503', async () => {
  const { open, status } = await aDoor([hello], { maxConnectionsPerPeer: 2 });
  const first = await open('');
  await open('');
  expect((await (await open('')).closed).split('\r\n')[0]).toBe('HTTP/1.1 503 Service Unavailable');
  first.socket.destroy();
  await until(async () => (await status()) === 200);
});

test('a trusted proxy has no such share', async () => {
  const peers = { isProxy: () => true, clientOf: () => '198.51.100.7', groupOf: (address: string) => address };
  const { open, status } = await aDoor([hello], { maxConnectionsPerPeer: 1, peers });
  await open('');
  await open('');
  expect(await status()).toBe(200);
});

test('an error below HTTP is never written into the middle of another response', async () => {
  const route: Route = {
    method: 'GET',
    path: '/stream',
    auth: 'open',
    handle({ res }) {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
    },
  };
  const { open } = await aDoor([route]);
  const client = await open(`GET /stream ${head}\r\n`);
  await until(() => client.answer().includes('data: 1'));
  client.socket.write('GARBAGE\r\n\r\n');
  expect(await client.closed).not.toContain('400');
});

test('while stopping, half a request is answered 408 and a running one with connection: close', async () => {
  const answers: (() => void)[] = [];
  const route: Route = {
    method: 'GET',
    path: '/slow',
    auth: 'open',
    handle: ({ res }) =>
      new Promise((resolve) => {
        answers.push(() => resolve(sendJson(res, 200, 'late')));
      }),
  };
  let seen = 0;
  const authenticator: HttpOptions['authenticator'] = {
    authenticate() {
      seen += 1;
      return { principal: ada };
    },
  };
  const { door, open } = await aDoor([{ ...route, auth: 'principal' }, echo], { authenticator });
  const running = await open(`GET /slow ${head}\r\n`);
  const half = await open('GET /slow HTTP/1.1\r\nho');
  const halfBody = await open(`POST /echo ${head}content-type: application/json\r\ncontent-length: 10\r\n\r\n{"a`);
  const silent = await open('');
  // A request that was written after the half one has been read, so that one was, too.
  await until(() => half.socket.bytesWritten > 0);
  await open(`GET /slow ${head}\r\n`);
  await until(() => seen === 3);
  const stopped = door.stop(never);
  expect(await half.closed).toContain('408 Request Timeout');
  expect(await halfBody.closed).toContain('408 Request Timeout');
  expect(await silent.closed).toBe('');
  for (const answer of answers) answer();
  expect((await running.closed).toLowerCase()).toMatch(/^http\/1.1 200 ok[^]*connection: close[^]*"late"/);
  await stopped;
});

test('body bytes in flight are bounded over all requests, and more are answered 503 with Retry-After', async () => {
  const limits = { maxBodyBytes: 60_000, maxInflightBodyBytes: 100_000 };
  const people = { a: { ...ada, id: 'a' }, b: { ...ada, id: 'b' }, c: { ...ada, id: 'c' } };
  const authenticator: HttpOptions['authenticator'] = {
    authenticate: (header) => ({ principal: people[(header ?? 'a') as keyof typeof people] }),
  };
  const { open } = await aDoor([echo], { ...limits, authenticator });
  const post = (who: string, length: number, body: string): string =>
    `POST /echo ${head}authorization: ${who}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
  const slow = await open(post('a', 50_001, 'x'.repeat(50_000)));
  const same = await open(post('a', 20_000, 'x'.repeat(20_000)));
  expect(await same.closed).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 1/);
  const slowOther = await open(post('b', 40_001, 'x'.repeat(40_000)));
  await until(() => slowOther.socket.bytesWritten > 40_000);
  expect(await (await open(post('c', 30_000, 'x'.repeat(30_000)))).closed).toMatch(/^HTTP\/1.1 503 /);
  slow.socket.write('x');
  expect(await slow.closed).toContain('"bytes":50001');
  expect(await (await open(post('c', 30_000, 'x'.repeat(30_000)))).closed).toContain('"bytes":30000');
});

test('a credential that is revoked while the body is sent does not run the request', async () => {
  let generation = 1;
  let checks = 0;
  const authenticator: HttpOptions['authenticator'] = {
    authenticate: () =>
      ++checks === 1 ? { principal: ada } : { refused: 'invalid', message: 'no', challenge: 'Bearer' },
    generation: () => generation,
  };
  const { open } = await aDoor([echo], { authenticator });
  const client = await open(
    `POST /echo ${head}connection: close\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\r\n{}`,
  );
  await until(() => checks === 1);
  generation = 2;
  client.socket.write('  ');
  expect(await client.closed).toMatch(/^HTTP\/1.1 401 /);
});
