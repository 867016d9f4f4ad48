// A local MCP server of 2025 with state, for the scenarios: it counts, asks its client, and answers with large results.
import { createInterface } from 'node:readline';

let calls = 0;
let asked = 0;
const waiting = new Map();
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const ask = (params) =>
  new Promise((resolve) => {
    asked += 1;
    waiting.set(`q${asked}`, resolve);
    send({ id: `q${asked}`, method: 'elicitation/create', params });
  });

const tools = {
  count: () => text((calls += 1)),
  calls: () => text(calls),
  echo: ({ text: given }) => text(given),
  read_private: () => text('a private text'),
  send_out: () => text('sent'),
  big: () => text('large '.repeat(20_000)),
  async ask() {
    const answer = await ask({
      message: 'Which colour?',
      requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
    });
    return text(JSON.stringify(answer));
  },
};
const listed = Object.keys(tools).map((name) => ({
  name,
  description: `The ${name} tool`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' }, round: { type: 'integer' } } },
}));
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'fleet', version: '1' },
  }),
  'tools/list': () => ({ tools: listed }),
  'tools/call': ({ name, arguments: args = {} }) => tools[name](args),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params = {}, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result);
  if (id === undefined) return;
  const run = methods[method];
  if (run === undefined) return send({ id, error: { code: -32601, message: 'unknown method' } });
  send({ id, result: await run(params) });
});
