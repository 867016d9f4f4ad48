// The official TypeScript client, version 2: `sdk2.mjs <auto|legacy|2026-07-28> <url | path of a stdio server>`.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [mode, where] = process.argv.slice(2);
const transport = where.startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(where), {
      requestInit: { headers: { Authorization: 'Bearer test-token-1' } },
    })
  : new StdioClientTransport({ command: process.execPath, args: [where, 'stdio'], stderr: 'inherit' });
const changes = [];
const versionNegotiation = { mode: mode === 'auto' || mode === 'legacy' ? mode : { pin: mode } };
const client = new Client(
  { name: 'sdk2', version: '1' },
  {
    versionNegotiation,
    capabilities: { elicitation: { form: {} } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes.push(1) } },
  },
);
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { ok: true } }));
await client.connect(transport);
const progress = [];
const words = (result) => result.content.map((part) => part.text).join();
const outcome = {
  era: client.getNegotiatedProtocolVersion(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  echo: words(await client.callTool({ name: 'echo', arguments: { text: 'héllo' } })),
  sum: (await client.callTool({ name: 'sum', arguments: { a: 1, b: 2 } })).structuredContent,
  steps: words(
    await client.callTool({ name: 'steps', arguments: {} }, { onprogress: (step) => progress.push(step.progress) }),
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
