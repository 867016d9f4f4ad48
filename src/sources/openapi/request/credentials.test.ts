import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aDocument, loadedApi } from '../../../../test/support/openapi.js';
import { handClock, never } from '../../../../test/support/make.js';
import { localEgress } from '../../../../test/support/gates.js';
import { recordingServer, type RecordingServer } from '../../../../test/support/recording-server.js';
import type { Credential } from './credentials.js';
import { tokenFetcher } from './oauth-tokens.js';

const secret = (value: string) => () => ({ ok: true as const, value });
const ok = { responses: { 200: { description: 'ok' } } };
const securitySchemes = {
  head: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'bearer' },
  oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'http://evil.test/token', scopes: {} } } },
};
const secured = aDocument(
  Object.fromEntries([
    ...Object.keys(securitySchemes).map(
      (name) => [`/${name}`, { get: { operationId: name, security: [{ [name]: ['read'] }], ...ok } }] as const,
    ),
    ['/open', { get: { operationId: 'open', security: [], ...ok } }],
    ['/inherits', { get: { operationId: 'inherits', ...ok } }],
    ['/both', { get: { operationId: 'both', security: [{ missing: [] }, { head: [], query: [] }], ...ok } }],
  ]),
  { components: { securitySchemes }, security: [{ bearer: [] }] },
);

describe('credentials', () => {
  let server: RecordingServer;
  let answerTokens = 0;
  beforeEach(async () => {
    answerTokens = 0;
    server = await recordingServer({
      answer: (request, response) => {
        if (request.url === '/token') answerTokens += 1;
        response
          .setHeader('content-type', 'application/json')
          .end(
            request.url === '/token'
              ? JSON.stringify({ access_token: `token${answerTokens}`, token_type: 'Bearer', expires_in: 600 })
              : '{}',
          );
      },
    });
  });
  afterEach(() => server.close());

  const all = (): ReadonlyMap<string, Credential> =>
    new Map<string, Credential>([
      ['head', { kind: 'apiKey', value: secret('k1') }],
      ['query', { kind: 'apiKey', value: secret('k&2') }],
      ['cookie', { kind: 'apiKey', value: secret('k;3') }],
      ['basic', { kind: 'basic', username: 'ada', password: secret('p:w') }],
      ['bearer', { kind: 'bearer', token: secret('t') }],
      [
        'oauth',
        {
          kind: 'oauth2',
          tokenUrl: `http://127.0.0.1:${server.port}/token`,
          clientId: 'id',
          clientSecret: secret('s&cret'),
        },
      ],
    ]);
  const api = (credentials = all()) =>
    loadedApi(secured, { baseUrl: `http://127.0.0.1:${server.port}/v1`, credentials });

  test.each([
    ['head', { url: '/v1/head', headers: { 'x-key': 'k1' } }],
    ['query', { url: '/v1/query?key=k%262' }],
    ['cookie', { headers: { cookie: 'sid=k%3B3' } }],
    ['basic', { headers: { authorization: `Basic ${Buffer.from('ada:p:w').toString('base64')}` } }],
    ['bearer', { headers: { authorization: 'Bearer t' } }],
    ['inherits', { headers: { authorization: 'Bearer t' } }],
    ['both', { url: '/v1/both?key=k%262', headers: { 'x-key': 'k1' } }],
  ])('%s is sent as the document declares', async (name, request) => {
    expect(await (await api()).call({}, name)).toMatchObject({ kind: 'done' });
    expect(server.requests.at(-1)).toMatchObject(request);
  });

  test('an operation that asks for nothing gets nothing', async () => {
    await (await api()).call({}, 'open');
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.url).toBe('/v1/open');
  });

  test('a credential marked so goes with every operation', async () => {
    await (await api(new Map([['head', { kind: 'apiKey', value: secret('k'), always: true }]]))).call({}, 'open');
    expect(server.requests[0]?.headers['x-key']).toBe('k');
  });

  test('credentials are bound to base_url: the addresses of a document never get them', async () => {
    const document = { ...secured, servers: [{ url: `http://127.0.0.1:${server.port}/v1` }] };
    const bound = await loadedApi(document, { credentials: all() });
    expect(await bound.call({}, 'head')).toMatchObject({ kind: 'failed', error: { code: 'permission_denied' } });
    expect(server.requests).toEqual([]);
  });

  test('a caller cannot put a parameter or cookie of the credentials beside them', async () => {
    const parameters = [
      { name: 'any', in: 'query', schema: { type: 'object' } },
      { name: 'sid', in: 'cookie', schema: { type: 'string' } },
    ];
    const loaded = await loadedApi(
      aDocument(
        { '/x': { get: { operationId: 'op', security: [{ query: [], cookie: [] }], parameters, ...ok } } },
        { components: { securitySchemes } },
      ),
      { baseUrl: `http://127.0.0.1:${server.port}`, credentials: all() },
    );
    expect(Object.keys(loaded.tool().input.schema['properties'] as object)).toEqual(['any']); // a tool of this source
    expect(await loaded.call({ any: {}, sid: 'mine' })).toMatchObject({ error: { code: 'invalid_arguments' } });
    await loaded.call({ any: { key: 'mine', q: '1' } });
    expect(server.requests[0]).toMatchObject({ url: '/x?q=1&key=k%262', headers: { cookie: 'sid=k%3B3' } });
  });

  test('a service that echoes its request does not give the credentials away, in an answer or in an error', async () => {
    for (const status of [200, 401]) {
      const mirror = await recordingServer({
        answer: (request, response) =>
          void response
            .writeHead(status, { 'content-type': 'application/json' })
            .end(JSON.stringify({ seen: request.headers, url: request.url })),
      });
      const credentials = new Map<string, Credential>([
        ['head', { kind: 'apiKey', value: secret('key-one-1234') }],
        ['query', { kind: 'apiKey', value: secret('key two/5678') }],
        ['basic', { kind: 'basic', username: 'ada', password: secret('pass-word-99'), always: true }],
      ]);
      const loaded = await loadedApi(secured, { baseUrl: `http://127.0.0.1:${mirror.port}/v1`, credentials });
      const text = JSON.stringify(await loaded.call({}, 'both'));
      expect(mirror.requests[0]?.headers['x-key']).toBe('key-one-1234');
      for (const one of [
        'key-one-1234',
        'key two/5678',
        'key%20two%2F5678',
        'pass-word-99',
        Buffer.from('ada:pass-word-99').toString('base64'),
      ])
        expect(text).not.toContain(one);
      await mirror.close();
    }
  });

  test('a secret that is not set is named and nothing is sent', async () => {
    const missing = await api(
      new Map([['bearer', { kind: 'bearer', token: () => ({ ok: false, unset: ['API_TOKEN'] }) }]]),
    );
    expect(await missing.call({}, 'bearer')).toMatchObject({
      error: { code: 'permission_denied', message: expect.stringContaining('API_TOKEN') },
    });
    expect(server.requests).toEqual([]);
  });

  test('a token is fetched once for all who wait, kept, and never from where the document points', async () => {
    const loaded = await api();
    await Promise.all(Array.from({ length: 20 }, () => loaded.call({}, 'oauth')));
    await loaded.call({}, 'oauth');
    expect(answerTokens).toBe(1);
    const [asked, ...calls] = server.requests;
    expect(asked).toMatchObject({
      url: '/token',
      method: 'POST',
      body: 'grant_type=client_credentials&scope=read',
      headers: { authorization: `Basic ${Buffer.from('id:s%26cret').toString('base64')}` },
    });
    expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer token1']));
  });

  test('a token is renewed before it ends, and after the service refused it', async () => {
    const clock = handClock();
    const fetcher = tokenFetcher(
      { tokenUrl: `http://127.0.0.1:${server.port}/token`, clientId: 'id', clientSecret: secret('s'), clock },
      () => localEgress(),
    );
    expect(await fetcher.token([], never)).toEqual({ ok: true, value: 'token1' });
    clock.advance(569_000);
    expect(await fetcher.token([], never)).toEqual({ ok: true, value: 'token1' });
    clock.advance(2_000);
    expect(await fetcher.token([], never)).toEqual({ ok: true, value: 'token2' });
    fetcher.clear();
    expect(await fetcher.token([], never)).toEqual({ ok: true, value: 'token3' });
  });

  test.each(['{"access_token":"a\\r\\nx: 1"}', '{"token_type":"mac","access_token":"a"}', 'no json', '{}'])(
    'a token endpoint that answers %s gives no token',
    async (body) => {
      const bad = await recordingServer({ answer: (_, response) => response.end(body) });
      const fetcher = tokenFetcher(
        { tokenUrl: `http://127.0.0.1:${bad.port}/`, clientId: 'id', clientSecret: secret('s') },
        () => localEgress(),
      );
      expect(await fetcher.token([], never)).toMatchObject({ ok: false });
      await bad.close();
    },
  );
});
