import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { expect, test } from 'vitest';
import { done } from '../../../core/outcome.js';
import { aTool } from '../../../../test/support/make.js';
import { aDoor, sourceOf } from '../../../../test/support/mcp.js';

const noisy = aTool({
  run: async ({ args, back }) => {
    back?.progress?.({ progress: 1 });
    return done(String(args['text']));
  },
});

/** The official client over the deprecated transport. */
async function connected(port: number, token = 'ada-token') {
  const headers = { Authorization: `Bearer ${token}` };
  const transport = new SSEClientTransport(new URL(`http://127.0.0.1:${port}/sse`), {
    requestInit: { headers },
    eventSourceInit: {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), ...headers } }),
    },
  });
  const client = new Client({ name: 'old', version: '1' });
  await client.connect(transport);
  return { client, transport };
}

test('an official client works over the deprecated pair of URLs', async () => {
  const { port, endpoint } = await aDoor([sourceOf([noisy])]);
  const { client } = await connected(port);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['echo']);
  const progress: number[] = [];
  const result = await client.callTool({ name: 'echo', arguments: { text: 'hi' } }, undefined, {
    onprogress: (step) => void progress.push(step.progress),
  });
  expect(result.content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(endpoint.stats().sessions).toBe(1);
  await client.close();
  await expect.poll(() => endpoint.stats().sessions).toBe(0);
});

test('no caller can post into the stream of another', async () => {
  const { port } = await aDoor([sourceOf([noisy])]);
  const stream = await fetch(`http://127.0.0.1:${port}/sse`, { headers: { authorization: 'Bearer ada-token' } });
  const first = new TextDecoder().decode((await stream.body!.getReader().read()).value);
  const path = /data: (\S+)/.exec(first)?.[1] ?? '';
  const post = (token: string, where = path) =>
    fetch(`http://127.0.0.1:${port}${where}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
  expect((await post('ada-token')).status).toBe(202);
  expect((await post('bob-token')).status).toBe(404);
  expect((await post('ada-token', '/messages?sessionId=guess')).status).toBe(404);
});
