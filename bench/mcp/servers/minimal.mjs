// As little MCP as answers a modern tools/call: no auth, no checks, no guards.
import { createServer } from 'node:http';
import { report } from './child.mjs';

const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const known =
      method === 'tools/call' &&
      params.name === 'echo' &&
      req.headers['mcp-method'] === method &&
      req.headers['mcp-name'] === params.name;
    const answer = known
      ? {
          jsonrpc: '2.0',
          id,
          result: { resultType: 'complete', content: [{ type: 'text', text: params.arguments.text }] },
        }
      : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    const text = JSON.stringify(answer);
    res.writeHead(known ? 200 : 404, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    res.end(text);
  });
});
server.listen(0, '127.0.0.1', () => report(server.address().port));
