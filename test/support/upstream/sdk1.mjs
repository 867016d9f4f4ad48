// A server on the official SDK 1, over pipes.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'sdk1', version: '1.0.0' }, { capabilities: { logging: {} } });
server.registerTool(
  'add',
  { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);
server.registerTool('ask', { description: 'Asks for a colour', inputSchema: {} }, async () => {
  const answer = await server.server.elicitInput({
    message: 'Colour?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
  });
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
});
server.registerTool('steps', { description: 'Reports progress', inputSchema: {} }, async (_, extra) => {
  const token = extra._meta?.progressToken;
  if (token !== undefined)
    await extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken: token, progress: 1, total: 2 },
    });
  return { content: [{ type: 'text', text: 'stepped' }] };
});
server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
}));
server.registerResource('note', 'note://one', {}, async (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
await server.connect(new StdioServerTransport());
