import { expect, onTestFinished, test } from 'vitest';
import { localEgress } from '../../../../test/support/gates.js';
import { json, listener } from '../../../../test/support/upstream-http.js';
import { registryLookup } from './registry-lookup.js';

const listed = (name: string, status = 'active') => ({
  server: { name, version: '1.0.0' },
  _meta: { 'io.modelcontextprotocol.registry/official': { status } },
});

test('a name is looked up exactly, and the answer is kept [S2.28]', async () => {
  const far = await listener(({ res }) =>
    json(res, {
      servers: [listed('io.github.x/weather-pro'), listed('io.github.x/weather', 'deprecated')],
      metadata: { count: 2 },
    }),
  );
  const way = localEgress();
  onTestFinished(() => way.close());
  const look = registryLookup({ url: far.url.replace('/mcp', ''), egress: way });
  expect(await look('io.github.x/weather')).toEqual({ verdict: 'listed', status: 'deprecated', versions: ['1.0.0'] });
  expect(await look('io.github.x/weather')).toMatchObject({ verdict: 'listed' });
  expect(await look('io.github.x/weath')).toEqual({ verdict: 'not listed' });
  expect(far.requests.length).toBe(2);
});

test.each([
  ['is broken', 500, 'the registry answered with status 500'],
  ['says something else', 200, 'the registry answered with invalid JSON'],
])('a registry that %s hinders nothing', async (_, status, why) => {
  const far = await listener(({ res }) => void res.writeHead(status).end('<html>'));
  const way = localEgress();
  onTestFinished(() => way.close());
  expect(await registryLookup({ url: far.url.replace('/mcp', ''), egress: way })('x')).toEqual({
    verdict: 'unknown',
    why,
  });
});
