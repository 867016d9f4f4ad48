// fastmcp from npm with an echo tool; sessions.
import { createServer } from 'node:net';
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
import { report } from '../mcp/servers/child.mjs';

const free = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const server = new FastMCP({ name: 'peer', version: '1.0.0' });
server.addTool({
  name: 'echo',
  description: 'Returns the given text',
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
});
await server.start({ transportType: 'httpStream', httpStream: { port: free, host: '127.0.0.1', endpoint: '/mcp' } });
report(free);
