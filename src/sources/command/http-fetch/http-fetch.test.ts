import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandBench, type Bench } from '../../../../test/support/commands.js';

let bench: Bench;
let server: Server;
let base = '';
const seen: { method: string | undefined; url: string | undefined; headers: object; body: string }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      const hop = /^\/hop(\d)$/.exec(request.url ?? '')?.[1];
      if (request.url === '/out')
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
      else if (hop !== undefined && hop !== '0') response.writeHead(302, { location: `/hop${Number(hop) - 1}` }).end();
      else if (request.url === '/binary') response.end(Buffer.from([0xff, 0xfe, 0]));
      else if (request.url === '/large') response.end('x'.repeat(1_100_000));
      else if (request.url === '/slow') response.writeHead(200).write('x');
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bench = commandBench({ httpFetch: { ports: 'any' } });
});
afterAll(async () => {
  await bench.source.close?.();
  server.closeAllConnections();
  server.close();
  await bench.close();
});

test('a request goes out as asked and the answer comes back as data [S0.72] [S0.49]', async () => {
  const outcome = await bench.ask('http_fetch', {
    url: `${base}/x`,
    method: 'POST',
    content_type: 'Application/JSON; charset=utf-8',
    headers: { 'x-a': 'b' },
    body: '{}',
  });
  expect(outcome).toMatchObject({
    kind: 'done',
    data: { status: 200, body: '{"ok":true}', body_encoding: 'text', json: { ok: true }, redirects: 0 },
  });
  expect(seen.at(-1)).toMatchObject({
    method: 'POST',
    url: '/x',
    body: '{}',
    headers: { 'x-a': 'b', 'content-type': 'Application/JSON; charset=utf-8' },
  });
});

test('redirects are followed only as far as asked', async () => {
  expect(await bench.ask('http_fetch', { url: `${base}/hop2` })).toMatchObject({ kind: 'done', data: { status: 302 } });
  expect(await bench.ask('http_fetch', { url: `${base}/hop2`, max_redirects: 2 })).toMatchObject({
    kind: 'done',
    data: { status: 200, redirects: 2 },
  });
  expect(await bench.ask('http_fetch', { url: `${base}/hop2`, max_redirects: 1 })).toMatchObject({
    kind: 'failed',
    error: { code: 'policy_denied' },
  });
});

test('a redirect out of the policy is refused', async () => {
  expect(await bench.ask('http_fetch', { url: `${base}/out`, max_redirects: 3 })).toMatchObject({
    kind: 'failed',
    error: { code: 'policy_denied', data: { reason: 'address' } },
  });
});

test('bytes that are no text come as base64, and too many are refused', async () => {
  expect(await bench.ask('http_fetch', { url: `${base}/binary` })).toMatchObject({
    data: { body: '//4A', body_encoding: 'base64' },
  });
  expect(await bench.ask('http_fetch', { url: `${base}/large` })).toMatchObject({ error: { code: 'output_limit' } });
});

test('an answer that never ends is a timeout', async () => {
  expect(await bench.ask('http_fetch', { url: `${base}/slow`, timeout_sec: 0.3 })).toMatchObject({
    kind: 'failed',
    error: { code: 'timeout' },
  });
});

test('a dry run vets and sends nothing', async () => {
  const before = seen.length;
  expect(await bench.ask('http_fetch', { url: `${base}/x`, dry_run: true })).toMatchObject({
    kind: 'done',
    data: { dry_run: true, request: { addresses: ['127.0.0.1'] } },
  });
  expect(seen).toHaveLength(before);
});

test.each([
  ['a public address', { url: 'http://8.8.8.8/' }],
  ['the metadata service', { url: 'http://169.254.169.254/' }],
  ['a disguised address', { url: 'http://0x08080808/' }],
  ['a name that leads to the metadata service', { url: 'http://rebound.lab.internal/' }],
  ['a name of which one address is public', { url: 'http://half.lab.internal/' }],
  ['another scheme', { url: 'file:///etc/passwd' }],
  ['gopher', { url: 'gopher://127.0.0.1/' }],
  ['credentials in the URL', { url: 'http://a:b@127.0.0.1/' }],
  ['no host', { url: 'http://' }],
  ['another method', { url: 'http://127.0.0.1/', method: 'CONNECT' }],
  ['a method in lower case', { url: 'http://127.0.0.1/', method: 'get' }],
  ['a content type outside the list', { url: 'http://127.0.0.1/', method: 'POST', content_type: 'application/x-sh' }],
  [
    'a content type smuggled into the headers',
    { url: 'http://127.0.0.1/', method: 'POST', headers: { 'Content-Type': 'x' } },
  ],
  ['a body with GET', { url: 'http://127.0.0.1/', body: 'x' }],
  ['too many redirects', { url: 'http://127.0.0.1/', max_redirects: 4 }],
  ['an unknown argument', { url: 'http://127.0.0.1/', output: '/tmp/x' }],
])('%s is refused before anything is sent [S0.49] [S0.50]', async (_, args) => {
  const before = seen.length;
  expect(await bench.ask('http_fetch', args)).toMatchObject({ kind: 'failed', error: { code: 'invalid_arguments' } });
  expect(seen).toHaveLength(before);
});

test('a header that would split the request is refused', async () => {
  expect(await bench.ask('http_fetch', { url: `${base}/x`, headers: { 'x-a': 'b\r\nevil: 1' } })).toMatchObject({
    kind: 'failed',
    error: { code: 'policy_denied', data: { reason: 'bad_header' } },
  });
});
