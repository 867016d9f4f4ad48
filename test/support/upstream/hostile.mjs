// An upstream server whose every text tries to break out of the page that shows it.
import { createInterface } from 'node:readline';

const markup = '<img src=x onerror="alert(1)"><script>alert(2)</script><svg onload=alert(3)>"\'`--></style>';
const bidi = 'safe\u202Egnp.exe\u2066\u200B\u00AD\uFEFF';
const ansi = '\u001b[31mred\u001b[0m\u001b]8;;https://evil.example\u0007link\u0007\u009b2J';
const hostile = `${markup} ${bidi} ${ansi} javascript:alert(4) {{7*7}} \${7*7} __proto__ [x](javascript:alert(5))`;
const long = `${'A'.repeat(1_000_000)}${markup}`;

const schema = {
  type: 'object',
  title: hostile,
  properties: {
    text: { type: 'string', description: hostile, default: markup },
    [markup]: { type: 'string', title: hostile },
    [`hidden${bidi}`]: { enum: [markup, bidi, 1] },
    constructor: { type: 'object', properties: { prototype: { type: 'string' } } },
    nested: { anyOf: [{ title: markup, type: 'string' }, { $ref: '#/$defs/loop' }] },
    size: { type: 'integer' },
  },
  $defs: { loop: { type: 'object', title: hostile, properties: { again: { $ref: '#/$defs/loop' } } } },
};
Object.defineProperty(schema.properties, '__proto__', {
  value: { type: 'string', description: hostile },
  enumerable: true,
});

const tools = [
  { name: 'shout', title: hostile, description: hostile, inputSchema: schema },
  { name: 'flood', description: `${'B'.repeat(5_000)} ${markup}`, inputSchema: { type: 'object', properties: {} } },
  { name: '__proto__', description: hostile, inputSchema: { type: 'object', properties: {} } },
  { name: markup, description: hostile, inputSchema: { type: 'object', properties: {} } },
  { name: `shout${bidi}`, description: hostile, inputSchema: { type: 'object', properties: {} } },
];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
process.stderr.write(`${hostile}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: markup, version: bidi },
        instructions: hostile,
      },
    });
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call')
    send({
      id,
      result: {
        content: [{ type: 'text', text: params.name === 'flood' ? long : hostile }],
        ...(params.name === 'flood' && { isError: true }),
      },
    });
  else send({ id, error: { code: -32601, message: hostile } });
});
