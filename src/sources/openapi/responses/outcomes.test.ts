import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { aDocument, documentFile, loadedApi, oneOperation } from '../../../../test/support/openapi.js';
import { recordingServer, type RecordingServer } from '../../../../test/support/recording-server.js';
import { schemaValidator } from '../../../lib/json/schema.js';

const pet = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};
const answering = (schema: object | undefined, mediaType = 'application/json') => ({
  responses: { 200: { description: 'ok', content: { [mediaType]: { ...(schema && { schema }) } } } },
});

describe('answers', () => {
  let server: RecordingServer | undefined;
  afterEach(() => server?.close());

  async function answered(answer: RequestListener, operation: object = answering(pet), args: object = {}) {
    server = await recordingServer({ answer });
    const api = await loadedApi(oneOperation(operation), { baseUrl: `http://127.0.0.1:${server.port}` });
    return { outcome: await api.call(args), tool: api.tool() };
  }
  const json =
    (value: unknown, status = 200): RequestListener =>
    (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

  test('JSON is structured content and text, and fits the output schema that was shown [S1.9] [S1.16]', async () => {
    const { outcome, tool } = await answered(json({ id: 1, name: 'Rex' }));
    expect(outcome).toEqual({
      kind: 'done',
      content: [{ type: 'text', text: '{"id":1,"name":"Rex"}' }],
      data: { id: 1, name: 'Rex' },
      meta: { 'toolgate/http': { status: 200 } },
    });
    expect(schemaValidator(tool.output?.schema ?? {})({ id: 1, name: 'Rex' })).toEqual([]);
    expect(JSON.stringify(tool.output?.schema)).toContain('"name":{"type":"string"}');
  });

  test.each([{ id: 'one' }, [1], null, 'text', 5])(
    'an answer that does not fit its document, %j, is passed on, marked, and still fits what was shown',
    async (value) => {
      const { outcome, tool } = await answered(json(value));
      expect(outcome).toMatchObject({ kind: 'done', meta: { 'toolgate/output_mismatch': expect.any(Array) } });
      expect(schemaValidator(tool.output?.schema ?? {})(outcome.kind === 'done' ? outcome.data : undefined)).toEqual(
        [],
      );
    },
  );

  test('an empty answer of a tool with an output schema still fits it', async () => {
    const { outcome, tool } = await answered((_, response) => void response.writeHead(204).end());
    expect(outcome).toMatchObject({ kind: 'done', content: [{ type: 'text', text: 'HTTP 204 No Content' }] });
    expect(schemaValidator(tool.output?.schema ?? {})(outcome.kind === 'done' ? outcome.data : undefined)).toEqual([]);
  });

  test.each([
    ['image/png', { type: 'image', data: 'AAEC', mimeType: 'image/png' }],
    ['audio/wav', { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' }],
    [
      'application/pdf',
      { type: 'resource', resource: { uri: 'toolgate://api/GET%20%2Fx', mimeType: 'application/pdf', blob: 'AAEC' } },
    ],
    // A drawing can hold a script: it is text to look at and nothing to show.
    ['image/svg+xml', { type: 'text', text: '\u0000\u0001\u0002' }],
    ['text/csv', { type: 'text', text: '\u0000\u0001\u0002' }],
  ])('%s becomes the content that MCP has for it [S1.10]', async (type, content) => {
    const { outcome } = await answered(
      (_, response) => void response.writeHead(200, { 'content-type': type }).end(Buffer.from([0, 1, 2])),
      answering(undefined, type),
    );
    expect(outcome).toMatchObject({ kind: 'done', content: [content] });
  });

  test.each([
    ['a service that nests without end', 'application/json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['one that only begins to', 'application/json', '{"a":'.repeat(100_000)],
  ])('%s gets its text passed on, and no value that would break code that walks it', async (_, type, body) => {
    const { outcome } = await answered(
      (_request, response) => void response.writeHead(200, { 'content-type': type }).end(body),
    );
    expect(outcome).toMatchObject({ kind: 'done', data: {} });
    expect(JSON.stringify(outcome)).toContain(body.slice(0, 1_000).replaceAll('"', '\\"'));
  });

  const echoing = { security: [{ key: [] }] };
  const withKey = { components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } } };
  test.each<[string, RequestListener]>([
    [
      'the location of what was made',
      (request, response) => void response.writeHead(201, { location: `http://api.test${request.url}` }).end(),
    ],
    [
      'a link',
      (request, response) =>
        void response
          .writeHead(200, { link: [`<http://api.test${request.url}>; rel="next"`, '<x>; rel="prev"'] })
          .end(),
    ],
    [
      'bytes that are not text',
      (request, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/octet-stream' })
          .end(Buffer.concat([Buffer.from(request.url ?? ''), Buffer.from([0xff])])),
    ],
    ['an error', (request, response) => void response.writeHead(400).end(`bad ${request.url}`)],
  ])('a credential that comes back in %s does not reach the caller', async (_, answer) => {
    server = await recordingServer({ answer });
    const api = await loadedApi(oneOperation(echoing, withKey), {
      baseUrl: `http://127.0.0.1:${server.port}`,
      credentials: new Map([['key', { kind: 'apiKey', value: () => ({ ok: true, value: 'sesame-open-4711' }) }]]),
    });
    const said = JSON.stringify(await api.call({}));
    expect(server.requests[0]?.url).toContain('sesame-open-4711');
    expect(
      `${said} ${Buffer.from(/"blob":"([^"]*)"/.exec(said)?.[1] ?? '', 'base64').toString('latin1')}`,
    ).not.toContain('sesame');
  });

  test('an error of the service is a tool error with its status, its type and 200 clean characters of it', async () => {
    const { outcome } = await answered(
      json({ type: 'https://errors.test/out', title: `no\u001b[31m\u200b ${'x'.repeat(500)}` }, 422),
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'upstream_error', data: { status: 422, type: 'https://errors.test/out' } },
    });
    const error = outcome.kind === 'failed' ? outcome.error : undefined;
    expect(error?.message).toMatch(/^GET \/x: HTTP 422 Unprocessable Entity: /);
    expect(String(error?.data?.['excerpt'])).toHaveLength(200);
    expect(error?.message).not.toMatch(/[\u001b\u200b]/);
  });

  test('a service that asks for patience is quoted', async () => {
    const { outcome } = await answered((_, response) => void response.writeHead(429, { 'retry-after': '7' }).end());
    expect(outcome).toMatchObject({ error: { code: 'upstream_busy', retryAfterMs: 7_000 } });
  });

  test('a writing request is not repeated elsewhere by a redirect', async () => {
    server = await recordingServer({
      answer: (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    });
    const api = await loadedApi(oneOperation({}, { method: 'post' }), { baseUrl: `http://127.0.0.1:${server.port}` });
    expect(await api.call({})).toMatchObject({ error: { code: 'upstream_error', data: { status: 307 } } });
    expect(server.requests).toHaveLength(1);
  });

  test('a service that is not there is a network error, one that answers too much is cut off', async () => {
    server = await recordingServer();
    const gone = await loadedApi(oneOperation({}), { baseUrl: `http://127.0.0.1:${server.port}` });
    await server.close();
    expect(await gone.call({})).toMatchObject({ error: { code: 'network_error' } });
    server = await recordingServer({ answer: (_, response) => void response.end('x'.repeat(5_000)) });
    const small = await loadedApi(oneOperation({}), {
      baseUrl: `http://127.0.0.1:${server.port}`,
      budgets: { responseBytes: 1_000 },
    });
    expect(await small.call({})).toMatchObject({ error: { code: 'output_limit' } });
  });

  test('read-only, destructive and idempotent follow from the method; the document may only make them stricter, the overlay anything', async () => {
    const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];
    const api = await loadedApi(
      aDocument({
        '/x': Object.fromEntries(methods.map((method) => [method, { operationId: method, responses: {} }])),
        '/y': { post: { operationId: 'find', 'x-mcp': { read_only: true }, responses: {} } },
        '/w': { delete: { operationId: 'wipe', 'x-mcp': { read_only: true, open_world: false }, responses: {} } },
        '/s': { get: { operationId: 'strict', 'x-mcp': { read_only: false, destructive: true }, responses: {} } },
        '/v': { post: { operationId: 'vouched', responses: {} } },
      }),
      {
        baseUrl: 'https://api.test',
        overlay: documentFile('operations:\n  vouched: {read_only: true}\n', 'overlay.yaml'),
      },
    );
    const seen = Object.fromEntries(
      api.tools.map(({ name, effects }) => [name, [effects.writes, effects.destroys, effects.idempotent]]),
    );
    expect(seen).toEqual({
      get: [false, false, true],
      head: [false, false, true],
      post: [true, false, false],
      put: [true, true, true],
      patch: [true, true, false],
      delete: [true, true, true],
      find: [true, false, false],
      wipe: [true, true, true],
      strict: [true, true, true],
      vouched: [false, false, true],
    });
    expect(api.tool('wipe')).toMatchObject({
      effects: { openWorld: true },
      claimedEffects: { writes: false, destroys: false, openWorld: false },
    });
  });
});
