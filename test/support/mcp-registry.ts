import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An MCP registry on this machine that lists these servers. */
export async function aRegistry(
  names: readonly string[],
): Promise<{ readonly url: string; asked(): readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '', 'http://x');
    asked.push(req.url ?? '');
    const servers = names.map((name) => ({
      server: { name, version: '1.0.0' },
      _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active' } },
    }));
    const wanted = /^\/v0\.1\/servers\/([^/]+)\/versions\/latest$/.exec(pathname)?.[1];
    if (wanted !== undefined) {
      const found = servers.find(({ server: { name } }) => name === decodeURIComponent(wanted));
      return void res
        .writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(found ?? { title: 'Not Found', status: 404 }));
    }
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ servers }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }; // an address, since it listens on one
}
