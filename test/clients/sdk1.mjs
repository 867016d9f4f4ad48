// The official TypeScript client, version 1: `sdk1.mjs <url | path of a stdio server>`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const where = process.argv[2];
const transport = where.startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(where), {
      requestInit: { headers: { Authorization: 'Bearer test-token-1' } },
    })
  : new StdioClientTransport({ command: process.execPath, args: [where, 'stdio'], stderr: 'inherit' });
const changes = [];
const client = new Client({ name: 'sdk1', version: '1' }, { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { ok: true } }));
client.setNotificationHandler(ToolListChangedNotificationSchema, () => changes.push(1));
await client.connect(transport);
const progress = [];
const words = (result) => result.content.map((part) => part.text).join();
const outcome = {
  era: transport.protocolVersion ?? '2025-11-25',
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  echo: words(await client.callTool({ name: 'echo', arguments: { text: 'héllo' } })),
  sum: (await client.callTool({ name: 'sum', arguments: { a: 1, b: 2 } })).structuredContent,
  steps: words(
    await client.callTool({ name: 'steps', arguments: {} }, undefined, {
      onprogress: (step) => progress.push(step.progress),
    }),
  ),
  ask: words(await client.callTool({ name: 'ask', arguments: {} })),
  fail: (await client.callTool({ name: 'fail', arguments: {} })).isError,
  unknown: await client.callTool({ name: 'nothing', arguments: {} }).then(
    () => 'found',
    (error) => error.code,
  ),
  prompt: (await client.getPrompt({ name: 'greet', arguments: { who: 'you' } })).messages[0].content.text,
  resource: (await client.readResource({ uri: 'test://a' })).contents[0].text,
};
await client.callTool({ name: 'change', arguments: {} });
for (let tries = 0; tries < 100 && changes.length === 0; tries += 1)
  await new Promise((resolve) => setTimeout(resolve, 20));
console.log(JSON.stringify({ ...outcome, progress: progress.slice(0, 2), changed: changes.length > 0 }));
await client.close();
process.exit(0);
