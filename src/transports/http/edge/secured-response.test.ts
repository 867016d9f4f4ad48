import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { aTool } from '../../../../test/support/make.js';
import { aDoor, envelope, modernVersion, sourceOf } from '../../../../test/support/mcp.js';

const listen = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: { _meta: envelope(), notifications: { toolsListChanged: true } },
});
const modern = `mcp-protocol-version: ${modernVersion}\r\nmcp-method: subscriptions/listen\r\n`;
const post = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ada-token\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;

test.each([
  ['an MCP result', post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}'), 400],
  ['an MCP parse error', post('/mcp', '{'), 400],
  ['an event stream', post('/mcp', listen, `${modern}accept: text/event-stream, application/json\r\n`), 200],
  [
    'the stream of the old pair',
    'GET /sse HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ada-token\r\n\r\n',
    200,
  ],
  [
    'a refused method',
    'GET /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ada-token\r\naccept: text/event-stream\r\n\r\n',
    405,
  ],
  ['a request without a credential', 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n', 401],
  ['an unknown path', 'GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n', 404],
  ['a foreign host', 'GET /mcp HTTP/1.1\r\nhost: evil.example\r\n\r\n', 403],
  ['no host', 'GET /mcp HTTP/1.1\r\n\r\n', 400],
  ['two hosts', 'GET /mcp HTTP/1.1\r\nhost: localhost\r\nHost: localhost\r\n\r\n', 400],
  ['a preflight', 'OPTIONS /mcp HTTP/1.1\r\nhost: localhost\r\norigin: https://app.example\r\n\r\n', 204],
  ['an expectation that nothing meets', 'GET /mcp HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\n\r\n', 417],
  ['a request that is not HTTP', 'GARBAGE\r\n\r\n', 400],
  ['a header that never ends', `GET /mcp HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(40_000)}`, 431],
])('%s has the security headers', async (_what, request, status) => {
  const { port } = await aDoor([sourceOf([aTool()])], { http: { corsOrigins: ['https://app.example'] } });
  const head = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        if (!text.includes('\r\n\r\n')) return;
        socket.destroy();
        resolve(text.slice(0, text.indexOf('\r\n\r\n')).toLowerCase());
      })
      .on('error', reject)
      .on('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  });
  expect(head.split('\r\n')[0]).toContain(String(status));
  expect(head).toMatch(/cache-control: no-store/);
  for (const line of ['x-content-type-options: nosniff', 'x-frame-options: deny', 'referrer-policy: no-referrer'])
    expect(head).toContain(line);
});
