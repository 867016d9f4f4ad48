import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localEgress } from '../../../../test/support/gates.js';
import { never } from '../../../../test/support/make.js';
import { aDocument, documentFile, loadedApi, oneOperation } from '../../../../test/support/openapi.js';
import { recordingServer, type RecordingServer } from '../../../../test/support/recording-server.js';
import { sharedPath } from '../../../../test/support/shared.js';
import { temporaryFolder } from '../../../../test/support/temporary.js';
import { schemaValidator } from '../../../lib/json/schema.js';
import { openApiSource } from '../source.js';
import type { OperationTool } from './operation-tool.js';

const folder = sharedPath('corpus/openapi-edge');
/** A document of the shared set where it is there, else our own of the same kind. */
const edge = (file: string, own: object | string): unknown =>
  folder === undefined ? own : readFileSync(join(folder, file), 'utf8');
const ok = { responses: { 200: { description: 'ok' } } };
const inFull = (tool: unknown): OperationTool => tool as OperationTool; // tools of this source know their whole schema

describe('hostile and odd documents', () => {
  test('a property named $ref is a property, and $ref in an example is data', async () => {
    const own = oneOperation(
      {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { $ref: { type: 'string' }, id: { type: 'integer' } },
                example: { $ref: 'http://169.254.169.254/' },
              },
            },
          },
        },
      },
      { method: 'post' },
    );
    for (const document of [edge('prop-named-ref.json', own), own]) {
      const { tools, source } = await loadedApi(document, { baseUrl: 'https://api.test' });
      expect(tools[0]?.input.schema).toMatchObject({
        properties: { body: { properties: { $ref: { type: 'string' } } } },
      });
      expect(source.withheld()).toEqual([]);
      expect(await tools[0]?.input.parse({ body: { $ref: 5 } })).toMatchObject({ ok: false });
    }
  });

  test('a reference to another host withholds the operation and sends nothing', async () => {
    const opened: string[] = [];
    const reach = () => {
      opened.push('reach');
      return localEgress();
    };
    const external = { $ref: 'http://169.254.169.254/latest/meta-data/iam#/x' };
    const own = aDocument(
      {
        '/parameter': { get: { parameters: [external], ...ok } },
        '/schema': { get: { parameters: [{ name: 'a', in: 'query', schema: external }], ...ok } },
        '/body': { post: { requestBody: external, ...ok } },
        '/inside': {
          post: {
            requestBody: {
              content: {
                'application/json': {
                  schema: { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } },
                },
              },
            },
            ...ok,
          },
        },
        '/item': { $ref: 'file:///etc/passwd' },
        '/fine': { get: ok },
      },
      { components: { schemas: { A: { items: { $ref: '../../../etc/passwd#/x' } } } } },
    );
    const theirs = await loadedApi(edge('ext-ref-metadata.json', own), {
      baseUrl: 'https://api.test',
      openEgress: reach,
    });
    expect(theirs.source.withheld()).toEqual(
      expect.arrayContaining([expect.objectContaining({ reason: 'external_ref_blocked' })]),
    );
    const api = await loadedApi(own, { baseUrl: 'https://api.test', openEgress: reach });
    expect(api.source.withheld().map(({ what, reason }) => `${what} ${reason}`)).toEqual([
      '* /item external_ref_blocked',
      'GET /parameter external_ref_blocked',
      'GET /schema external_ref_blocked',
      'POST /body external_ref_blocked',
      'POST /inside external_ref_blocked',
    ]);
    expect(api.tools.map(({ name }) => name)).toEqual(['get_fine']);
    expect(opened).toEqual([]);
  });

  test('a neighbour in the same folder is read when that is allowed; a link out of the folder is not', async () => {
    const home = temporaryFolder('openapi');
    writeFileSync(
      join(home, 'pets.yaml'),
      'Pet: {type: object, properties: {name: {type: string}, friend: {$ref: "#/Pet"}}}',
    );
    const secret = join(temporaryFolder('elsewhere'), 'secret.json');
    writeFileSync(secret, '{"a":{"type":"string"}}');
    symlinkSync(secret, join(home, 'link.json'));
    const body = (ref: string) => ({
      requestBody: { content: { 'application/json': { schema: { $ref: ref } } } },
      ...ok,
    });
    const document = join(home, 'api.json');
    writeFileSync(
      document,
      JSON.stringify(
        aDocument({
          '/a': { post: body('./pets.yaml#/Pet') },
          '/b': { post: body('link.json#/a') },
          '/c': { post: body('../x.json#/a') },
        }),
      ),
    );
    const closed = await loadedApi(undefined, { document, baseUrl: 'https://api.test' });
    expect(closed.tools).toEqual([]);
    const open = await loadedApi(undefined, { document, baseUrl: 'https://api.test', allowExternalRefs: true });
    expect(open.tools.map(({ name }) => name)).toEqual(['post_a']);
    expect(await open.tools[0]?.input.parse({ body: { friend: { friend: { name: 7 } } } })).toMatchObject({
      ok: false,
      problems: [{ field: '/body/friend/friend/name' }],
    });
    expect(open.source.withheld().map(({ reason }) => reason)).toEqual([
      'external_ref_blocked',
      'external_ref_blocked',
    ]);
  });

  test('schemas that lead to each other are listed, compiled and enforced at any depth', async () => {
    const components = {
      schemas: {
        A: {
          type: 'object',
          properties: {
            b: { $ref: '#/components/schemas/B' },
            kids: { type: 'array', items: { $ref: '#/components/schemas/A' } },
          },
        },
        B: { allOf: [{ $ref: '#/components/schemas/A' }, { type: 'object', properties: { x: { type: 'integer' } } }] },
        Self: { $ref: '#/components/schemas/Self' },
      },
    };
    const own = oneOperation(
      {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
        parameters: [{ name: 's', in: 'query', schema: { $ref: '#/components/schemas/Self' } }],
      },
      { method: 'post', components },
    );
    for (const document of [edge('mutual-cycle.json', own), own]) {
      const { tools } = await loadedApi(document, { baseUrl: 'https://api.test' });
      const tool = inFull(tools[0]);
      expect(() => JSON.stringify([tool.fullSchema(), tool.input.schema, tool.output?.schema])).not.toThrow();
      const nested = (x: unknown) => ({ body: { kids: [{ kids: [{ b: { kids: [{ b: { x } }] } }] }] } });
      expect(schemaValidator(tool.fullSchema())(nested(1))).toEqual([]);
      expect(schemaValidator(tool.fullSchema())(nested('one'))).not.toEqual([]);
      expect(schemaValidator(tool.input.schema)(nested(1))).toEqual([]);
    }
  });

  test('names are unique, short, safe, and the same when paths are reordered [S1.20]', async () => {
    const ids = [
      'getThing',
      'getThing',
      'get-thing',
      'get.thing',
      '取得',
      'x'.repeat(300),
      'GETTHING',
      'search',
      undefined,
    ];
    const own = aDocument(
      Object.fromEntries(
        ids.map((operationId, index) => [
          `/p${index}`,
          { get: { ...(operationId !== undefined && { operationId }), ...ok } },
        ]),
      ),
    );
    for (const document of [edge('dup-case-ids.json', own), own].map(
      (each) => (typeof each === 'string' ? JSON.parse(each) : each) as { paths: object },
    )) {
      const names = async (paths: object) =>
        Object.fromEntries(
          (await loadedApi({ ...document, paths }, { baseUrl: 'https://api.test' })).tools.map((tool) => [
            inFull(tool).operation.path,
            tool.name,
          ]),
        );
      const [one, other] = [
        await names(document.paths),
        await names(Object.fromEntries(Object.entries(document.paths).toReversed())),
      ];
      expect(other).toEqual(one);
      expect(Object.keys(one)).toHaveLength(Object.keys(document.paths).length);
      expect(new Set(Object.values(one).map((name) => name.toLowerCase())).size).toBe(Object.keys(one).length);
      for (const name of Object.values(one)) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }
  });

  test('patterns that cannot be run are dropped with a warning, and the tool stays', async () => {
    const own = oneOperation({
      parameters: ['\\p{Print}+', '^[a-z\\-\\:]+$', '(a+)+$'].map((pattern, index) => ({
        name: 'abc'[index],
        in: 'query',
        schema: { type: 'string', pattern },
      })),
    });
    for (const document of [edge('bad-regex.json', own), own]) {
      const { tools, source } = await loadedApi(document, { baseUrl: 'https://api.test' });
      expect(await tools[0]?.input.parse({ a: '?', b: 'a:b', c: `${'a'.repeat(40)}!` })).toMatchObject({ ok: true });
      expect(await tools[0]?.input.parse({ b: 'A' })).toMatchObject({ ok: false });
      expect(source.notes().map(({ reason }) => reason)).toEqual(
        expect.arrayContaining(['invalid_pattern', 'slow_pattern']),
      );
    }
  });

  const bomb = [
    'openapi: 3.0.3',
    'info: {title: b, version: "1"}',
    'x-a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghij'
      .split('')
      .map((letter, index) => `x-${letter}: &${letter} [${Array(9).fill(`*${'abcdefghij'[index]}`).join(',')}]`),
    'paths: {/s: {get: {operationId: g, responses: {"200": {description: ok}}}}}',
  ].join('\n');
  test.each([
    ['an alias bomb', () => edge('alias-bomb.yaml', bomb)],
    ['an alias bomb of our own', () => bomb],
    ['a value inside itself', () => 'openapi: 3.0.3\nx-a: &a [*a]\npaths: {}'],
    ['2,000 levels of YAML', () => `openapi: 3.1.0\npaths: {}\nx: ${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    [
      'more operations than anybody needs',
      () =>
        JSON.stringify(
          aDocument(Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`/${index}`, { get: {} }]))),
        ),
    ],
    [
      'a bomb of merge keys',
      () =>
        `openapi: 3.0.3\na: &a {${Array.from({ length: 2_000 }, (_, index) => `k${index}: 1`).join(', ')}}\npaths: {}\nx:\n${Array.from({ length: 500 }, (_, index) => `  m${index}: {<<: *a}`).join('\n')}`,
    ],
    ['a text that is no document', () => 'hello'],
    ['an empty file', () => ''],
    ['a list', () => '[1]'],
    ['an unknown version', () => '{"openapi":"4.0.0","paths":{}}'],
    ['broken JSON', () => '{"openapi":"3.1.0","paths":'],
    ['bytes that are not UTF-8', () => '\u{fffd}'],
  ])('%s is refused with a reason', async (_name, document) => {
    const source = openApiSource({ id: 'api', document: documentFile(document()), openEgress: () => localEgress() });
    await expect(source.list(never)).rejects.toThrow(/^the (document|text) /);
  });

  test('names that reach for prototypes find nothing', async () => {
    const document = `{"openapi":"3.1.0","info":{},"paths":{"__proto__":{"get":{}},"/a":{"get":{"operationId":"a","parameters":[{"$ref":"#/constructor"}]}},"/b":{"get":{"operationId":"b","parameters":[{"name":"__proto__","in":"query"}]}},
      "/c":{"post":{"operationId":"c","requestBody":{"content":{"application/json":{"schema":{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}}}}}}}}`;
    const { tools, source, call } = await loadedApi(document, { baseUrl: 'https://api.test' });
    expect(tools.map(({ name }) => name)).toEqual(['c']);
    expect(source.withheld().map(({ reason }) => reason)).toEqual(['unresolved_ref', 'unsafe_name']);
    expect(await call({ body: { constructor: 5 } }, 'c')).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(({} as Record<string, unknown>)['type']).toBeUndefined();
  });

  test('merge keys of YAML are applied, and response codes may be numbers', async () => {
    const document =
      'openapi: 3.0.3\nx-shared: &shared {in: query, schema: {type: string}}\npaths:\n  /x:\n    get:\n      operationId: op\n      parameters: [{<<: *shared, name: q}]\n      responses: {200: {description: ok, content: {application/json: {schema: {type: object, properties: {a: {type: integer}}}}}}}\n';
    const { tool } = await loadedApi(document, { baseUrl: 'https://api.test' });
    expect(tool()).toMatchObject({
      input: { schema: { properties: { q: { type: 'string' } } } },
      output: { schema: { type: 'object' } },
    });
  });

  test('a schema that is nothing but itself refuses calls and does no other harm', async () => {
    const components = {
      schemas: {
        A: { allOf: [{ $ref: '#/components/schemas/B' }] },
        B: { anyOf: [{ $ref: '#/components/schemas/A' }] },
      },
    };
    const { call, tool } = await loadedApi(
      oneOperation(
        { parameters: [{ name: 'q', in: 'query', schema: { $ref: '#/components/schemas/A' } }] },
        { components },
      ),
      { baseUrl: 'https://api.test' },
    );
    expect(JSON.stringify(tool().input.schema).length).toBeLessThan(1_000);
    expect(await call({ q: 'x' })).toMatchObject({ kind: 'failed', error: { code: 'invalid_arguments' } });
  });

  test('a schema nested as deep as a document may be is read, and what is too deep is not checked', async () => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < 90; level += 1) schema = { type: 'object', properties: { a: schema } };
    const { tools, source } = await loadedApi(
      oneOperation({ requestBody: { content: { 'application/json': { schema } } } }, { method: 'post' }),
      { baseUrl: 'https://api.test' },
    );
    expect(JSON.stringify(tools[0]?.input.schema).length).toBeLessThan(8_192);
    expect(await tools[0]?.input.parse({ body: { a: {} } })).toMatchObject({ ok: true });
    expect(source.notes().map(({ reason }) => reason)).toContain('deep_schema');
  });
});

describe('what OpenAPI 3.2 adds', () => {
  let server: RecordingServer;
  beforeAll(async () => {
    server = await recordingServer();
  });
  beforeEach(() => server.forget());
  afterAll(() => server.close());

  test('QUERY, further methods and whole query strings become tools', async () => {
    const own = aDocument({
      '/search': {
        query: {
          operationId: 'searchQ',
          requestBody: {
            content: { 'application/json': { schema: { type: 'object', properties: { q: { type: 'string' } } } } },
          },
          ...ok,
        },
        additionalOperations: { COPY: { operationId: 'copyIt', ...ok } },
        get: {
          operationId: 'qs',
          parameters: [
            {
              name: 'all',
              in: 'querystring',
              content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } },
            },
          ],
          ...ok,
        },
      },
    });
    const api = await loadedApi(edge('oas32.json', own), { baseUrl: `http://127.0.0.1:${server.port}/v1` });
    expect(api.tools.map(({ name }) => name)).toEqual(['copyIt', 'qs', 'searchQ']);
    expect(api.tool('searchQ').effects).toMatchObject({ writes: false, destroys: false, idempotent: true });
    await api.call({ body: { q: 'x' } }, 'searchQ');
    await api.call({}, 'copyIt');
    await api.call({ all: { a: 'b c', b: [1, 2] } }, 'qs');
    expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'QUERY /v1/search {"q":"x"}',
      'COPY /v1/search ',
      'GET /v1/search?a=b+c&b=1&b=2 ',
    ]);
  });
});
