import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aReplica, peerKeys, twoReplicas } from '../../../test/support/peers.js';
import type { Json } from '../../core/json.js';
import { memoryStore } from '../../state/memory-store.js';
import type { PeerNetwork } from './peers.js';
import { peerClient } from './ask.js';
import { maxRequestBytes, peerPath } from './door.js';
import { recentNonces } from './nonces.js';
import { maxSkewMs, parseHead, signatureHeader, signLine, signRequest } from './signature.js';

const echo = ({ body }: { readonly body: Json }) => Promise.resolve(body);

/** One request as raw bytes; returns its status. */
const raw = (url: string, headers: Readonly<Record<string, string>>, body: Buffer, path = peerPath): Promise<number> =>
  new Promise((resolve) => {
    const req = httpRequest(new URL(path, url), { method: 'POST', headers, agent: false }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode ?? 0));
    });
    // A refused body is not read to its end, so the connection may break while it is sent.
    req.on('error', () => resolve(0));
    req.end(body);
  });

async function guarded() {
  const why: string[] = [];
  const network = await aReplica('b', { onRefused: (reason) => why.push(reason) });
  let runs = 0;
  network.handle('run', () => {
    runs += 1;
    return Promise.resolve('ran');
  });
  const address = await network.directory.find('b');
  if (!address) throw new Error('not announced');
  const body = Buffer.from(JSON.stringify({ verb: 'run', body: null }));
  const signed = (over: { keys?: Buffer[]; to?: string; body?: Buffer; now?: number } = {}) =>
    signRequest(over.keys ?? peerKeys('one secret'), {
      from: 'a',
      to: over.to ?? `b ${address.incarnation}`,
      body: over.body ?? body,
      ...(over.now !== undefined && { now: over.now }),
    }).header;
  const post = (header: string | undefined, given = body, path?: string) =>
    raw(address.url, header === undefined ? {} : { [signatureHeader]: header }, given, path);
  return { network, address, body, signed, post, why, runs: () => runs };
}

describe('the peer door', () => {
  test('answers a request that another replica signed, with events ahead of the answer', async () => {
    const [a, b] = await twoReplicas();
    b.handle('count', ({ body, emit, from }) => {
      for (let at = 0; at < Number(body); at += 1) emit(at);
      return Promise.resolve({ from });
    });
    const events: Json[] = [];
    const answer = await a.ask('b', 'count', 3, { onEvent: (event) => events.push(event) });
    expect(answer).toEqual({ ok: true, body: { from: 'a' } });
    expect(events).toEqual([0, 1, 2]);
  });

  test('passes large answers and any text unchanged', async () => {
    const [a, b] = await twoReplicas();
    b.handle('echo', echo);
    const body = { text: `line\nbreak "quote" ☃ \u2028 ${'x'.repeat(3_000_000)}`, ['__proto__']: 1 };
    expect(await a.ask('b', 'echo', body)).toEqual({ ok: true, body });
  });

  test('refuses what no replica signed, in the same way whatever is wrong', async () => {
    const { post, signed, body, address, why, runs } = await guarded();
    const good = signed();
    const statuses = {
      unsigned: await post(undefined),
      garbage: await post('v1 a 1 2 3'),
      'another secret': await post(signed({ keys: peerKeys('another secret') })),
      'another replica': await post(signed({ to: `c ${address.incarnation}` })),
      'a former start of this replica': await post(signed({ to: 'b AAAAAAAAAAAA' })),
      'another body': await post(good, Buffer.from(body.toString().replace('null', '1234'))),
      'another time': await post(good.replace(/ \d{13} /, (time) => ` ${Number(time) + 1} `)),
      'another sender': await post(good.replace(' a ', ' x ')),
      old: await post(signed({ now: Date.now() - maxSkewMs - 1_000 })),
      'of the future': await post(signed({ now: Date.now() + maxSkewMs + 5_000 })),
      'another path': await post(signed(), body, '/tools'),
    };
    expect(new Set(Object.values(statuses))).toEqual(new Set([401]));
    expect(why).toHaveLength(Object.keys(statuses).length);
    expect(runs()).toBe(0);
    expect(await post(good)).toBe(200);
    expect(runs()).toBe(1);
  });

  test('runs a repeated request once', async () => {
    const { post, signed, runs } = await guarded();
    const header = signed();
    const statuses = await Promise.all(Array.from({ length: 10 }, () => post(header)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(9);
    expect(runs()).toBe(1);
  });

  test('reads no body beyond its limit, and none without a length', async () => {
    const { address, signed, runs } = await guarded();
    const header = { [signatureHeader]: signed() };
    const huge = Buffer.alloc(0);
    expect(await raw(address.url, { ...header, 'content-length': String(maxRequestBytes + 1) }, huge)).toBe(413);
    expect(await raw(address.url, { ...header, 'transfer-encoding': 'chunked' }, Buffer.from('x'))).toBe(413);
    expect(runs()).toBe(0);
  });

  test('aborts a request whose sender hangs up', async () => {
    const [a, b] = await twoReplicas();
    let [started, aborted] = [() => {}, () => {}];
    const begun = new Promise<void>((resolve) => (started = resolve));
    const ended = new Promise<void>((resolve) => (aborted = resolve));
    b.handle('wait', async ({ signal }) => {
      started();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted();
      return null;
    });
    const stop = new AbortController();
    const answer = a.ask('b', 'wait', null, { signal: stop.signal });
    await begun;
    stop.abort();
    expect(await answer).toMatchObject({ ok: false, why: 'cancelled' });
    await ended;
  });

  test('reports a verb without a handler, a handler that throws, and a replica that is gone', async () => {
    const store = memoryStore();
    const a = await aReplica('a', { store });
    const b = await aReplica('b', { store });
    b.handle('throw', () => Promise.reject(new Error('secret detail')));
    expect(await a.ask('b', 'other', null)).toMatchObject({ ok: false, why: 'failed' });
    expect(JSON.stringify(await a.ask('b', 'throw', null))).not.toContain('secret detail');
    expect(await a.ask('c', 'run', null)).toMatchObject({ ok: false, why: 'gone' });
    await b.close();
    expect(await a.ask('b', 'other', null)).toMatchObject({ ok: false });
  });

  test('replicas understand one another during a rotation of the secret', async () => {
    const store = memoryStore();
    const former = await aReplica('a', { store, secrets: ['former'] });
    const rotated = await aReplica('b', { store, secrets: ['new', 'former'] });
    const done = await aReplica('c', { store, secrets: ['new'] });
    for (const each of [former, rotated, done]) each.handle('echo', echo);
    const ok = async (from: PeerNetwork, to: string) => (await from.ask(to, 'echo', 1)).ok;
    expect(await ok(rotated, 'c')).toBe(true);
    expect(await ok(done, 'a')).toBe(false);
    expect(await ok(former, 'c')).toBe(false);
    expect(await ok(former, 'a')).toBe(true);
  });
});

describe('an answer', () => {
  /** A program on the address of a replica, which does not know the secret. */
  async function impostor(lines: (nonce: string) => string) {
    const server = createServer((req, res) => {
      const nonce = parseHead(String(req.headers[signatureHeader]), Date.now())?.nonce ?? '';
      req.resume();
      req.on('end', () => res.end(lines(nonce)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const client = peerClient(peerKeys('one secret'), 'a');
    onTestFinished(() => client.close());
    return client.ask({ replica: 'b', address: { url: `http://127.0.0.1:${port}`, incarnation: 'i' } }, 'run', null);
  }
  const [key = Buffer.alloc(0)] = peerKeys('one secret');
  const line = (nonce: string, index: number, value: Json, by = key): string => {
    const text = JSON.stringify(value);
    return `${signLine(by, nonce, index, text)} ${text}\n`;
  };

  test('counts only if the replica signed every line for this request, in this order', async () => {
    expect(await impostor((nonce) => line(nonce, 0, { answer: 1 }))).toEqual({ ok: true, body: 1 });
    const foreign = Buffer.alloc(32, 1);
    for (const forged of [
      (nonce: string) => line(nonce, 0, { answer: 1 }, foreign),
      () => line('AAAAAAAAAAAAAAAAAAAAAA', 0, { answer: 1 }),
      (nonce: string) => line(nonce, 1, { answer: 1 }),
      (nonce: string) => line(nonce, 0, { event: 1 }).replace('event', 'answer'),
      (nonce: string) => line(nonce, 0, { event: 1 }),
      () => '',
    ])
      expect(await impostor(forged)).toMatchObject({ ok: false, why: 'failed' });
  });

  test('is not asked for at an address that no replica signed', async () => {
    const store = memoryStore();
    const a = await aReplica('a', { store });
    store.put('peers', 'b', 'A'.repeat(43) + '.i http://127.0.0.1:1');
    expect(await a.ask('b', 'run', null)).toMatchObject({ why: 'gone' });
    // Nor may the entry of one replica stand for another.
    store.put('peers', 'c', store.get('peers', 'a') ?? '');
    expect(await a.ask('c', 'run', null)).toMatchObject({ why: 'gone' });
  });
});

test('nonces are remembered for the whole time, and a full memory refuses instead of forgetting', () => {
  const nonces = recentNonces(100, 3);
  expect([nonces.use('a', 1_000), nonces.use('a', 1_099)]).toEqual([true, false]);
  expect([nonces.use('b', 1_101), nonces.use('a', 1_150)]).toEqual([true, false]);
  expect(nonces.use('a', 1_400)).toBe(true);
  expect(['c', 'd', 'e'].map((each) => nonces.use(each, 1_401))).toEqual([true, true, false]);
});
