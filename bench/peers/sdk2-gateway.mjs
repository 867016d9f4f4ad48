// The official SDK v2 as a gateway: its server in front, its client behind, nothing in between. `stdio` or `http <port>`.
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { place } from '../mcp/process.mjs';
import { report } from '../mcp/servers/child.mjs';

const [kind, port] = process.argv.slice(2);
const client = new Client({ name: 'gateway', version: '1' });
await client.connect(
  kind === 'http'
    ? new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`))
    : new StdioClientTransport({ command: process.execPath, args: [place('upstream/echo-stdio.mjs')] }),
);
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'gateway', version: '1' });
  server.registerTool(
    'echo',
    { description: 'Returns the given text', inputSchema: z.object({ text: z.string() }) },
    async (args) => ({ content: (await client.callTool({ name: 'echo', arguments: args })).content }),
  );
  return server;
});
const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => report(server.address().port));
