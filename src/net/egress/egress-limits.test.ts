import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { localEgress } from '../../../test/support/gates.js';
import { recordingServer } from '../../../test/support/recording-server.js';
import { StreamFailure, type EgressRequest, type EgressRules } from './egress-types.js';
import { bodyBuffer } from '../http/body-buffer.js';

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const asking = async (answer: RequestListener, rules: Partial<EgressRules> = {}) => {
  const server = await recordingServer({ answer });
  const gate = localEgress(rules);
  closing.push(server.close, gate.close);
  const url = `http://127.0.0.1:${server.port}/`;
  return {
    server,
    gate,
    request: (more: Partial<EgressRequest> = {}) => gate.request({ url, ...more }),
    /** Opens, reads to the end, and tells how the stream ended. */
    streamed: async (more: Partial<Parameters<typeof gate.open>[0]> = {}) => {
      const stream = await gate.open({ url, ...more });
      if (stream.kind !== 'stream') return { start: stream, bytes: 0, text: '' };
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream.body) chunks.push(chunk);
      } catch (error) {
        if (!(error instanceof StreamFailure)) throw error;
        return { end: error.failure, bytes: Buffer.concat(chunks).length, text: Buffer.concat(chunks).toString() };
      }
      return { end: 'whole' as const, bytes: Buffer.concat(chunks).length, text: Buffer.concat(chunks).toString() };
    },
  };
};
const encoded =
  (encoding: string, body: Buffer): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
const forever: (chunk: Buffer) => RequestListener = (chunk) => (_, response) => {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

describe('bytes', () => {
  test('an answer announced too large is not read [S2.5]', async () => {
    const { request } = await asking((_, response) =>
      response.writeHead(200, { 'content-length': 10_485_761 }).write('x'),
    );
    expect(await request()).toEqual({
      kind: 'failed',
      reason: 'too_large',
      message: 'the response is larger than 10485760 bytes',
    });
  });

  test('an endless answer is cut while it streams [S2.5]', async () => {
    const { request } = await asking(forever(Buffer.alloc(65_536)));
    expect(await request()).toMatchObject({ kind: 'failed', reason: 'too_large' });
  });

  test.each([999, 1_000, 1_001])('%i bytes against a limit of 1000', async (size) => {
    const { request, streamed } = await asking((_, response) => response.end(Buffer.alloc(size)));
    expect((await request({ maxResponseBytes: 1_000 })).kind).toBe(size > 1_000 ? 'failed' : 'response');
    expect(await streamed({ maxResponseBytes: 1_000 })).toMatchObject({
      end: size > 1_000 ? { reason: 'too_large' } : 'whole',
    });
  });

  test('a flood of headers is cut', async () => {
    const { request } = await asking((request) =>
      request.socket.write(`HTTP/1.1 200 OK\r\n${'x-flood: 0123456789\r\n'.repeat(10_000)}\r\n`),
    );
    expect(await request()).toMatchObject({
      kind: 'failed',
      reason: 'too_large',
      message: expect.stringContaining('headers'),
    });
  });

  test('a flood of trailers is cut', async () => {
    const { request } = await asking((request) =>
      request.socket.write(
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n${'x-flood: 0123456789\r\n'.repeat(10_000)}\r\n`,
      ),
    );
    expect(await request()).toMatchObject({ kind: 'failed' });
  });

  test('a body in one-byte pieces is gathered into one buffer', () => {
    const store = bodyBuffer(50_000);
    for (let index = 0; index < 50_000; index += 1) expect(store.add(Buffer.from([index & 0xff]))).toBe(true);
    expect(store.add(Buffer.from('x'))).toBe(false);
    expect(store.bytes().equals(Buffer.from(Array.from({ length: 50_000 }, (_, index) => index & 0xff)))).toBe(true);
  });
});

describe('unpacking', () => {
  const text = Buffer.from('hello '.repeat(1_000));
  const packings: [string, string, Buffer][] = [
    ['gzip', 'gzip', gzipSync(text)],
    ['x-gzip in capitals', 'X-GZIP', gzipSync(text)],
    ['deflate', 'deflate', deflateSync(text)],
    ['deflate without its header', 'deflate', deflateRawSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['identity', 'identity', text],
  ];

  test.each(packings)('%s comes back as it was', async (_, encoding, body) => {
    const { request, streamed } = await asking(encoded(encoding, body));
    const whole = await request();
    expect(whole.kind === 'response' && whole.body.equals(text)).toBe(true);
    expect(await streamed()).toEqual({ end: 'whole', bytes: text.length, text: text.toString() });
  });

  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const bombs: [string, Buffer][] = [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ];

  test.each(bombs)('a %s bomb of 64 MiB is given up early [S2.5]', async (encoding, body) => {
    const { request, streamed } = await asking(encoded(encoding, body));
    expect(await request().then((result) => (result.kind === 'failed' ? result.reason : result.kind))).toBe(
      'too_large',
    );
    const stream = await streamed();
    expect(stream).toMatchObject({ end: { kind: 'failed', reason: 'too_large' } });
    expect(stream.bytes).toBeLessThanOrEqual(10_485_760);
  });

  test('the ratio is capped below the size limit too', async () => {
    const { request } = await asking(encoded('gzip', gzipSync(Buffer.alloc(5 * 1024 * 1024))));
    expect(await request()).toMatchObject({ kind: 'failed', reason: 'too_large' });
    expect(await request({ maxResponseBytes: 10_485_760 })).toMatchObject({ reason: 'too_large' });
    const patient = await asking(encoded('gzip', gzipSync(Buffer.alloc(5 * 1024 * 1024))), { maxUnpackRatio: 2_000 });
    expect(await patient.request()).toMatchObject({ kind: 'response' });
  });

  test.each([
    ['gzip', Buffer.from('not gzip at all')],
    ['gzip', gzipSync(text).subarray(0, 40)],
    ['br', Buffer.from('\xff\xff\xff nonsense', 'latin1')],
    ['deflate', Buffer.from('nonsense')],
    ['gzip, gzip', gzipSync(gzipSync(text))],
    ['zstd', text],
    ['compress', text],
    ['gzip;q=1', gzipSync(text)],
  ])('broken or unknown %s is bad_encoding', async (encoding, body) => {
    const { request, streamed } = await asking(encoded(encoding, body));
    expect(await request()).toMatchObject({ kind: 'failed', reason: 'bad_encoding' });
    expect(await streamed()).toMatchObject({ end: { kind: 'failed', reason: 'bad_encoding' } });
  });
});

describe('time', () => {
  const drip: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(timer));
  };

  test.each<[string, RequestListener]>([
    ['a server that never answers', () => undefined],
    ['a body that drips for ever', drip],
    [
      'a head that drips for ever',
      (request) => {
        request.socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => request.socket.write('x: y\r\n'), 20);
        request.socket.on('close', () => clearInterval(timer));
      },
    ],
    ['a body that stops half way', (_, response) => response.writeHead(200, { 'content-length': 10 }).write('half')],
  ])('%s ends at the deadline', async (_, answer) => {
    const { request } = await asking(answer);
    expect(await request({ timeoutMs: 60 })).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: 'the request took longer than 60 ms',
    });
  });

  test('redirects share one deadline', async () => {
    const { request, server } = await asking((request, response) =>
      setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 40),
    );
    expect(await request({ timeoutMs: 60 })).toMatchObject({ kind: 'failed', reason: 'timeout' });
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  test('a lookup that hangs ends at the deadline', async () => {
    const gate = localEgress({ resolver: () => new Promise(() => undefined) });
    closing.push(gate.close);
    expect(await gate.request({ url: 'http://web.test/', timeoutMs: 30 })).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
    });
  });

  test('a lookup that hangs does not hold its place for ever', async () => {
    const gate = localEgress({ resolver: () => new Promise(() => undefined), connectTimeoutMs: 30, maxInFlight: 1 });
    closing.push(gate.close);
    expect(await gate.request({ url: 'http://web.test/' })).toMatchObject({ kind: 'failed', reason: 'dns' });
    expect(await gate.request({ url: 'http://web.test/' })).toMatchObject({ kind: 'failed', reason: 'dns' });
  });

  test('silence in a stream ends it, dripping does not', async () => {
    const silent = await asking((_, response) => response.write('first'));
    expect(await silent.streamed({ idleMs: 50 })).toMatchObject({
      end: { reason: 'timeout', message: 'no data received for 50 ms' },
      text: 'first',
    });
    const dripping = await asking(drip);
    expect(await dripping.streamed({ idleMs: 20_000, totalMs: 100 })).toMatchObject({
      end: { reason: 'timeout', message: 'the stream took longer than 100 ms' },
    });
  });

  test('a stream whose head never comes fails before it starts', async () => {
    const { streamed } = await asking(() => undefined);
    expect(await streamed({ timeoutMs: 40 })).toMatchObject({ start: { kind: 'failed', reason: 'timeout' } });
  });
});

describe('a caller who goes away', () => {
  test('before, during and while waiting for a connection is cancelled, and the server notices', async () => {
    let hungUp = 0;
    const { request, server } = await asking((_, response) => response.on('close', () => (hungUp += 1)), {
      connectionsPerHost: 1,
    });
    expect(await request({ signal: AbortSignal.abort() })).toEqual({
      kind: 'failed',
      reason: 'cancelled',
      message: 'the request was cancelled',
    });
    expect(server.connections()).toBe(0);
    const [during, queued] = [new AbortController(), new AbortController()];
    const first = request({ signal: during.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    const second = request({ signal: queued.signal });
    queued.abort();
    expect(await second).toMatchObject({ reason: 'cancelled' });
    during.abort();
    expect(await first).toMatchObject({ reason: 'cancelled' });
    await expect.poll(() => hungUp).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  test('in the middle of a stream gets a cut stream, not a short one', async () => {
    const { gate, server } = await asking((_, response) => response.write('first'));
    const away = new AbortController();
    const stream = await gate.open({ url: `http://127.0.0.1:${server.port}/`, signal: away.signal });
    if (stream.kind !== 'stream') throw new Error(stream.message);
    const body = stream.body[Symbol.asyncIterator]();
    expect((await body.next()).value?.toString()).toBe('first');
    const next = body.next();
    away.abort();
    await expect(next).rejects.toMatchObject({ failure: { kind: 'failed', reason: 'cancelled' } });
  });

  test('leaves nothing behind when reading stops early', async () => {
    let hungUp = 0;
    const { gate, server } = await asking((request, response) => {
      response.on('close', () => (hungUp += 1));
      forever(Buffer.alloc(1_000))(request, response);
    });
    const stream = await gate.open({ url: `http://127.0.0.1:${server.port}/` });
    if (stream.kind !== 'stream') throw new Error(stream.message);
    for await (const chunk of stream.body) if (chunk.length > 0) break;
    await expect.poll(() => hungUp).toBe(1);
  });
});

describe('a body that is read whole', () => {
  const whole = async (listener: RequestListener, rules: Partial<EgressRules> = {}) => {
    const { gate, server } = await asking(listener, rules);
    const stream = await gate.open({ url: `http://127.0.0.1:${server.port}/` });
    if (stream.kind !== 'stream') throw new Error(stream.message);
    return stream.whole().then(String, (error: unknown) => (error instanceof StreamFailure ? error.failure : error));
  };

  test.each<[string, RequestListener, string]>([
    ['came with its head', (_, response) => response.end('all'), 'all'],
    ['comes in pieces', (_, response) => void response.write('a', () => setImmediate(() => response.end('ll'))), 'all'],
    ['is packed', encoded('gzip', gzipSync('all')), 'all'],
    ['is empty', (_, response) => response.end(), ''],
  ])('is all of what %s', async (_, listener, expected) => {
    expect(await whole(listener)).toBe(expected);
  });

  test.each<[string, RequestListener, string]>([
    ['too large at once', (_, response) => response.end(Buffer.alloc(2_000)), 'too_large'],
    ['too large in pieces', (request, response) => forever(Buffer.alloc(600))(request, response), 'too_large'],
    ['cut off', (_, response) => void response.write('part', () => response.destroy()), 'network'],
  ])('fails where it is %s: a part never looks like the whole', async (_, listener, reason) => {
    expect(await whole(listener, { maxResponseBytes: 1_000 })).toMatchObject({ kind: 'failed', reason });
  });

  test('fails for a caller who hangs up while it comes', async () => {
    const { gate, server } = await asking((_, response) => response.write('part'));
    const away = new AbortController();
    const stream = await gate.open({ url: `http://127.0.0.1:${server.port}/`, signal: away.signal });
    if (stream.kind !== 'stream') throw new Error(stream.message);
    const all = stream.whole();
    away.abort();
    await expect(all).rejects.toMatchObject({ failure: { kind: 'failed', reason: 'cancelled' } });
  });
});

test('a reader who rests holds the sender back', async () => {
  let sent = 0;
  const { gate, server } = await asking((_, response) => {
    const more = () => {
      let goesOn = true;
      while (goesOn && !response.destroyed && sent < 200_000_000) {
        goesOn = response.write(Buffer.alloc(65_536));
        sent += 65_536;
      }
    };
    response.on('drain', more);
    more();
  });
  const stream = await gate.open({ url: `http://127.0.0.1:${server.port}/` });
  if (stream.kind !== 'stream') throw new Error(stream.message);
  let before = -1;
  await expect.poll(() => before === (before = sent), { interval: 200, timeout: 20_000 }).toBe(true);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(100_000_000);
  stream.cancel();
});

test('more requests than allowed at once are turned away as busy', async () => {
  const { gate, server } = await asking(() => undefined, { maxInFlight: 2 });
  const url = `http://127.0.0.1:${server.port}/`;
  const away = new AbortController();
  const waiting = [gate.request({ url, signal: away.signal }), gate.request({ url, signal: away.signal })];
  expect(await gate.request({ url })).toMatchObject({ kind: 'failed', reason: 'busy' });
  expect(await gate.open({ url })).toMatchObject({ kind: 'failed', reason: 'busy' });
  away.abort();
  await Promise.all(waiting);
});
