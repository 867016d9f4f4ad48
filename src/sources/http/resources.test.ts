import { expect, test } from 'vitest';
import { aFunction, anEndpoint, aServer, aSource, json, toolOf } from '../../../test/support/functions.js';
import { aGateway } from '../../../test/support/gate.js';
import { ada, never } from '../../../test/support/make.js';

test.each([
  ['GET', { reads: true, writes: false, destroys: false, idempotent: true, openWorld: true }],
  ['POST', { writes: true, destroys: false, idempotent: false }],
  ['PUT', { writes: true, destroys: true, idempotent: true }],
  ['PATCH', { writes: true, destroys: true, idempotent: false }],
  ['DELETE', { writes: true, destroys: true, idempotent: true }],
] as const)('a %s declares what it may do [S2.25]', async (method, effects) => {
  const { source } = aSource({ tools: [anEndpoint({ baseUrl: 'http://localhost:1', method })] });
  expect((await toolOf(source, 'e')).effects).toMatchObject(effects);
});

test('for a function the worst case is assumed until the operator declares otherwise [S2.25]', async () => {
  const { source } = aSource({
    tools: [
      aFunction({ url: 'http://localhost:1', name: 'a' }),
      aFunction({ url: 'http://localhost:1', name: 'b', readOnly: true, labels: ['reads:private'] }),
      anEndpoint({ baseUrl: 'http://localhost:1', name: 'c', method: 'POST', destructive: true, idempotent: true }),
    ],
  });
  expect((await toolOf(source, 'a')).effects).toMatchObject({
    writes: true,
    destroys: true,
    idempotent: false,
    openWorld: true,
  });
  expect((await toolOf(source, 'b')).effects).toMatchObject({
    writes: false,
    destroys: false,
    idempotent: true,
    labels: ['network', 'egress', 'reads:private'],
  });
  expect((await toolOf(source, 'c')).effects).toMatchObject({ writes: true, destroys: true, idempotent: true });
});

test('a GET that asks for it is a resource too, read through the same guards [S2.25]', async () => {
  const server = await aServer(json({ up: true }));
  const { source } = aSource({
    id: 'api',
    tools: [
      anEndpoint({ baseUrl: server.url, name: 'status', path: '/status', resource: true }),
      anEndpoint({
        baseUrl: server.url,
        name: 'city',
        path: '/cities/{city}',
        resource: true,
        parameters: [
          { name: 'city', type: 'string', required: true },
          { name: 'days', type: 'integer', required: false },
        ],
      }),
    ],
  });
  const { gate, records } = await aGateway([source]);
  expect((await gate.resources({ principal: ada })).map(({ uri }) => uri)).toEqual(['toolgate://api/status']);
  expect((await gate.templates({ principal: ada })).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'toolgate://api/city/{city}{?days}',
  ]);
  const read = async (uri: string) => (await gate.read({ uri, principal: ada, via: 'rest', signal: never })).outcome;
  expect(await read('toolgate://api/status')).toMatchObject({
    kind: 'done',
    data: { contents: [{ uri: 'toolgate://api/status', mimeType: 'application/json', text: '{"up":true}' }] },
  });
  expect(await read('toolgate://api/city/Bad%20Ems?days=2')).toMatchObject({ kind: 'done' });
  expect(server.requests.map(({ url }) => url)).toEqual(['/status', '/cities/Bad%20Ems?days=2']);
  server.forget();
  for (const uri of [
    'toolgate://api/city/a/b',
    'toolgate://api/city',
    'toolgate://api/city/x?days=two',
    'toolgate://api/city/x?admin=1',
    'toolgate://api/status2',
    'toolgate://api/city/%zz',
  ]) {
    expect(await read(uri)).toMatchObject({ kind: 'failed', error: { code: 'not_found' } });
  }
  for (const uri of ['toolgate://api/city/..', 'toolgate://api/city/%2e%2e%2fadmin'])
    expect(await read(uri)).toMatchObject({ error: { code: 'invalid_arguments' } });
  expect(server.requests).toHaveLength(0);
  expect(records.length).toBeGreaterThanOrEqual(10);
});
