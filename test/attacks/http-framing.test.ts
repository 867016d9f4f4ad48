import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { sendJson } from '../../src/transports/http/edge/respond.js';
import type { Route } from '../../src/transports/http/edge/route.js';
import type { HttpDoor } from '../../src/transports/http/edge/server.js';
import { httpDoor } from '../../src/transports/http/edge/server.js';
import { ada } from '../support/make.js';

const doors: HttpDoor[] = [];
afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.stop(AbortSignal.abort())));
});

/** Sends bytes and returns what came back when the listener closed the connection, and which routes ran. */
async function send(bytes: string): Promise<{ readonly answer: string; readonly ran: readonly string[] }> {
  const ran: string[] = [];
  const route = (method: 'GET' | 'POST', path: string): Route => ({
    method,
    path,
    auth: 'principal',
    ...(method === 'POST' && { consumes: 'application/json' }),
    handle({ res }) {
      ran.push(path);
      return sendJson(res, 200, 'ran');
    },
  });
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes: [route('POST', '/call'), route('GET', '/hidden'), route('POST', '/hidden')],
    authenticator: { authenticate: () => ({ principal: ada }) },
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 10_000,
    peerRatePerSecond: 0,
    maxConnections: 100,
    timeouts: { headersMs: 300, requestMs: 400, checkMs: 50 },
    onFault: (error) => expect.fail(String(error)),
  });
  await door.start();
  doors.push(door);
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(door.address().port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket
      .setEncoding('latin1')
      .on('data', (chunk: string) => {
        text += chunk;
        // A response that keeps the connection alive: nothing more will come for this request.
        if (/keep-alive/i.test(text) && text.endsWith('"ran"')) socket.end();
      })
      .on('error', () => {})
      .on('close', () => resolve(text));
  });
  return { answer, ran };
}

const smuggled = 'GET /hidden HTTP/1.1\r\nhost: localhost\r\n\r\n';
const call = (headers: string, body: string): string =>
  `POST /call HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}\r\n${body}`;

test.each([
  ['Content-Length and chunked', call(`content-length: 4\r\ntransfer-encoding: chunked\r\n`, `0\r\n\r\n${smuggled}`)],
  ['chunked and Content-Length', call(`transfer-encoding: chunked\r\ncontent-length: 4\r\n`, `0\r\n\r\n${smuggled}`)],
  ['two lengths', call(`content-length: 2\r\ncontent-length: 50\r\n`, `{}${smuggled}`)],
  ['the same length twice', call(`content-length: 2\r\ncontent-length: 2\r\n`, `{}${smuggled}`)],
  ['a list of lengths', call(`content-length: 2, 50\r\n`, `{}${smuggled}`)],
  ['a signed length', call(`content-length: +2\r\n`, `{}${smuggled}`)],
  ['a negative length', call(`content-length: -2\r\n`, `{}${smuggled}`)],
  ['a hexadecimal length', call(`content-length: 0x2\r\n`, `{}${smuggled}`)],
  ['an overflowing length', call(`content-length: 18446744073709551618\r\n`, `{}${smuggled}`)],
  ['an unknown encoding', call(`transfer-encoding: xchunked\r\n`, `0\r\n\r\n${smuggled}`)],
  ['chunked before another', call(`transfer-encoding: chunked, identity\r\n`, `0\r\n\r\n${smuggled}`)],
  ['a space before the colon', call(`content-length : 2\r\n`, `{}${smuggled}`)],
  ['a folded header', call(`x: a\r\n content-length: 2\r\ncontent-length: 50\r\n\tb\r\n`, `{}${smuggled}`)],
  ['a NUL in a header', call(`x: a\0b\r\ncontent-length: 2\r\n`, `{}${smuggled}`)],
  ['a bare CR in a header', call(`x: a\rcontent-length: 50\r\ncontent-length: 2\r\n`, `{}${smuggled}`)],
  [
    'an overflowing chunk size',
    call(`transfer-encoding: chunked\r\n`, `10000000000000002\r\n{}\r\n0\r\n\r\n${smuggled}`),
  ],
  ['a signed chunk size', call(`transfer-encoding: chunked\r\n`, `+2\r\n{}\r\n0\r\n\r\n${smuggled}`)],
  ['a chunk size in 0x', call(`transfer-encoding: chunked\r\n`, `0x2\r\n{}\r\n0\r\n\r\n${smuggled}`)],
  ['a chunk longer than its size', call(`transfer-encoding: chunked\r\n`, `2\r\n{} ${smuggled}`)],
  ['two Host headers', `GET /hidden HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n`],
  ['two Host headers of one value', `GET /hidden HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n`],
  ['no Host header', `GET /hidden HTTP/1.1\r\n\r\n`],
  [
    'a foreign Host behind an absolute target',
    `GET http://localhost/hidden HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
  ],
  ['an absolute target', `GET http://localhost/hidden HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
  ['HTTP/0.9', `GET /hidden\r\n\r\n`],
  ['HTTP/1.0 without a Host', `GET /hidden HTTP/1.0\r\n\r\n`],
  ['the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
  ['a CONNECT', `CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n`],
  [
    'an upgrade to h2c',
    `GET /nothing HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n${smuggled}`,
  ],
  [
    'a method override',
    `GET /call HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-http-method-override: POST\r\n\r\n`,
  ],
  ['dots in the path', `GET /x/../hidden HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
  ['encoded dots', `GET /x/%2e%2e/hidden HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
  ['two slashes', `GET //hidden HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
  ['an encoded letter', `GET /%68idden HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
  ['a backslash', `GET \\hidden HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
  ['another case', `GET /HIDDEN HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`],
])('%s runs no hidden request', async (_what, bytes) => {
  const { answer, ran } = await send(bytes);
  expect(ran).not.toContain('/hidden');
  expect(answer.split('\r\n')[0] ?? '').toMatch(/^(?:HTTP\/1\.1 (?:200|400|403|404|405|408|413|501|505) .*)?$/);
});

test.each([
  'localhost:80:80',
  'localhost/',
  'localhost#',
  'user@localhost',
  'localhost,evil.example',
  'localhost evil.example',
  '127.1',
  '0.0.0.0',
  '0x7f.0.0.1',
  '2130706433',
  '127.0.0.1.',
  '[::1',
  '::1',
  '[::1%25lo]',
  'localhost..',
  'xn--localhost-',
])('a Host of %j is not a way around the check', async (host) => {
  const { answer, ran } = await send(`GET /hidden HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  // A trailing dot names the same host.
  if (host === '127.0.0.1.') return expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(ran).toEqual([]);
  return expect(answer).toMatch(/^HTTP\/1.1 40[03] /);
});

test.each([
  'http://localhost.evil.example',
  'http://evil.example/localhost',
  'http://localhost@evil.example',
  'http://localhost:1',
  'https://127.0.0.1',
  'chrome-extension://abcdef',
  'null',
  'file://',
  '*',
  'http://localhost, http://localhost',
])('an Origin of %j is not a way around the check', async (origin) => {
  const { answer, ran } = await send(
    `GET /hidden HTTP/1.1\r\nhost: localhost\r\norigin: ${origin}\r\nconnection: close\r\n\r\n`,
  );
  expect(ran).toEqual([]);
  expect(answer).toMatch(/^HTTP\/1.1 403 /);
});
