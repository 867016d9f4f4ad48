import { expect, onTestFinished, test } from 'vitest';
import { localEgress } from '../../../../test/support/gates.js';
import { json, listener } from '../../../../test/support/upstream-http.js';
import { registryLookup } from './registry-lookup.js';

const listed = (name: string, status = 'active') => ({
  server: { name, version: '1.0.0' },
  _meta: { 'io.modelcontextprotocol.registry/official': { status } },
});

test('a name is looked up exactly, and the answer is kept [S2.28]', async () => {
  const far = await listener(({ req, res }) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://x');
    if (pathname === '/v0.1/servers/io.github.x%2Fweather/versions/latest')
      return json(res, listed('io.github.x/weather', 'deprecated'));
    if (pathname !== '/v0.1/servers') return void res.writeHead(404).end('{}');
    expect(searchParams.get('search')).toMatch(/^io\.github\.x\//);
    // The second page has the last name.
    return searchParams.has('cursor')
      ? json(res, { servers: [listed('io.github.x/far')], metadata: { count: 1 } })
      : json(res, { servers: [listed('io.github.x/weather-pro')], metadata: { count: 1, nextCursor: 'p 2' } });
  });
  const way = localEgress();
  onTestFinished(() => way.close());
  const look = registryLookup({ url: far.url.replace('/mcp', ''), egress: way });
  expect(await look('io.github.x/weather')).toEqual({ verdict: 'listed', status: 'deprecated', versions: ['1.0.0'] });
  expect(await look('io.github.x/weather')).toMatchObject({ verdict: 'listed' });
  expect(far.requests.length).toBe(1);
  expect(await look('io.github.x/weath')).toEqual({ verdict: 'not listed' });
  expect(await look('io.github.x/far')).toMatchObject({ verdict: 'listed', status: 'active' });
  expect(far.requests.length).toBe(7);
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
