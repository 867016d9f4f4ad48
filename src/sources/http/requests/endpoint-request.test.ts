import { expect, test } from 'vitest';
import { anEndpoint, aServer, aSource, called, json, toolOf } from '../../../../test/support/functions.js';
import type { PlacedParameter } from '../declarations.js';
import { endpointRequest } from './endpoint-request.js';

const text = (name: string, over: Partial<PlacedParameter> = {}): PlacedParameter => ({
  name,
  type: 'string',
  required: false,
  ...over,
});
const shown = (
  planned: ReturnType<ReturnType<typeof endpointRequest>>,
): {
  readonly url?: string;
  readonly body?: string | undefined;
  readonly headers?: object;
  readonly message?: string;
} =>
  planned.ok
    ? { url: planned.request.url.href, body: planned.request.body, headers: planned.request.headers }
    : planned;

test('arguments go into path, query and headers; fixed values stay', () => {
  const plan = endpointRequest(
    anEndpoint({
      baseUrl: 'https://api.example/v1/',
      path: '/cities/{city}/weather',
      query: { key: { value: 's3cr&t', masked: '$KEY' } },
      parameters: [
        text('city'),
        text('days'),
        text('tags', { type: 'array' }),
        text('trace', { in: 'header', as: 'X-Trace' }),
        text('lang', { as: 'hl' }),
      ],
    }),
  );
  expect(shown(plan({ city: 'Bad Ems', days: 2, tags: ['a', 'b&c'], trace: 't1', lang: 'de' }))).toMatchObject({
    url: 'https://api.example/v1/cities/Bad%20Ems/weather?key=s3cr%26t&days=2&tags=a&tags=b%26c&hl=de',
    body: undefined,
    headers: { 'X-Trace': 't1' },
  });
});

test('a body is what is left over, or a template whose places take arguments of any type', () => {
  const loose = endpointRequest(
    anEndpoint({ baseUrl: 'http://a/', method: 'POST', parameters: [text('x'), text('n', { type: 'integer' })] }),
  );
  expect(shown(loose({ x: 'y', n: 1 }))).toMatchObject({
    body: '{"x":"y","n":1}',
    headers: { 'content-type': 'application/json' },
  });
  const mapped = endpointRequest(
    anEndpoint({
      baseUrl: 'http://a/',
      method: 'POST',
      body: { user: { name: '{x}', tags: ['fixed', '{t}'] }, n: '{n}', note: 'a {x} in a text stays' },
      parameters: [text('x'), text('t'), text('n')],
    }),
  );
  expect(JSON.parse(String(shown(mapped({ x: '{n}', n: 5 })).body))).toEqual({
    user: { name: '{n}', tags: ['fixed'] },
    n: 5,
    note: 'a {x} in a text stays',
  });
  const form = endpointRequest(
    anEndpoint({
      baseUrl: 'http://a/',
      method: 'POST',
      bodyType: 'form',
      parameters: [text('x'), text('list', { type: 'array' })],
    }),
  );
  expect(shown(form({ x: 'a=b&c', list: [1, 2] }))).toMatchObject({
    body: 'x=a%3Db%26c&list=1&list=2',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const whole = endpointRequest(
    anEndpoint({ baseUrl: 'http://a/', method: 'POST', bodyType: 'text', body: '{x}', parameters: [text('x')] }),
  );
  expect(shown(whole({ x: 'plain' }))).toMatchObject({ body: 'plain' });
});

test.each(['a\r\nX-Admin: 1', 'a\nb', 'a\0b', 'ü'])('%j cannot stand in a header', (value) => {
  const plan = endpointRequest(
    anEndpoint({ baseUrl: 'http://a/', parameters: [text('trace', { in: 'header', as: 'X-Trace' })] }),
  );
  expect(plan({ trace: value })).toMatchObject({ ok: false });
});

test('a request cannot leave its base path [CVE-2026-32871]', async () => {
  const server = await aServer(json({}));
  const { source } = aSource({
    tools: [anEndpoint({ baseUrl: `${server.url}v1`, path: '/files/{name}', parameters: [text('name')] })],
  });
  const tool = await toolOf(source, 'e');
  for (const name of ['..', '../../admin', '%2e%2e/admin', '..%5cadmin'])
    expect(await called(tool, { name })).toMatchObject({ error: { code: 'invalid_arguments' } });
  expect(server.requests).toHaveLength(0);
  await called(tool, { name: '@evil.example/x' });
  expect(server.requests[0]?.url).toBe('/v1/files/%40evil.example%2Fx');
});

test('a JSON pointer selects what is the output, and what it does not find is an error', async () => {
  const server = await aServer(json({ data: { items: [{ 'a/b': 1 }] } }));
  const outputOf = async (select: string) => {
    const { source } = aSource({ tools: [anEndpoint({ baseUrl: server.url, select })] });
    const outcome = await called(await toolOf(source, 'e'));
    return outcome.kind === 'done' ? outcome.data : outcome.kind === 'failed' ? outcome.error.message : undefined;
  };
  expect(await outputOf('/data/items/0/a~1b')).toMatchObject({ output: 1 });
  expect(await outputOf('')).toMatchObject({ output: { data: {} } });
  for (const nowhere of ['/data/none', '/data/items/1', '/data/items/-', '/data/constructor', '/data/items/length'])
    expect(await outputOf(nowhere)).toBe(`The response has no value at ${nowhere}`);
});
