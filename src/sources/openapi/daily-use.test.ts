import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aDocument, documentFile, loadedApi, oneOperation } from '../../../test/support/openapi.js';
import { recordingServer, type RecordingServer } from '../../../test/support/recording-server.js';
import type { Credential } from './request/credentials.js';

const ok = { responses: { 200: { description: 'ok' } } };
const secret = (value: string) => () => ({ ok: true as const, value });
const argumentsOf = (tool: { readonly input: { readonly schema: object } }): readonly string[] =>
  Object.keys((tool.input.schema as { readonly properties: object }).properties); // a tool of this source

describe('arguments that callers do not give', () => {
  let server: RecordingServer;
  beforeAll(async () => {
    server = await recordingServer();
  });
  beforeEach(() => server.forget());
  afterAll(() => server.close());
  const base = () => `http://127.0.0.1:${server.port}`;

  test.each([
    ['query', 'api_key', '/x?q=1&api_key=k-123456789', undefined],
    ['header', 'X-Api-Key', '/x?q=1', 'k-123456789'],
  ])('a required %s parameter that a credential fills is no argument', async (place, name, url, header) => {
    for (const security of [undefined, [{ key: [] }]]) {
      server.forget();
      const api = await loadedApi(
        oneOperation(
          {
            ...(security && { security }),
            parameters: [
              { name, in: place, required: true, schema: { type: 'string' } },
              { name: 'q', in: 'query', schema: { type: 'string' } },
            ],
          },
          { components: { securitySchemes: { key: { type: 'apiKey', in: place, name } } } },
        ),
        {
          baseUrl: base(),
          credentials: new Map<string, Credential>([['key', { kind: 'apiKey', value: secret('k-123456789') }]]),
        },
      );
      expect(argumentsOf(api.tool())).toEqual(['q']);
      await api.call({ q: '1' });
      expect(server.requests[0]?.url).toBe(url);
      expect(server.requests[0]?.headers['x-api-key']).toBe(header);
      expect(await api.call({ q: '1', [name]: 'mine' })).toMatchObject({ error: { code: 'invalid_arguments' } });
    }
  });

  const order = { $ref: '#/components/schemas/Order' };
  test.each([
    ['of the body', order, {}, { unit: 'kg' }],
    ['of a property', { type: 'object', properties: { order } }, { order: {} }, { order: { unit: 'kg' } }],
    ['of a reference', { $ref: '#/components/schemas/Alias' }, {}, { unit: 'kg' }],
  ])('a required default behind the reference %s is sent', async (_, schema, body, whole) => {
    const api = await loadedApi(
      oneOperation(
        { requestBody: { required: true, content: { 'application/json': { schema } } } },
        {
          method: 'post',
          components: {
            schemas: {
              Alias: order,
              Order: { type: 'object', required: ['unit'], properties: { unit: { type: 'string', default: 'kg' } } },
            },
          },
        },
      ),
      { baseUrl: base() },
    );
    await api.call({ body });
    expect(server.requests.map((request): unknown => JSON.parse(request.body))).toEqual([whole]);
  });

  const versioned = oneOperation({
    parameters: [
      { name: 'version', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'debug', in: 'query', schema: { type: 'boolean' } },
    ],
  });
  const overlay = (text: string) => documentFile(text, 'overlay.yaml');

  test('an overlay fixes the value of an argument, also from a variable, and hides others', async () => {
    const api = await loadedApi(versioned, {
      baseUrl: base(),
      env: { TENANT: 'tenant-secret-1' },
      overlay: overlay(
        'operations:\n  op:\n    arguments:\n      version: { fixed: "2024-01" }\n      X-Tenant: { fixed: "${TENANT}" }\n      debug: { hidden: true }\n',
      ),
    });
    expect(argumentsOf(api.tool())).toEqual([]);
    await api.call({});
    expect(server.requests[0]).toMatchObject({ url: '/x?version=2024-01', headers: { 'x-tenant': 'tenant-secret-1' } });
    expect(JSON.stringify([api.tool().details, api.tool().input.schema])).not.toContain('tenant-secret-1');
    expect(await api.call({ debug: true })).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  test.each([
    ['{ fixed: "${NOT_SET}" }', /NOT_SET, which is not set/],
    ['{ fixed: "${secret:KEY}" }', /variables only/],
  ])('an overlay with %s is refused with the reason', async (value, reason) => {
    await expect(
      loadedApi(versioned, {
        baseUrl: base(),
        env: {},
        overlay: overlay(`operations:\n  op: { arguments: { version: ${value} } }\n`),
      }),
    ).rejects.toThrow(reason);
  });

  test('a document cannot preset arguments itself, and a preset without effect is reported', async () => {
    const api = await loadedApi(oneOperation({ 'x-mcp': { arguments: { q: { fixed: '${HOME}' } } } }), {
      baseUrl: base(),
      env: { HOME: '/home/operator' },
      overlay: overlay('operations:\n  op: { arguments: { nothing: { hidden: true } } }\n'),
    });
    await api.call({});
    expect(server.requests[0]?.url).toBe('/x');
    expect(api.source.notes()).toMatchObject([{ reason: 'unknown_argument' }]);
  });

  test('a GET whose declared body is empty has no argument for it', async () => {
    const empty = { requestBody: { content: { 'application/json': { schema: {} } } } };
    const search = { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } };
    const api = await loadedApi(
      aDocument({
        '/a': { get: { operationId: 'a', ...empty, ...ok }, post: { operationId: 'b', ...empty, ...ok } },
        '/c': { get: { operationId: 'c', ...search, ...ok } },
      }),
      { baseUrl: base() },
    );
    expect(['a', 'b', 'c'].map((name) => argumentsOf(api.tool(name)))).toEqual([[], ['body'], ['body']]);
  });
});

describe('authentication that the gateway cannot perform', () => {
  const document = aDocument(
    {
      '/digest': { get: { operationId: 'digest', security: [{ digest: [] }], ...ok } },
      '/mtls': { get: { operationId: 'mtls', security: [{ mtls: [] }, { digest: [] }], ...ok } },
      '/either': { get: { operationId: 'either', security: [{ mtls: [] }, { key: [] }], ...ok } },
      '/open': { get: { operationId: 'open', security: [{ mtls: [] }, {}], ...ok } },
    },
    {
      components: {
        securitySchemes: {
          digest: { type: 'http', scheme: 'digest' },
          mtls: { type: 'mutualTLS' },
          key: { type: 'apiKey', in: 'header', name: 'x-key' },
        },
      },
    },
  );

  test('operations that need it are withheld with the reason', async () => {
    const { tools, source } = await loadedApi(document, { baseUrl: 'https://api.test' });
    expect(tools.map(({ name }) => name)).toEqual(['either', 'open']);
    expect(source.withheld()).toMatchObject([
      {
        what: 'GET /digest',
        reason: 'unsupported_auth',
        why: expect.stringMatching(/requires digest.*external: true/),
      },
      { what: 'GET /mtls', reason: 'unsupported_auth', why: expect.stringContaining('mutualTLS, digest') },
    ]);
  });

  test('a proxy that authenticates makes them callable, a password does not', async () => {
    const names = async (credential: Credential): Promise<readonly string[]> =>
      (
        await loadedApi(document, { baseUrl: 'https://api.test', credentials: new Map([['digest', credential]]) })
      ).tools.map(({ name }) => name);
    expect(await names({ kind: 'external' })).toEqual(['digest', 'either', 'mtls', 'open']);
    expect(await names({ kind: 'basic', username: 'a', password: secret('b') })).toEqual(['either', 'open']);
  });
});

describe('a part of a document that nests too deep', () => {
  const nested = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ properties: { a: inner } }), { type: 'string' });
  const document = aDocument(
    {
      '/deep': {
        post: {
          operationId: 'deep',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Deep' } } } },
          ...ok,
        },
      },
      '/reply': {
        get: {
          operationId: 'reply',
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Deep' } } },
            },
          },
        },
      },
      '/flat': { get: { operationId: 'flat', ...ok } },
    },
    { components: { schemas: { Deep: nested(400) } } },
  );

  test.each([
    ['JSON', JSON.stringify(document), 'api.json'],
    ['YAML', `# yaml\n${JSON.stringify(document)}`, 'api.yaml'],
  ])('withholds the operation that needs it, not the document (%s)', async (_, text, name) => {
    const { tools, source } = await loadedApi(undefined, {
      document: documentFile(text, name),
      baseUrl: 'https://api.test',
    });
    expect(tools.map((tool) => tool.name)).toEqual(['flat', 'reply']);
    expect(source.withheld()).toMatchObject([{ what: 'POST /deep', reason: 'deep_schema' }]);
  });

  test('however deep it is', async () => {
    const deep = JSON.stringify(document).replace(
      '"type":"string"',
      `"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    );
    expect(
      (await loadedApi(undefined, { document: documentFile(deep), baseUrl: 'https://api.test' })).tools,
    ).toHaveLength(2);
  });
});

describe('a service that is busy', () => {
  const timing = { random: () => 0, sleep: () => Promise.resolve(), clock: () => 0 };

  test.each([
    ['get', 503, 3],
    ['get', 429, 3],
    ['put', 503, 3],
    ['post', 503, 1],
    ['get', 500, 1],
  ])('%s answered with %i is sent %i times', async (method, status, times) => {
    const server = await recordingServer({
      answer: (_, response) => void response.writeHead(status, { 'retry-after': '2' }).end('busy'),
    });
    const api = await loadedApi(oneOperation({}, { method }), {
      baseUrl: `http://127.0.0.1:${server.port}`,
      attempts: 3,
      timing,
    });
    expect(await api.call({})).toMatchObject({
      error:
        status === 500
          ? { code: 'upstream_error', data: { status } }
          : { code: 'upstream_busy', retryAfterMs: 2_000, data: { status } },
    });
    expect(server.requests).toHaveLength(times);
    await server.close();
  });
});

test('the first call of an operation with a huge schema does not block', async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, index) => [
      `S${index}`,
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 12 }, (__, at) => [
            `p${at}`,
            { $ref: `#/components/schemas/S${(index * 7 + at) % 1_200}` },
          ]),
        ),
      },
    ]),
  );
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } };
  const server = await recordingServer({
    answer: (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"p0":{"p1":7}}'),
  });
  const api = await loadedApi(
    oneOperation(
      { requestBody: body, responses: { 200: { description: 'ok', ...body } } },
      { method: 'post', components: { schemas } },
    ),
    { baseUrl: `http://127.0.0.1:${server.port}` },
  );
  const before = process.cpuUsage();
  const outcome = await api.call({ body: { p0: { p3: {} } } });
  const { user, system } = process.cpuUsage(before);
  // Processor time, which other programs do not lengthen.
  expect((user + system) / 1_000).toBeLessThan(1_000);
  expect(outcome).toMatchObject({ meta: { 'toolgate/output_mismatch': [expect.stringContaining('/p0/p1')] } });
  await server.close();
});
