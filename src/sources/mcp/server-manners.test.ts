import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { served } from '../../../test/support/mcp.js';
import { aPlugin, serverFile } from '../../../test/support/upstream.js';
import type { Admit } from './source.js';

const file = join(dirname(serverFile), 'manners.mjs');
const admitAll: Admit = (_items, { instructions }) => Promise.resolve({ rejected: new Map(), instructions });

async function aGate(admit: Admit = admitAll) {
  const source = aPlugin({
    plugin: { command: () => Promise.resolve({ program: process.execPath, args: [file] }) },
    source: { admit },
  });
  const gate = await served([source]);
  onTestFinished(() => gate.close());
  return gate;
}

/** The official client of 2025-11-25, with these roots. */
async function aClient(gate: Awaited<ReturnType<typeof aGate>>, roots: { uri: string }[] = []) {
  const client = new Client(
    { name: 'sdk1', version: '1' },
    { capabilities: { roots: { listChanged: true }, tasks: { requests: {} } } },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  const transport = new StreamableHTTPClientTransport(new URL(gate.url), {
    requestInit: { headers: { Authorization: 'Bearer ada-token' } },
  });
  // The SDK's own transport does not fit its own interface under exact optional properties.
  await client.connect(transport as Transport);
  onTestFinished(() => client.close());
  const textOf = (result: object): string => {
    const { content } = CallToolResultSchema.parse(result);
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  const call = async (name: string): Promise<string> =>
    textOf(await client.callTool({ name: `fix__${name}`, arguments: {} }));
  return { client, call, textOf };
}

test('instructions of an admitted server follow those of the gate, quoted', async () => {
  const { client } = await aClient(await aGate());
  const lines = (client.getInstructions() ?? '').split('\n');
  expect(lines).toContain('| Call where before anything else.');
  expect(lines).toContain('| Then call slowly.');
});

test('instructions that admission withheld are not forwarded', async () => {
  const gate = await aGate(() => Promise.resolve({ rejected: new Map() }));
  const { client } = await aClient(gate);
  expect(client.getInstructions() ?? '').not.toContain('Call where');
});

test('a modern client gets them too, and no shared cache may keep them', async () => {
  const gate = await aGate();
  const { json } = await gate.modern('server/discover', {});
  expect(json.result).toMatchObject({ cacheScope: 'private' });
  expect(json.result.instructions).toContain('| Call where before anything else.');
});

test('a server that asked for roots at its start gets those of the client, and the new ones after a change', async () => {
  const roots = [{ uri: 'file:///a' }];
  const { client, call } = await aClient(await aGate(), roots);
  expect(JSON.parse(await call('where'))).toEqual({ asked: 2, roots: ['file:///a'] });
  expect(JSON.parse(await call('where'))).toEqual({ asked: 2, roots: ['file:///a'] });
  roots.push({ uri: 'file:///b' });
  await client.sendRootsListChanged();
  await expect
    .poll(async () => JSON.parse(await call('where')))
    .toEqual({ asked: 3, roots: ['file:///a', 'file:///b'] });
});

test('a tool that its server runs only as a task is called plainly and as a stream', async () => {
  const { client, call, textOf } = await aClient(await aGate());
  expect(await call('slowly')).toBe('at last');
  const stream = client.experimental.tasks.callToolStream(
    { name: 'fix__slowly', arguments: {} },
    CallToolResultSchema,
    { task: { ttl: 60_000 } },
  );
  const seen: string[] = [];
  for await (const message of stream) {
    seen.push(message.type);
    if (message.type === 'result') expect(textOf(message.result)).toBe('at last');
  }
  expect(seen.at(-1)).toBe('result');
});

test('a required argument with a default may be left out', async () => {
  const { call } = await aClient(await aGate());
  expect(await call('shot')).toBe('css');
});
