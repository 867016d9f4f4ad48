import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aGateway } from '../../../test/support/gate.js';
import { localEgress } from '../../../test/support/gates.js';
import { bob, deferred, never } from '../../../test/support/make.js';
import { aDocument, documentFile, loadedApi, oneOperation } from '../../../test/support/openapi.js';
import { recordingServer, type RecordingServer } from '../../../test/support/recording-server.js';
import { definitionOf } from '../../core/definition.js';
import type { ToolSource } from '../../core/source.js';
import { openApiSource } from './source.js';

const ok = { responses: { 200: { description: 'ok' } } };
const many = (count: number) =>
  aDocument(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `/thing${index}/{id}`,
        {
          get: {
            operationId: `getThing${index}`,
            summary: `Reads thing ${index}`,
            tags: [index % 2 ? 'odd' : 'even'],
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            ...ok,
          },
          delete: {
            operationId: `dropThing${index}`,
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            ...ok,
          },
        },
      ]),
    ),
  );
const shownOf = (tools: readonly Parameters<typeof definitionOf>[0][]) => JSON.stringify(tools.map(definitionOf));

describe('a document as a source', () => {
  let server: RecordingServer;
  beforeAll(async () => {
    server = await recordingServer({
      answer: (_, response) => void response.setHeader('content-type', 'application/json').end('{"ok":true}'),
    });
  });
  beforeEach(() => server.forget());
  afterAll(() => server.close());

  test('the list is the same to the byte when the document is, and ready with its schemas at once [S1.11]', async () => {
    const document = documentFile(many(5));
    const lists = await Promise.all(
      [1, 2].map(async () =>
        shownOf(
          await openApiSource({
            id: 'api',
            document,
            baseUrl: 'https://api.test',
            openEgress: () => localEgress(),
          }).list(never),
        ),
      ),
    );
    expect(lists[0]).toBe(lists[1]);
    expect(lists[0]).toContain('"name":"api__getThing0"');
  });

  test('a changed file is swapped in whole and announced, an unchanged or broken one is not [S1.12] [S1.24]', async () => {
    const document = documentFile(oneOperation({}));
    const source = openApiSource({
      id: 'api',
      prefix: 'none',
      document,
      baseUrl: 'https://api.test',
      pollMs: 50,
      openEgress: () => localEgress(),
    });
    const { gate, registry } = await aGateway([source]);
    const view = { principal: bob };
    const before = gate.tools(view);
    const next = (what: () => boolean) => {
      const { promise, resolve } = deferred<void>();
      const timer = setInterval(() => {
        if (what()) resolve();
      }, 10);
      return promise.finally(() => clearInterval(timer));
    };
    const heard: string[] = [];
    gate.onChange((what) => heard.push(what));
    copyFileSync(document, `${document}.new`);
    renameSync(`${document}.new`, document);
    writeFileSync(document, '{"openapi":');
    await next(() => source.health?.().status === 'degraded');
    expect(gate.tools(view)).toBe(before);
    expect(heard).toEqual([]);
    writeFileSync(`${document}.new`, JSON.stringify(aDocument({ '/y': { get: { operationId: 'other', ...ok } } })));
    renameSync(`${document}.new`, document);
    await next(() => heard.length > 0);
    expect(gate.tools(view).map(({ name }) => name)).toEqual(['other']);
    expect(source.health?.()).toEqual({ status: 'healthy' });
    await registry.close();
  });

  test('a document behind an address is fetched through the guard, and its relative servers lead back to it', async () => {
    const origin = await recordingServer({
      answer: (request, response) =>
        void response
          .setHeader('content-type', 'application/json')
          .end(
            JSON.stringify(
              request.url === '/spec/api.json'
                ? oneOperation({}, { servers: [{ url: '../v2' }] })
                : { url: request.url },
            ),
          ),
    });
    const reached: string[][] = [];
    const api = await loadedApi(undefined, {
      document: `http://127.0.0.1:${origin.port}/spec/api.json`,
      openEgress: (origins) => {
        reached.push([...origins]);
        return localEgress();
      },
    });
    expect(await api.call({})).toMatchObject({ data: { url: '/v2/x' } });
    expect(reached).toEqual([[`http://127.0.0.1:${origin.port}`]]);
    await origin.close();
  });

  test.each([
    ['no address at all', {}, 'no_server'],
    ['a user name in the address', { servers: [{ url: 'https://api.test@evil.test/' }] }, 'server_userinfo'],
    ['another scheme', { servers: [{ url: 'file:///etc/' }] }, 'unsupported_scheme'],
  ])('a document with %s offers nothing and has a reason', async (_name, rest, reason) => {
    const api = await loadedApi(oneOperation({}, rest));
    expect(api.tools).toEqual([]);
    expect(api.source.withheld()).toMatchObject([{ what: 'GET /x', reason }]);
  });

  test('variables of a server take their defaults and are no arguments: callers cannot choose a host', async () => {
    const api = await loadedApi(
      oneOperation(
        {},
        {
          servers: [
            {
              url: 'http://{host}:{port}/{base}',
              variables: {
                host: { default: '127.0.0.1', enum: ['127.0.0.1', 'evil.test'] },
                port: { default: String(server.port) },
                base: { default: 'v3' },
              },
            },
          ],
        },
      ),
    );
    expect(api.tool().input.schema).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    await api.call({});
    expect(server.requests[0]?.url).toBe('/v3/x');
    expect(await api.call({ host: 'evil.test' })).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  test('overrides: the overlay wins over x-mcp, which wins over what follows from the document [S1.2] [S1.13] [S1.21] [S1.23]', async () => {
    const overlay = documentFile(
      'operations:\n  a: {name: chosen, description: From the operator, read_only: true, meta: {team: x}}\n  GET /b: {arguments: {q: {type: string, enum: [one, two]}}, labels: [reads:private]}\n  c: {hidden: true}\n',
      'overlay.yaml',
    );
    const q = { parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }] };
    const document = aDocument({
      '/a': {
        post: {
          operationId: 'a',
          summary: 'Derived',
          tags: ['pets'],
          'x-mcp': { name: 'document', title: 'From the document' },
          'x-extra': { kept: true },
          ...ok,
        },
      },
      '/b': {
        get: { operationId: 'b', summary: 'Derived', 'x-mcp': { description: 'From the document' }, ...q, ...ok },
      },
      '/c': { get: { operationId: 'c', ...ok } },
      '/d': { get: { operationId: 'd', summary: 'Short', description: 'Long', ...ok } },
    });
    const api = await loadedApi(document, { baseUrl: 'https://api.test', overlay });
    expect(api.tool('chosen')).toMatchObject({
      title: 'From the document',
      description: 'From the operator',
      effects: { writes: false, labels: expect.arrayContaining(['tag:pets', 'operation:a']) },
      meta: { 'toolgate/tags': ['pets'], team: 'x' },
      details: { document: { summary: 'Derived', extensions: { 'x-extra': { kept: true } } } },
      facts: { summary: 'Derived', 'x-extra': { kept: true } },
    });
    expect(api.tool('b')).toMatchObject({
      description: 'From the document',
      input: { schema: { properties: { q: { enum: ['one', 'two'] } } } },
      effects: { labels: expect.arrayContaining(['reads:private']) },
    });
    expect(await api.call({ q: 'three' }, 'b')).toMatchObject({
      error: {
        code: 'invalid_arguments',
        data: { problems: [{ field: '/q', keyword: 'enum', expected: ['one', 'two'] }] },
      },
    });
    expect(api.tool('d')).toMatchObject({ title: 'Short', description: 'Short\nLong' });
    expect(api.source.withheld()).toMatchObject([{ what: 'GET /c', reason: 'hidden' }]);
  });

  test('a schema in an override may refer to the document, and one that makes no sense does no harm', async () => {
    const override = {
      'x-mcp': { arguments: { q: { $ref: '#/components/schemas/Kind' }, r: { type: 'nonsense', pattern: '(a+)+$' } } },
    };
    const api = await loadedApi(
      oneOperation(
        { ...override, parameters: ['q', 'r'].map((name) => ({ name, in: 'query', schema: {} })) },
        { components: { schemas: { Kind: { enum: ['dog'] } } } },
      ),
      { baseUrl: `http://127.0.0.1:${server.port}` },
    );
    expect(api.tool().input.schema).toMatchObject({ properties: { q: { enum: ['dog'] }, r: {} } });
    expect(await api.call({ q: 'cat' })).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await api.call({ q: 'dog', r: 'x' })).toMatchObject({ kind: 'done' });
  });

  test('an overlay with a misspelt key is a problem, not an override that silently does not happen', async () => {
    const overlay = documentFile('operations: {a: {descripton: x}}', 'overlay.yaml');
    await expect(loadedApi(oneOperation({}), { overlay })).rejects.toThrow(
      'operations.a: descripton is not a known key',
    );
  });

  test('filters choose by tag, path, method and operationId, and leave a trace', async () => {
    const names = async (filter: object) =>
      (await loadedApi(many(4), { baseUrl: 'https://api.test', filter })).tools.map(({ name }) => name);
    expect(await names({ include: { tags: ['odd'] } })).toEqual(['getThing1', 'getThing3']);
    expect(await names({ include: { paths: ['/thing1/*', '/thing2*'], methods: ['get'] } })).toEqual([
      'getThing1',
      'getThing2',
    ]);
    expect(await names({ include: { operationIds: ['drop*'] }, exclude: { paths: ['*2/*'] } })).toEqual([
      'dropThing0',
      'dropThing1',
      'dropThing3',
    ]);
    const { source } = await loadedApi(many(1), {
      baseUrl: 'https://api.test',
      filter: { exclude: { methods: ['DELETE'] } },
    });
    expect(source.withheld()).toMatchObject([{ what: 'DELETE /thing0/{id}', reason: 'filtered' }]);
  });

  describe('too large for a list', () => {
    const large = async (visibility = {}) => {
      const source: ToolSource = openApiSource({
        id: 'big',
        document: documentFile(many(300)),
        baseUrl: `http://127.0.0.1:${server.port}`,
        openEgress: () => localEgress(),
      });
      return aGateway([source], { visibility });
    };
    const request = (tool: string, args: object) => ({
      tool,
      args: args as never,
      principal: bob,
      via: 'rest' as const,
      signal: never,
    }); // arguments are JSON at every door

    test('search, describe and call stand for all of it', async () => {
      const { gate } = await large();
      expect(gate.tools({ principal: bob }).map(({ name }) => name)).toEqual([
        'big__call',
        'big__describe',
        'big__search',
      ]);
      const found = await gate.call(request('big__search', { query: 'thing 17', limit: 2 }));
      expect(found.outcome).toMatchObject({
        kind: 'done',
        data: {
          operations: [
            { name: expect.stringContaining('Thing17'), operation: expect.stringContaining('/thing17') },
            {},
          ],
        },
      });
      const described = await gate.call(request('big__describe', { name: 'big__getThing17' }));
      expect(described.outcome).toMatchObject({
        kind: 'done',
        data: {
          input_schema: { properties: { id: { type: 'integer' } }, required: ['id'] },
          effects: { read_only: true },
        },
      });
      const called = await gate.call(request('big__call', { name: 'big__getThing17', arguments: { id: 5 } }));
      expect(called).toMatchObject({
        outcome: { kind: 'done', data: { ok: true } },
        tool: { name: 'big__getThing17' },
      });
      expect(server.requests.map(({ url }) => url)).toEqual(['/thing17/5']);
    });

    test('a call through the stand-in is judged and recorded as the operation it means', async () => {
      const { gate, records } = await large();
      expect(
        (await gate.call(request('big__call', { name: 'big__getThing1', arguments: { id: 'x' } }))).outcome,
      ).toMatchObject({ error: { code: 'invalid_arguments', data: { problems: [{ field: '/id' }] } } });
      await gate.call(request('big__call', { name: 'big__dropThing1', arguments: { id: 1 } }));
      expect(records.map(({ tool }) => tool)).not.toContain('big__call');
      expect(records.at(-1)?.tool).toBe('big__dropThing1');
      for (const args of [
        { name: 'big__nothing' },
        { name: 'big__call', arguments: {} },
        { name: 'ping' },
        {},
        { name: 'big__getThing1', arguments: [] },
      ]) {
        expect((await gate.call(request('big__call', args))).outcome).toMatchObject({
          kind: 'failed',
          error: { code: 'invalid_arguments' },
        });
      }
      expect(server.requests).toHaveLength(1);
    });

    test('what a caller may not know of is neither found, described nor called, and what is disabled is not called', async () => {
      const { gate, registry } = await large({
        isVisible: (_view: unknown, item: { readonly name: string }) => !item.name.includes('drop'),
      });
      expect((await gate.call(request('big__search', { query: 'drop' }))).outcome).toMatchObject({
        data: { total: 0 },
      });
      expect((await gate.call(request('big__describe', { name: 'big__dropThing1' }))).outcome).toMatchObject({
        kind: 'failed',
      });
      expect(
        (await gate.call(request('big__call', { name: 'big__dropThing1', arguments: { id: 1 } }))).outcome,
      ).toMatchObject({ error: { code: 'not_found' } });
      registry.setEnabled('big__getThing1', false);
      expect(
        (await gate.call(request('big__call', { name: 'big__getThing1', arguments: { id: 1 } }))).outcome,
      ).toMatchObject({ error: { code: 'not_found' } });
      expect(server.requests).toEqual([]);
    });
  });

  test('a tool whose schema had to be shortened comes with describe, which is bounded and leads to every part', async () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [
          `field${index}`,
          { type: 'string', description: `About field ${index}`, maxLength: index + 1 },
        ]),
      ),
    };
    const api = await loadedApi(
      oneOperation({ requestBody: { content: { 'application/json': { schema: wide } } } }, { method: 'post' }),
      { baseUrl: 'https://api.test' },
    );
    expect(Buffer.byteLength(JSON.stringify(definitionOf(api.tool())))).toBeLessThanOrEqual(8_192);
    const described = await api.call({ name: 'op' }, 'api__describe');
    expect(described).toMatchObject({
      data: { input_schema: { properties: { body: { properties: { field0: { type: 'string' } } } } } },
    });
    expect(Buffer.byteLength(JSON.stringify('data' in described && described.data))).toBeLessThanOrEqual(8_192);
    const one = await api.call({ name: 'op', at: '/properties/body/properties/field399' }, 'api__describe');
    expect(one).toMatchObject({ data: { input_schema: { maxLength: 400, description: 'About field 399' } } });
    expect(await api.call({ name: 'op', at: '/properties/nothing' }, 'api__describe')).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
    expect(await api.call({ name: 'op', original: true }, 'api__describe')).toMatchObject({
      data: { method: 'POST', original: { operationId: 'op' } },
    });
    expect(await api.call({ body: { field0: 'too long' } })).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  test('arguments of every type are bound and checked, and problems name field, rule and what was expected [S1.7]', async () => {
    const parameters = [
      { name: 'n', in: 'query', required: true, schema: { type: 'number', minimum: 1 } },
      { name: 'e', in: 'query', schema: { enum: ['a', 'b'] } },
      { name: 'd', in: 'query', schema: { type: 'string', format: 'date' } },
      { name: 'l', in: 'query', schema: { type: 'array', items: { type: 'boolean' } } },
      { name: 'z', in: 'query', schema: { type: ['string', 'null'] } },
    ];
    const api = await loadedApi(oneOperation({ parameters }), { baseUrl: `http://127.0.0.1:${server.port}` });
    expect(await api.call({ n: 1.5, e: 'a', d: '2026-01-01', l: [true, false], z: null })).toMatchObject({
      kind: 'done',
    });
    expect(server.requests[0]?.url).toBe('/x?n=1.5&e=a&d=2026-01-01&l=true&l=false');
    const bad = await api.call({ e: 'c', d: 'soon', l: ['x'], y: 1 });
    expect(bad).toMatchObject({
      error: {
        data: {
          problems: expect.arrayContaining([
            { field: '/n', keyword: 'required', message: 'is required', expected: undefined },
            expect.objectContaining({ field: '/e', keyword: 'enum', expected: ['a', 'b'] }),
            expect.objectContaining({ field: '/d', keyword: 'format', expected: 'date' }),
            expect.objectContaining({ field: '/l/0', keyword: 'type', expected: 'boolean' }),
            expect.objectContaining({ field: '/y', keyword: 'additionalProperties' }),
          ]),
        },
      },
    });
  });

  test('objects in a query are written out, and what allOf inherits is shown [S1.28]', async () => {
    const components = {
      schemas: {
        Base: { type: 'object', properties: { id: { type: 'integer' } } },
        Filter: {
          allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { name: { type: 'string' } } }],
        },
      },
    };
    const api = await loadedApi(
      oneOperation(
        { parameters: [{ name: 'filter', in: 'query', schema: { $ref: '#/components/schemas/Filter' } }] },
        { components },
      ),
      { baseUrl: `http://127.0.0.1:${server.port}` },
    );
    expect(api.tool().input.schema).toMatchObject({
      properties: { filter: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } } },
    });
    await api.call({ filter: { id: 1, name: 'a' } });
    expect(server.requests[0]?.url).toBe('/x?id=1&name=a');
  });
});
