// Minimal MCP over pipes: the baseline every gateway is measured against.
const tools = [
  {
    name: 'echo',
    description: 'Returns the given text',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
];
for (let at = 1; at < Number(process.argv[2] ?? 1); at += 1)
  tools.push({
    name: `tool_${at}`,
    description: `The tool ${at}, which returns the given text`,
    inputSchema: tools[0].inputSchema,
  });
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  // The fields beside the list and the content are those that clients of the modern revision require.
  'tools/list': () => ({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'public', tools }),
  'tools/call': ({ arguments: { text } }) => ({ resultType: 'complete', content: [{ type: 'text', text }] }),
  ping: () => ({}),
};
let rest = '';
process.stdin
  .setEncoding('utf8')
  .on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    let out = '';
    for (const line of lines) {
      if (line === '') continue;
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) continue;
      const result = results[method]?.(params ?? {});
      out += `${JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })}\n`;
    }
    if (out !== '') process.stdout.write(out);
  })
  .on('end', () => process.exit(0));
