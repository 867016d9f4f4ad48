import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadedApi, oneOperation } from '../../../../test/support/openapi.js';
import { recordingServer, type RecordingServer } from '../../../../test/support/recording-server.js';
import { sharedPath } from '../../../../test/support/shared.js';

interface WireCase {
  readonly id: string;
  readonly path: string;
  readonly parameters: readonly object[];
  readonly args: object;
  /** The target, `H:name=value`, `C:value`, `C:no-injection` or `REJECT`. */
  readonly expect: string;
}

const shared = sharedPath('corpus/openapi-edge/wire-cases.json');
const given = shared === undefined ? [] : (JSON.parse(readFileSync(shared, 'utf8')) as readonly WireCase[]);

const text = { type: 'string' };
const list = { type: 'array', items: { type: 'string' } };
const object = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };
const inPath = (schema: object, rest: object = {}) => ({
  path: '/x/{p}',
  parameters: [{ name: 'p', in: 'path', required: true, schema, ...rest }],
});
const inQuery = (schema: object, rest: object = {}) => ({
  path: '/x',
  parameters: [{ name: 'q', in: 'query', schema, ...rest }],
});

const ours: readonly WireCase[] = [
  { id: 'path, a slash and a space', ...inPath(text), args: { p: 'a b/c' }, expect: '/x/a%20b%2Fc' },
  {
    id: 'path, reserved characters',
    ...inPath(text),
    args: { p: "a?b#c;d=e&f'(*)!" },
    expect: '/x/a%3Fb%23c%3Bd%3De%26f%27%28%2A%29%21',
  },
  { id: 'path, a percent sign', ...inPath(text), args: { p: '100%25' }, expect: '/x/100%2525' },
  { id: 'path, beyond ASCII', ...inPath(text), args: { p: 'é😀' }, expect: '/x/%C3%A9%F0%9F%98%80' },
  { id: 'path, half a character', ...inPath(text), args: { p: '\ud800' }, expect: '/x/%EF%BF%BD' },
  { id: 'path, array', ...inPath(list), args: { p: ['a,b', 'c'] }, expect: '/x/a%2Cb,c' },
  { id: 'path, object', ...inPath(object), args: { p: { a: 1, b: 'z' } }, expect: '/x/a,1,b,z' },
  {
    id: 'path, object exploded',
    ...inPath(object, { explode: true }),
    args: { p: { a: 1, b: 'z' } },
    expect: '/x/a=1,b=z',
  },
  { id: 'label', ...inPath(text, { style: 'label' }), args: { p: 'a.b' }, expect: '/x/.a.b' },
  { id: 'label, array', ...inPath(list, { style: 'label' }), args: { p: ['a', 'b'] }, expect: '/x/.a,b' },
  {
    id: 'label, array exploded',
    ...inPath(list, { style: 'label', explode: true }),
    args: { p: ['a', 'b'] },
    expect: '/x/.a.b',
  },
  {
    id: 'label, object exploded',
    ...inPath(object, { style: 'label', explode: true }),
    args: { p: { a: 1, b: 'z' } },
    expect: '/x/.a=1.b=z',
  },
  { id: 'matrix', ...inPath(text, { style: 'matrix' }), args: { p: 'a' }, expect: '/x/;p=a' },
  { id: 'matrix, array', ...inPath(list, { style: 'matrix' }), args: { p: ['a', 'b'] }, expect: '/x/;p=a,b' },
  {
    id: 'matrix, array exploded',
    ...inPath(list, { style: 'matrix', explode: true }),
    args: { p: ['a', 'b'] },
    expect: '/x/;p=a;p=b',
  },
  {
    id: 'matrix, object exploded',
    ...inPath(object, { style: 'matrix', explode: true }),
    args: { p: { a: 1, b: 'z' } },
    expect: '/x/;a=1;b=z',
  },
  {
    id: 'path, JSON content',
    path: '/x/{p}',
    parameters: [{ name: 'p', in: 'path', required: true, content: { 'application/json': { schema: object } } }],
    args: { p: { a: 1 } },
    expect: '/x/%7B%22a%22%3A1%7D',
  },
  { id: 'query, text', ...inQuery(text), args: { q: 'a&b=c d+e' }, expect: '/x?q=a%26b%3Dc%20d%2Be' },
  { id: 'query, array', ...inQuery(list), args: { q: ['a', 'b'] }, expect: '/x?q=a&q=b' },
  { id: 'query, empty array', ...inQuery(list), args: { q: [] }, expect: '/x' },
  {
    id: 'query, array in one',
    ...inQuery(list, { explode: false }),
    args: { q: ['a', 'b,c'] },
    expect: '/x?q=a,b%2Cc',
  },
  { id: 'query, object', ...inQuery(object), args: { q: { a: 1, b: 'z' } }, expect: '/x?a=1&b=z' },
  {
    id: 'query, object in one',
    ...inQuery(object, { explode: false }),
    args: { q: { a: 1, b: 'z' } },
    expect: '/x?q=a,1,b,z',
  },
  {
    id: 'query, spaces',
    ...inQuery(list, { style: 'spaceDelimited', explode: false }),
    args: { q: ['a', 'b'] },
    expect: '/x?q=a%20b',
  },
  {
    id: 'query, pipes',
    ...inQuery(list, { style: 'pipeDelimited', explode: false }),
    args: { q: ['a', 'b'] },
    expect: '/x?q=a%7Cb',
  },
  {
    id: 'query, deep object',
    ...inQuery(object, { style: 'deepObject' }),
    args: { q: { a: 1, b: 'z' } },
    expect: '/x?q%5Ba%5D=1&q%5Bb%5D=z',
  },
  {
    id: 'query, deeper object',
    ...inQuery({ type: 'object' }, { style: 'deepObject' }),
    args: { q: { a: { b: ['c', 'd'] } } },
    expect: '/x?q%5Ba%5D%5Bb%5D%5B0%5D=c&q%5Ba%5D%5Bb%5D%5B1%5D=d',
  },
  {
    id: 'query, reserved allowed, but no second parameter and no fragment',
    ...inQuery(text, { allowReserved: true }),
    args: { q: 'a/b:c?d&admin=1#e' },
    expect: '/x?q=a/b:c?d%26admin=1%23e',
  },
  {
    id: 'query, JSON content',
    path: '/x',
    parameters: [{ name: 'q', in: 'query', content: { 'application/json': { schema: object } } }],
    args: { q: { a: 1 } },
    expect: '/x?q=%7B%22a%22%3A1%7D',
  },
  {
    id: 'query, false and zero are values',
    path: '/x',
    parameters: [
      { name: 'b', in: 'query', schema: { type: 'boolean' } },
      { name: 'n', in: 'query', schema: { type: 'number' } },
    ],
    args: { b: false, n: 0 },
    expect: '/x?b=false&n=0',
  },
  {
    id: 'query, a name that no client would take',
    path: '/x',
    parameters: [{ name: 'filter[name]', in: 'query', schema: text }],
    args: { filter_name: 'a' },
    expect: '/x?filter%5Bname%5D=a',
  },
  {
    id: 'query, a parameter by its own name',
    path: '/x',
    parameters: [{ name: 'filter[name]', in: 'query', schema: text }],
    args: { 'filter[name]': 'a' },
    expect: '/x?filter%5Bname%5D=a',
  },
  {
    id: 'the whole query',
    path: '/x',
    parameters: [
      {
        name: 'all',
        in: 'querystring',
        content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } },
      },
    ],
    args: { all: { a: 'b c', d: [1, 2] } },
    expect: '/x?a=b+c&d=1&d=2',
  },
  {
    id: 'header, array',
    path: '/x',
    parameters: [{ name: 'X-A', in: 'header', schema: list }],
    args: { 'X-A': ['a', 'b'] },
    expect: 'H:x-a=a,b',
  },
  {
    id: 'header, object exploded',
    path: '/x',
    parameters: [{ name: 'X-A', in: 'header', explode: true, schema: object }],
    args: { 'X-A': { a: 1, b: 'z' } },
    expect: 'H:x-a=a=1,b=z',
  },
  {
    id: 'header, line end',
    path: '/x',
    parameters: [{ name: 'X-A', in: 'header', schema: text }],
    args: { 'X-A': 'a\r\nx-admin: 1' },
    expect: 'REJECT',
  },
  {
    id: 'cookie',
    path: '/x',
    parameters: [{ name: 'c', in: 'cookie', schema: text }],
    args: { c: 'a; admin=1' },
    expect: 'C:c=a%3B%20admin%3D1',
  },
  {
    id: 'cookie, array',
    path: '/x',
    parameters: [{ name: 'c', in: 'cookie', explode: false, schema: list }],
    args: { c: ['a', 'b;c'] },
    expect: 'C:c=a,b%3Bc',
  },
  {
    id: 'cookie as it is',
    path: '/x',
    parameters: [{ name: 'c', in: 'cookie', style: 'cookie', schema: text }],
    args: { c: 'a=b' },
    expect: 'C:c=a=b',
  },
  {
    id: 'cookie as it is, with a second',
    path: '/x',
    parameters: [{ name: 'c', in: 'cookie', style: 'cookie', schema: text }],
    args: { c: 'a; admin=1' },
    expect: 'REJECT',
  },
  ...[
    '.',
    '..',
    '',
    '../admin',
    '..\\admin',
    'a/../../admin',
    './a',
    '%2e%2e',
    '..%2fadmin',
    '%252e%252e%252fadmin',
  ].map((p) => ({ id: `path value ${JSON.stringify(p)}`, ...inPath(text), args: { p }, expect: 'REJECT' })),
  ...[{}, { type: ['string', 'null'] }].map((schema) => ({
    id: `path value null under ${JSON.stringify(schema)}`,
    ...inPath(schema),
    args: { p: null },
    expect: 'REJECT',
  })),
  {
    id: 'null beside a fixed text',
    path: '/x/{p}.json',
    parameters: [{ name: 'p', in: 'path', required: true, schema: {} }],
    args: { p: null },
    expect: 'REJECT',
  },
  {
    id: 'null for an optional part of a route',
    path: '/x/{id?}',
    parameters: [{ name: 'id?', in: 'path', schema: {} }],
    args: { id: null },
    expect: '/x',
  },
  {
    id: 'an object written out over another parameter',
    path: '/x',
    parameters: [
      { name: 'q', in: 'query', schema: { type: 'object' } },
      { name: 'account', in: 'query', schema: { const: 'a' } },
    ],
    args: { q: { account: 'b' } },
    expect: 'REJECT',
  },
  { id: 'label that becomes the parent', ...inPath(text, { style: 'label' }), args: { p: '.' }, expect: 'REJECT' },
  {
    id: 'two values that become the parent',
    path: '/x/{p}{r}/y',
    parameters: [
      { name: 'p', in: 'path', required: true, schema: text },
      { name: 'r', in: 'path', required: true, schema: text },
    ],
    args: { p: '.', r: '.' },
    expect: 'REJECT',
  },
  { id: 'an array that becomes the parent', ...inPath(list), args: { p: ['..'] }, expect: 'REJECT' },
  {
    id: 'an optional part of a route',
    path: '/x/{id?}',
    parameters: [{ name: 'id?', in: 'path', schema: text }],
    args: {},
    expect: '/x',
  },
  {
    id: 'an optional part of a route, given [S1.28]',
    path: '/x/{id?}',
    parameters: [{ name: 'id?', in: 'path', schema: text }],
    args: { id: '7' },
    expect: '/x/7',
  },
  {
    id: 'a query in the path',
    path: '/x?action=List&v={v}#one',
    parameters: [
      { name: 'v', in: 'path', required: true, schema: text },
      { name: 'q', in: 'query', schema: text },
    ],
    args: { v: 'a&b', q: 'c' },
    expect: '/x?action=List&v=a%26b&q=c',
  },
];

describe('arguments on the wire', () => {
  let server: RecordingServer;
  beforeAll(async () => {
    server = await recordingServer();
  });
  beforeEach(() => server.forget());
  afterAll(() => server.close());

  test.each([...ours, ...given])('$id → $expect', async ({ path, parameters, args, expect: wanted }) => {
    const api = await loadedApi(oneOperation({ parameters }, { path }), {
      baseUrl: `http://127.0.0.1:${server.port}/base`,
    });
    const outcome = await api.call(args);
    if (wanted === 'REJECT') {
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'invalid_arguments' } });
      expect(server.requests).toEqual([]);
      return;
    }
    expect(outcome.kind).toBe('done');
    const [sent] = server.requests;
    const [place, rest] = [wanted.slice(0, 2), wanted.slice(2)];
    if (place === 'H:') expect(`${rest.split('=')[0]}=${sent?.headers[rest.split('=')[0] ?? '']}`).toBe(rest);
    else if (rest === 'no-injection') expect(sent?.headers.cookie?.split(';')).toHaveLength(1);
    else if (place === 'C:') expect(sent?.headers.cookie).toBe(rest);
    else expect(sent?.url).toBe(`/base${wanted}`);
    await api.source.close?.();
  });
});
