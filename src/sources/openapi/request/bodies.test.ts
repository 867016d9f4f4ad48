import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aDocument, loadedApi } from '../../../../test/support/openapi.js';
import { recordingServer, type RecordingServer } from '../../../../test/support/recording-server.js';
import { sharedPath } from '../../../../test/support/shared.js';

const ok = { responses: { 200: { description: 'ok' } } };
const body = (mediaType: string, schema?: object, rest: object = {}) => ({
  requestBody: { required: true, content: { [mediaType]: { ...(schema && { schema }), ...rest } } },
  ...ok,
});
const folder = sharedPath('corpus/openapi-edge');

const own = aDocument({
  '/scalar': { post: { operationId: 'scalar', ...body('application/json', { type: 'string' }) } },
  '/arr': { post: { operationId: 'arr', ...body('application/json', { type: 'array', items: { type: 'integer' } }) } },
  '/txt': { post: { operationId: 'txt', ...body('text/plain; charset=utf-8', { type: 'string' }) } },
  '/form': {
    post: {
      operationId: 'form',
      ...body(
        'application/x-www-form-urlencoded',
        {
          type: 'object',
          properties: {
            a: { type: 'string' },
            list: { type: 'array', items: { type: 'string' } },
            o: { type: 'object' },
          },
        },
        { encoding: { o: { style: 'deepObject', explode: true } } },
      ),
    },
  },
  '/mp': {
    post: {
      operationId: 'mp',
      ...body('multipart/form-data', {
        type: 'object',
        required: ['file'],
        properties: {
          file: { type: 'string', contentMediaType: 'application/octet-stream' },
          meta: { type: 'object', properties: { n: { type: 'integer' } } },
        },
      }),
    },
  },
  '/bin': { put: { operationId: 'bin', ...body('application/octet-stream') } },
  '/patch': { patch: { operationId: 'mpatch', ...body('application/merge-patch+json', { type: 'object' }) } },
  '/xml': { post: { operationId: 'xml', ...body('application/xml', { type: 'object' }) } },
  '/image': { post: { operationId: 'image', ...body('image/png') } },
  '/either': {
    post: {
      operationId: 'either',
      requestBody: { content: { 'application/xml': {}, 'application/json': { schema: { type: 'object' } } } },
      ...ok,
    },
  },
  '/bare': { post: { operationId: 'bare', requestBody: { content: {} }, ...ok } },
});

describe('bodies', () => {
  let server: RecordingServer;
  beforeAll(async () => {
    server = await recordingServer();
  });
  beforeEach(() => server.forget());
  afterAll(() => server.close());
  const api = (document: unknown = own) => loadedApi(document, { baseUrl: `http://127.0.0.1:${server.port}/v1` });
  const sent = async (name: string, value: unknown, document?: unknown) => {
    const outcome = await (await api(document)).call({ body: value }, name);
    const [request] = server.requests;
    return { outcome, type: request?.headers['content-type'], body: request?.body };
  };

  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ['scalar', 'x', 'application/json', '"x"'],
    ['arr', [1, 2], 'application/json', '[1,2]'],
    ['txt', 'grüße', 'text/plain; charset=utf-8', 'grüße'],
    [
      'form',
      { a: 'b c&d', list: ['x', 'y'], o: { k: 'v' } },
      'application/x-www-form-urlencoded',
      'a=b+c%26d&list=x&list=y&o%5Bk%5D=v',
    ],
    ['bin', Buffer.from('bytes').toString('base64'), 'application/octet-stream', 'bytes'],
    ['mpatch', { a: null }, 'application/merge-patch+json', '{"a":null}'],
  ];
  test.each(cases)('%s is sent as its media type requires [S1.22]', async (name, value, type, bytes) => {
    expect(await sent(name, value)).toMatchObject({ outcome: { kind: 'done' }, type, body: bytes });
  });
  test.skipIf(folder === undefined).each(cases)(
    '%s of the shared document is sent as its media type requires',
    async (name, value, type, bytes) => {
      expect(await sent(name, value, readFileSync(join(folder ?? '', 'body-kinds.json'), 'utf8'))).toMatchObject({
        outcome: { kind: 'done' },
        type,
        body: bytes,
      });
    },
  );

  test.each([
    ['xml', '<a/>', 'application/xml', '<a/>'],
    ['image', { base64: Buffer.from('png').toString('base64') }, 'image/png', 'png'],
    ['either', { a: 1 }, 'application/json', '{"a":1}'],
    ['bare', [1], 'application/json', '[1]'],
  ])('a declared body is never lost: %s', async (name, value, type, bytes) => {
    expect(await sent(name, value)).toMatchObject({ outcome: { kind: 'done' }, type, body: bytes });
  });

  test('parts of a multipart body have their own types, and no name or file name can add a header', async () => {
    const { type, body: bytes } = await sent('mp', {
      file: { base64: 'aGk=', filename: 'a"\r\nx-admin: 1.txt' },
      meta: { n: 1 },
      'x"\r\ny': 'z',
    });
    expect(type).toMatch(/^multipart\/form-data; boundary=toolgate-[0-9a-f-]{36}$/);
    const boundary = type?.split('boundary=')[1] ?? '';
    expect(
      bytes
        ?.split(`--${boundary}`)
        .slice(1, -1)
        .map((part) => part.trim()),
    ).toEqual([
      'content-disposition: form-data; name="file"; filename="a%22%0D%0Ax-admin: 1.txt"\r\ncontent-type: application/octet-stream\r\n\r\nhi',
      'content-disposition: form-data; name="meta"\r\ncontent-type: application/json\r\n\r\n{"n":1}',
      'content-disposition: form-data; name="x%22%0D%0Ay"\r\n\r\nz',
    ]);
  });

  test('bytes that are not base64, and a body that is missing or of the wrong type, are refused before anything is sent', async () => {
    for (const [name, value] of [
      ['bin', 'no base64!'],
      ['mp', { file: '***' }],
      ['mp', {}],
      ['scalar', 5],
      ['scalar', undefined],
      ['arr', ['x']],
    ] as const) {
      const { outcome } = await sent(name, value);
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'invalid_arguments' } });
    }
    expect(server.requests).toEqual([]);
  });

  test('a body parameter of Swagger 2.0 survives being a reference, and forms become forms', async () => {
    const document = {
      swagger: '2.0',
      info: { title: 't', version: '1' },
      host: 'api.test',
      consumes: ['application/json'],
      parameters: { Pet: { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } } },
      definitions: {
        Pet: {
          type: 'object',
          required: ['name', 'id'],
          properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string', 'x-nullable': true } },
        },
      },
      paths: {
        '/pets': { post: { operationId: 'add', parameters: [{ $ref: '#/parameters/Pet' }], ...ok } },
        '/form': {
          post: {
            operationId: 'send',
            parameters: [
              { name: 'a', in: 'formData', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
              { name: 'q', in: 'query', type: 'array', items: { type: 'integer' }, collectionFormat: 'multi' },
            ],
            ...ok,
          },
        },
        '/file': {
          post: {
            operationId: 'upload',
            parameters: [{ name: 'f', in: 'formData', type: 'file', required: true }],
            ...ok,
          },
        },
      },
    };
    const loaded = await api(document);
    // `id` is read-only: a request need not hold it.
    expect(await loaded.call({ body: { name: null } }, 'add')).toMatchObject({ kind: 'done' });
    expect(await loaded.call({ body: {} }, 'add')).toMatchObject({ error: { code: 'invalid_arguments' } });
    await loaded.call({ body: { a: ['x', 'y'] }, q: [1, 2] }, 'send');
    await loaded.call({ body: { f: 'aGk=' } }, 'upload');
    expect(
      server.requests.map(({ url, headers, body: bytes }) => [
        url,
        headers['content-type']?.split(';')[0],
        bytes.replaceAll(/toolgate-[0-9a-f-]{36}/g, 'B'),
      ]),
    ).toEqual([
      ['/v1/pets', 'application/json', '{"name":null}'],
      ['/v1/form?q=1&q=2', 'application/x-www-form-urlencoded', 'a=x%7Cy'],
      [
        '/v1/file',
        'multipart/form-data',
        '--B\r\ncontent-disposition: form-data; name="f"; filename="f"\r\ncontent-type: application/octet-stream\r\n\r\nhi\r\n--B--\r\n',
      ],
    ]);
  });

  test('parameters of one name in several places, and one called body, each keep an argument of their own', async () => {
    const parameters = [
      ...['path', 'query', 'header', 'cookie'].map((place) => ({
        name: 'id',
        in: place,
        required: true,
        schema: { type: 'string' },
      })),
      { name: 'body', in: 'query', schema: { type: 'string' } },
    ];
    const loaded = await api(
      aDocument({
        '/x/{id}': { parameters, post: { operationId: 'op', ...body('application/json', { type: 'object' }) } },
      }),
    );
    expect(Object.keys(loaded.tool().input.schema['properties'] as object)).toEqual([
      'id_path',
      'id_query',
      'body',
      'id_header',
      'id_cookie',
      'request_body',
    ]);
    await loaded.call({
      id_path: 'p',
      id_query: 'q',
      id_header: 'h',
      id_cookie: 'c',
      body: 'b',
      request_body: { a: 1 },
    });
    expect(server.requests[0]).toMatchObject({
      url: '/v1/x/p?id=q&body=b',
      headers: { id: 'h', cookie: 'id=c' },
      body: '{"a":1}',
    });
  });
});
