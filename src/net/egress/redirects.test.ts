import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localEgress } from '../../../test/support/gates.js';
import { recordingServer, type RecordingServer } from '../../../test/support/recording-server.js';
import { testTls } from '../../../test/support/test-tls.js';
import { compileEgressRules } from './egress-rules.js';
import type { Egress } from './egress-types.js';
import { nextHop } from './redirects.js';
import { withoutSecrets } from '../http/request-headers.js';
import { policyOf } from '../../../test/support/gates.js';

let here: RecordingServer;
let there: RecordingServer;
let secure: RecordingServer;
let gate: Egress;

/** Answers `/<status>?<location>` with that redirect, anything else with 200. */
const redirecting: NonNullable<Parameters<typeof recordingServer>[0]>['answer'] = (request, response) => {
  const [, status, location] = /^\/(\d{3})\?(.*)$/.exec(request.url ?? '') ?? [];
  if (status && location) response.writeHead(Number(status), { location: decodeURIComponent(location) }).end('moved');
  else response.end('here');
};

beforeAll(async () => {
  [here, there, secure] = await Promise.all([
    recordingServer({ answer: redirecting }),
    recordingServer({ host: '127.0.0.2', answer: redirecting }),
    recordingServer({ tls: true, answer: redirecting }),
  ]);
  gate = localEgress({ tls: { ca: testTls.cert }, secretHeaders: ['X-Tenant'] });
});
beforeEach(() => [here, there, secure].forEach((server) => server.forget()));
afterAll(() => Promise.all([gate, here, there, secure].map((each) => each.close())));

const from =
  (server: RecordingServer, host: string, scheme = 'http') =>
  (status: number, location: string) =>
    `${scheme}://${host}:${server.port}/${status}?${encodeURIComponent(location)}`;
const hereTo = (status: number, location: string) => from(here, '127.0.0.1')(status, location);

describe('following', () => {
  test.each([1, 2, 3])('%i redirects are followed to the end', async (count) => {
    let url = `http://127.0.0.1:${here.port}/end`;
    for (let hop = 0; hop < count; hop += 1) url = hereTo(302, url);
    expect(await gate.request({ url })).toMatchObject({
      kind: 'response',
      status: 200,
      hops: count,
      finalUrl: `http://127.0.0.1:${here.port}/end`,
    });
  });

  test('a fourth is refused, and so is a circle', async () => {
    let url = `http://127.0.0.1:${here.port}/end`;
    for (let hop = 0; hop < 4; hop += 1) url = hereTo(307, url);
    expect(await gate.request({ url })).toMatchObject({ kind: 'refused', reason: 'too_many_redirects' });
    expect(here.requests).toHaveLength(4);
  });

  test('relative places and fragments are read against the hop before', async () => {
    expect(await gate.request({ url: hereTo(301, '../x?y#z') })).toMatchObject({
      finalUrl: `http://127.0.0.1:${here.port}/x?y`,
    });
    expect(await gate.request({ url: hereTo(301, `//127.0.0.2:${there.port}/x`) })).toMatchObject({
      finalUrl: `http://127.0.0.2:${there.port}/x`,
    });
  });

  test('a caller may ask to see the redirect instead', async () => {
    expect(await gate.request({ url: hereTo(302, '/x'), redirect: 'manual' })).toMatchObject({
      kind: 'response',
      status: 302,
      hops: 0,
    });
  });

  test.each([
    'http://',
    'http://[',
    'ftp://127.0.0.1/',
    'javascript:alert(1)',
    'http://user:pw@127.0.0.1/',
    'http://10.0.0.1/',
  ])('a redirect to %s is refused', async (location) => {
    expect(await gate.request({ url: hereTo(302, location) })).toMatchObject({ kind: 'refused' });
  });

  test('https never becomes http', async () => {
    expect(
      await gate.request({ url: from(secure, 'secure.lab.internal', 'https')(302, `http://127.0.0.1:${here.port}/`) }),
    ).toMatchObject({ kind: 'refused', reason: 'downgrade' });
    expect(here.connections()).toBe(0);
    expect(await gate.request({ url: hereTo(302, `https://secure.lab.internal:${secure.port}/`) })).toMatchObject({
      kind: 'response',
      status: 200,
    });
  });

  test('a huge body on a redirect is left behind', async () => {
    const flood = await recordingServer({
      answer: (_, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${here.port}/` }).end(Buffer.alloc(8_000_000)),
    });
    expect(await gate.request({ url: `http://127.0.0.1:${flood.port}/`, maxResponseBytes: 1_000 })).toMatchObject({
      kind: 'response',
      status: 200,
    });
    await flood.close();
  });

  test('streams follow the same way', async () => {
    const stream = await gate.open({ url: hereTo(302, `http://127.0.0.2:${there.port}/end`) });
    expect(stream).toMatchObject({ kind: 'stream', status: 200, hops: 1 });
    if (stream.kind === 'stream') stream.cancel();
  });
});

describe('methods', () => {
  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'DELETE', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [303, 'GET', 'GET'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('%i turns %s into %s', async (status, method, expected) => {
    const body =
      method === 'GET' || method === 'HEAD' ? {} : { body: 'payload', headers: { 'content-type': 'text/plain' } };
    await gate.request({ url: hereTo(status, '/next'), method, ...body });
    const last = here.requests[1];
    expect(last).toMatchObject({
      method: expected,
      body: expected === method && method !== 'GET' && method !== 'HEAD' ? 'payload' : '',
    });
    if (expected !== method) expect(last?.headers['content-type']).toBeUndefined();
  });
});

describe('credentials', () => {
  const secrets = {
    Authorization: 'Bearer s3cret',
    Cookie: 's3cret=1',
    'X-API-Key': 's3cret',
    'x-goog-api-key': 's3cret',
    api_key: 's3cret',
    'X-Auth-Token': 's3cret',
    'x-amz-security-token': 's3cret',
    'X-Session-Id': 's3cret',
    'x-functions-key': 's3cret',
    'x-hub-signature': 's3cret',
    'x-tenant': 's3cret',
    'x-mine': 's3cret',
  };
  const send = (url: string) =>
    gate.request({
      url,
      headers: { ...secrets, 'x-plain': 'kept', 'idempotency-key': 'kept' },
      secretHeaders: ['X-Mine'],
    });

  test('stay within their origin', async () => {
    await send(hereTo(302, '/next'));
    expect(here.requests[1]?.headers).toMatchObject({
      authorization: 'Bearer s3cret',
      cookie: 's3cret=1',
      'x-api-key': 's3cret',
      'x-mine': 's3cret',
    });
  });

  test.each([
    ['another address', () => `http://127.0.0.2:${there.port}/next`, () => there],
    ['another scheme', () => `https://127.0.0.1:${secure.port}/next`, () => secure],
    ['another name for the same address', () => `http://web.test:${here.port}/next`, () => here],
  ])('are dropped on the way to %s', async (_, location, server) => {
    expect(await send(hereTo(307, location()))).toMatchObject({ kind: 'response' });
    const last = server().requests.at(-1);
    expect(JSON.stringify(last?.headers)).not.toContain('s3cret');
    expect(last?.headers).toMatchObject({ 'x-plain': 'kept', 'idempotency-key': 'kept' });
  });

  test('do not come back after a detour', async () => {
    const detour = from(there, '127.0.0.2')(302, `http://127.0.0.1:${here.port}/back`);
    expect(await send(hereTo(302, detour))).toMatchObject({ kind: 'response', hops: 2 });
    expect(JSON.stringify(here.requests.at(-1)?.headers)).not.toContain('s3cret');
  });

  test('a port is part of an origin', () => {
    const judge = compileEgressRules({ networks: policyOf({ allow: ['loopback'] }), ports: 'any' });
    const hop = { url: new URL('http://127.0.0.1:1/'), method: 'GET', headers: { authorization: 's3cret' } };
    expect(nextHop(hop, 302, { location: 'http://127.0.0.1:2/' }, judge, new Set())).toMatchObject({ headers: {} });
    expect(
      nextHop(hop, 302, { location: ['http://127.0.0.1:1/', 'http://127.0.0.1:2/'] }, judge, new Set()),
    ).toMatchObject({ reason: 'bad_redirect' });
  });

  test('whatever sounds like a secret counts as one', () => {
    expect(
      withoutSecrets(
        {
          'private-token': 'x',
          'x-vault-token': 'x',
          'ocp-apim-subscription-key': 'x',
          'x-csrf-token': 'x',
          accept: 'y',
        },
        new Set(),
      ),
    ).toEqual({ accept: 'y' });
  });
});
