// The official server of the TypeScript SDK v1 with an echo tool; sessions.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { report } from '../mcp/servers/child.mjs';

const sessions = new Map();
const open = async () => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool(
    'echo',
    { description: 'Returns the given text', inputSchema: { text: z.string() } },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  await server.connect(transport);
  return transport;
};
const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', async () => {
    const transport = sessions.get(req.headers['mcp-session-id']) ?? (await open());
    await transport.handleRequest(req, res, JSON.parse(Buffer.concat(chunks).toString('utf8')));
  });
});
server.listen(0, '127.0.0.1', () => report(server.address().port));
