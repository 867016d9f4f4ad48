import { afterEach, describe, expect, test } from 'vitest';
import { localEgress } from '../../../test/support/gates.js';
import { recordingServer } from '../../../test/support/recording-server.js';
import { testTls } from '../../../test/support/test-tls.js';
import type { EgressRules } from './egress-types.js';

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));
const serving = async (options: Parameters<typeof recordingServer>[0] = {}) => {
  const server = await recordingServer(options);
  closing.push(server.close);
  return server;
};
const gate = (rules: Partial<EgressRules> = {}) => {
  const made = localEgress(rules);
  closing.push(made.close);
  return made;
};

describe('an allowed request', () => {
  test('arrives whole and its answer comes back whole', async () => {
    const server = await serving({
      answer: (_, response) => response.writeHead(201, { 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] }).end('made'),
    });
    const result = await gate().request({
      url: `http://web.test:${server.port}/p%20q?x=1#frag`,
      method: 'POST',
      headers: { 'X-Key': 'v', 'content-type': 'text/plain' },
      body: 'hello',
    });
    expect(result).toMatchObject({
      kind: 'response',
      status: 201,
      hops: 0,
      finalUrl: `http://web.test:${server.port}/p%20q?x=1`,
      headers: { 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] },
    });
    expect(result.kind === 'response' && result.body.toString()).toBe('made');
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        url: '/p%20q?x=1',
        body: 'hello',
        headers: { host: `web.test:${server.port}`, 'x-key': 'v', 'content-length': '5', 'user-agent': 'toolgate' },
      },
    ]);
  });

  test('reuses a warm connection, and names are looked up per connection only', async () => {
    const server = await serving();
    let asked = 0;
    const warm = gate({ resolver: () => Promise.resolve(((asked += 1), ['127.0.0.1'])) });
    for (let call = 0; call < 20; call += 1)
      expect(await warm.request({ url: `http://web.test:${server.port}/` })).toMatchObject({ status: 200 });
    // undici rests a connection for one turn of the event loop, so a busy caller alternates between two.
    expect(server.connections()).toBeLessThanOrEqual(2);
    expect(asked).toBe(server.connections());
  });

  test('shares a bounded number of connections to one host', async () => {
    const server = await serving();
    const narrow = gate({ connectionsPerHost: 2 });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => narrow.request({ url: `http://127.0.0.1:${server.port}/` })),
    );
    expect(results.every((result) => result.kind === 'response')).toBe(true);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('HEAD has a length and no body, however large', async () => {
    const server = await serving({
      answer: (_, response) => response.writeHead(200, { 'content-length': 99_999_999 }).end(),
    });
    expect(await gate().request({ url: `http://127.0.0.1:${server.port}/`, method: 'HEAD' })).toMatchObject({
      kind: 'response',
      body: { length: 0 },
    });
  });

  test('early hints before the answer are passed over', async () => {
    const server = await serving({
      answer: (_, response) => {
        for (let hint = 0; hint < 5; hint += 1) response.writeEarlyHints({ link: '</a>; rel=preload' });
        response.end('real');
      },
    });
    expect(await gate().request({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      kind: 'response',
      status: 200,
    });
    expect(await gate().open({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      kind: 'stream',
      status: 200,
    });
  });

  test('4xx and 5xx are answers, not failures [S2.12]', async () => {
    const server = await serving({
      answer: (request, response) => response.writeHead(Number(request.url?.slice(1))).end('no'),
    });
    for (const status of [400, 404, 429, 500, 503])
      expect(await gate().request({ url: `http://127.0.0.1:${server.port}/${status}` })).toMatchObject({
        kind: 'response',
        status,
      });
  });
});

describe('TLS', () => {
  test('the name stays the name for SNI, Host and certificate while the address is the vetted one', async () => {
    const server = await serving({ tls: true });
    const trusted = gate({ tls: { ca: testTls.cert } });
    expect(await trusted.request({ url: `https://secure.lab.internal:${server.port}/` })).toMatchObject({
      kind: 'response',
      status: 200,
    });
    expect(await trusted.request({ url: `https://127.0.0.1:${server.port}/` })).toMatchObject({
      kind: 'response',
      status: 200,
    });
    expect(server.requests.map((request) => request.headers.host)).toEqual([
      `secure.lab.internal:${server.port}`,
      `127.0.0.1:${server.port}`,
    ]);
  });

  test.each([
    ['a certificate for another name', 'other.lab.internal', { tls: { ca: testTls.cert } }],
    ['an authority nobody trusts', 'secure.lab.internal', {}],
  ])('%s is a tls failure', async (_, host, rules) => {
    const server = await serving({ tls: true });
    expect(await gate(rules).request({ url: `https://${host}:${server.port}/` })).toMatchObject({
      kind: 'failed',
      reason: 'tls',
    });
    expect(server.requests).toHaveLength(0);
  });

  test('the environment cannot switch verification off', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    const server = await serving({ tls: true });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await gate().request({ url: `https://secure.lab.internal:${server.port}/` })).toMatchObject({
        kind: 'failed',
        reason: 'tls',
      });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});

describe('a request that must not be sent as given', () => {
  const cases: [string, object, string][] = [
    ...['x\r\nY: z', 'x\ny', 'x\0', 'x\ry', '\u2028', 'é\u0100'].map((value): [string, object, string] => [
      `header value ${JSON.stringify(value)}`,
      { headers: { 'x-a': value } },
      'bad_header',
    ]),
    ...[
      'a b',
      'a:b',
      'a\r\nb',
      '',
      'é',
      'a\0',
      'host',
      'Host',
      'Transfer-Encoding',
      'content-length',
      'Connection',
      'upgrade',
      'Proxy-Authorization',
      'expect',
      'TE',
    ].map((name): [string, object, string] => [
      `header name ${JSON.stringify(name)}`,
      { headers: { [name]: 'x' } },
      'bad_header',
    ]),
    ['too many headers', { headers: { 'x-a': 'x'.repeat(40_000) } }, 'bad_header'],
    ...['CONNECT', 'TRACE', 'get', 'GET /x', 'GET\r\n', ''].map((method): [string, object, string] => [
      `method ${JSON.stringify(method)}`,
      { method },
      'bad_method',
    ]),
  ];

  test.each(cases)('%s is refused before anything is sent', async (_, more, reason) => {
    const server = await serving();
    expect(await gate().request({ url: `http://127.0.0.1:${server.port}/`, ...more })).toMatchObject({
      kind: 'refused',
      reason,
    });
    expect(server.connections()).toBe(0);
  });
});

describe('what goes wrong on the way', () => {
  test('a closed port is a network failure that names only a code', async () => {
    const server = await recordingServer();
    await server.close();
    expect(await gate().request({ url: `http://web.test:${server.port}/?key=s3cret` })).toEqual({
      kind: 'failed',
      reason: 'network',
      message: 'the connection failed: connection refused',
      unsent: true,
    });
  });

  test('a name without an address is a dns failure', async () => {
    expect(
      await gate({ resolver: () => Promise.reject(new Error('NXDOMAIN with a secret')) }).request({
        url: 'http://web.test/',
      }),
    ).toEqual({ kind: 'failed', reason: 'dns', message: 'cannot resolve web.test', unsent: true });
  });

  test('an answer that is not HTTP is a protocol failure', async () => {
    const server = await serving({ answer: (request) => request.socket.end('SSH-2.0-OpenSSH\r\n') });
    expect(await gate().request({ url: `http://127.0.0.1:${server.port}/` })).toEqual({
      kind: 'failed',
      reason: 'protocol',
      message: expect.any(String),
    });
  });

  test('a body shorter than announced is a failure, never a short answer', async () => {
    const server = await serving({
      answer: (request) => request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
    });
    expect(await gate().request({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({ kind: 'failed' });
  });

  test('closing fails what is under way and what comes later', async () => {
    const server = await serving({ answer: () => undefined });
    const guard = gate();
    const pending = guard.request({ url: `http://127.0.0.1:${server.port}/` });
    await expect.poll(() => server.requests.length).toBe(1);
    await guard.close();
    expect(await pending).toMatchObject({ kind: 'failed' });
    expect(await guard.request({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      kind: 'failed',
      reason: 'closed',
    });
    expect(await guard.open({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({
      kind: 'failed',
      reason: 'closed',
    });
  });
});

test('a URL can be judged without a request', async () => {
  const guard = gate({
    resolver: (name) =>
      Promise.resolve(name === 'bad.test' ? ['169.254.169.254'] : name === 'none.test' ? [] : ['127.0.0.1']),
  });
  expect(await guard.vet('http://web.test/')).toEqual({ ok: true, addresses: ['127.0.0.1'] });
  expect(await guard.vet('http://bad.test/')).toMatchObject({ ok: false, reason: 'address' });
  expect(await guard.vet('http://none.test/')).toMatchObject({ ok: false, reason: 'dns' });
  expect(await guard.vet('http://web.example/')).toMatchObject({ ok: false, reason: 'host' });
});
