// A small MCP server over stdio, without dependencies: one tool, and each kind of error in its place.
import { createInterface } from 'node:readline';

const cities = { Bonn: { temperature: 21.5, sky: 'clear' }, Oslo: { temperature: 9, sky: 'rain' } };
const tool = {
  name: 'get_weather',
  description: 'Returns the weather of a city today, for example get_weather(city="Bonn").',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city' } },
    required: ['city'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};
const fault = (code, message) => ({ error: { code, message } });

const methods = {
  initialize: ({ protocolVersion = '2025-06-18' }) => ({
    result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1.0.0' } },
  }),
  ping: () => ({ result: {} }),
  'tools/list': () => ({ result: { tools: [tool] } }),
  'tools/call': ({ name, arguments: args = {} }) => {
    // A wrong tool is a mistake of the client, a wrong argument one that the model can repair.
    if (name !== tool.name) return fault(-32602, `Unknown tool: ${String(name)}`);
    const text =
      typeof args.city !== 'string'
        ? 'city must be a string'
        : Object.hasOwn(cities, args.city)
          ? undefined
          : `Unknown city: ${args.city}. Known are ${Object.keys(cities).join(', ')}.`;
    if (text !== undefined) return { result: { content: [{ type: 'text', text }], isError: true } };
    const found = { city: args.city, ...cities[args.city] };
    return { result: { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found } };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return send({ id: null, ...fault(-32700, 'Parse error') });
  }
  if (message.id === undefined) return;
  const answer = methods[message.method]?.(message.params ?? {}) ?? fault(-32601, `Unknown method: ${message.method}`);
  send({ id: message.id, ...answer });
});
