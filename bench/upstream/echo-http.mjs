// Minimal stateless MCP over HTTP: the baseline every gateway is measured against.
import { createServer } from 'node:http';
import { report } from '../mcp/servers/child.mjs';

const whole = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public', _meta: {} };
const results = {
  'server/discover': () => ({ ...whole, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
  'tools/list': () => ({
    ...whole,
    tools: [
      {
        name: 'echo',
        description: 'Returns the given text',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      },
    ],
  }),
  'tools/call': ({ arguments: { text } }) => ({ resultType: 'complete', content: [{ type: 'text', text }] }),
};
const server = createServer((req, res) => {
  const chunks = [];
  req
    .on('data', (chunk) => chunks.push(chunk))
    .on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const result = results[method]?.(params);
      const text = JSON.stringify(
        result
          ? { jsonrpc: '2.0', id, result }
          : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } },
      );
      res
        .writeHead(result ? 200 : 404, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        })
        .end(text);
    });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => report(server.address().port));
