// The official server of the TypeScript SDK v2 with an echo tool; modern era.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { report } from '../mcp/servers/child.mjs';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool(
    'echo',
    { description: 'Returns the given text', inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  return server;
});
const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => report(server.address().port));
