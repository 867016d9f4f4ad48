// A server on the official SDK 2, over pipes; `--only-modern` refuses the older protocol.
import { Server, inputRequired, acceptedContent } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const tool = (name, properties = {}) => ({
  name,
  description: `The ${name} tool`,
  inputSchema: { type: 'object', properties },
});
serveStdio(
  () => {
    const server = new Server({ name: 'sdk2', version: '2.0.0' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler('tools/list', () => ({
      tools: [tool('add', { a: { type: 'number' }, b: { type: 'number' } }), tool('ask'), tool('steps')],
      ttlMs: 0,
      cacheScope: 'private',
    }));
    server.setRequestHandler('tools/call', async (request, ctx) => {
      const { name, arguments: args = {} } = request.params;
      if (name === 'add')
        return {
          content: [{ type: 'text', text: String(args.a + args.b) }],
          structuredContent: { sum: args.a + args.b },
        };
      if (name === 'steps') {
        const token = ctx.mcpReq._meta?.progressToken;
        if (token !== undefined)
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: token, progress: 1, total: 2 },
          });
        return { content: [{ type: 'text', text: 'stepped' }] };
      }
      const given = acceptedContent(ctx.mcpReq.inputResponses, 'colour');
      if (given) return { content: [{ type: 'text', text: JSON.stringify({ action: 'accept', content: given }) }] };
      return inputRequired({
        inputRequests: {
          colour: inputRequired.elicit({
            message: 'Colour?',
            requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
          }),
        },
      });
    });
    return server;
  },
  { legacy: process.argv.includes('--only-modern') ? 'reject' : 'serve' },
);
