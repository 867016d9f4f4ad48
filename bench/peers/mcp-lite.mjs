// mcp-lite with an echo tool; node:http to Request and back as its own adapters do it.
import { createServer } from 'node:http';
import { McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { report } from '../mcp/servers/child.mjs';

const mcp = new McpServer({ name: 'peer', version: '1', schemaAdapter: (schema) => z.toJSONSchema(schema) });
mcp.tool('echo', {
  description: 'Returns the given text',
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
});
const handle = new StreamableHttpTransport().bind(mcp);
const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', async () => {
    const body = Buffer.concat(chunks);
    const answer = await handle(
      new Request(`http://${req.headers.host}${req.url}`, { method: 'POST', headers: req.headers, body }),
    );
    const text = await answer.text();
    res.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': Buffer.byteLength(text) });
    res.end(text);
  });
});
server.listen(0, '127.0.0.1', () => report(server.address().port));
