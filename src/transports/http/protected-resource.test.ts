import { afterEach, expect, test } from 'vitest';
import { protectedResourceRoutes } from './protected-resource.js';
import type { Resource } from './protected-resource.js';
import type { HttpDoor } from './edge/server.js';
import { httpDoor } from './edge/server.js';

const doors: HttpDoor[] = [];
afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.stop(AbortSignal.abort())));
});

const base = '/.well-known/oauth-protected-resource';

async function statusesOf(resource: () => Resource, paths: readonly string[]): Promise<number[]> {
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes: protectedResourceRoutes(base, [base, `${base}/mcp`, `${base}/mcp/p/{profile}`], resource),
    authenticator: { authenticate: () => expect.fail('metadata needs no credential') },
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 1_000,
    peerRatePerSecond: 0,
    maxConnections: 100,
    onFault: (error) => expect.fail(String(error)),
  });
  await door.start();
  doors.push(door);
  const url = `http://127.0.0.1:${door.address().port}`;
  return Promise.all(paths.map(async (path) => (await fetch(`${url}${base}${path}`)).status));
}

test('metadata is found under the local path and under the path of the public URL, also behind a path prefix', async () => {
  const resource = { metadata: { resource: 'https://gate.example/gate/mcp' }, path: '/gate/mcp' };
  const found = ['', '/mcp', '/mcp/p/dev', '/gate/mcp', '/gate/mcp/', '/gate/mcp/p/dev'];
  expect(await statusesOf(() => resource, found)).toEqual(found.map(() => 200));
  const unknown = ['/gate', '/gate/mcpx', '/gate/mcp/p/', '/gate/mcp/p/a/b', '/gate%2Fmcp', '/other'];
  expect(await statusesOf(() => resource, unknown)).toEqual(unknown.map(() => 404));
});

test('without an authorization server there is no metadata anywhere', async () => {
  expect(await statusesOf(() => ({}), ['', '/mcp', '/gate/mcp'])).toEqual([404, 404, 404]);
});
