import { expect, test } from 'vitest';
import { done } from '../../core/outcome.js';
import type { Tool } from '../../core/tool.js';
import { aTool, never } from '../../../test/support/make.js';
import { aDoor, piped } from '../../../test/support/mcp.js';
import type { Loose } from '../../../test/support/mcp.js';

const subscription = 'io.modelcontextprotocol/subscriptionId';

function changing() {
  let tools: readonly Tool[] = [aTool()];
  const watchers = new Set<() => void>();
  const source = {
    id: 'test',
    list: async () => tools,
    resources: async () => [
      {
        uri: 'x://w',
        name: 'w',
        source: 'test',
        read: async () => done([]),
        subscribe: async (_call: unknown, changed: () => void) => {
          watchers.add(changed);
          return () => watchers.delete(changed);
        },
      },
    ],
  };
  return { source, watchers, add: () => void (tools = [...tools, aTool({ name: `more_${tools.length}` })]) };
}

test('a subscription is acknowledged first and receives what it asked for, under its own id', async () => {
  const { source, watchers, add } = changing();
  const { modern, registry, endpoint } = await aDoor([source]);
  const heard: Loose[] = [];
  const { status, messages } = await modern(
    'subscriptions/listen',
    {
      notifications: {
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: ['x://w', 'x://unknown'],
      },
    },
    {
      id: 'sub-1',
      onMessage: (message, stop) => {
        heard.push(message);
        if (heard.length === 1) {
          add();
          void registry.refresh(never);
        }
        if (heard.length === 2) for (const changed of watchers) changed();
        if (heard.length === 3) stop();
      },
    },
  );
  expect(status).toBe(200);
  expect(messages.map((message) => message.method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
    'notifications/resources/updated',
  ]);
  expect(messages[0].params.notifications).toEqual({
    toolsListChanged: true,
    promptsListChanged: true,
    resourceSubscriptions: ['x://w'],
  });
  expect(messages.every((message) => message.params._meta[subscription] === 'sub-1')).toBe(true);
  await expect.poll(() => [endpoint.stats().subscriptions, watchers.size]).toEqual([0, 0]);
});

test('what was not asked for is not sent', async () => {
  const { source, watchers, add } = changing();
  const { modern, registry } = await aDoor([source]);
  let acknowledged = false;
  const { messages } = await modern(
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: ['x://w'] } },
    {
      onMessage: (message, stop) => {
        if (message.method === 'notifications/resources/updated') return stop();
        if (acknowledged) return undefined;
        acknowledged = true;
        add();
        return void registry.refresh(never).then(() => {
          for (const changed of watchers) changed();
        });
      },
    },
  );
  expect(messages.map((message) => message.method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/resources/updated',
  ]);
});

test('when the gateway closes, every subscription ends with its result', async () => {
  const { modern, endpoint } = await aDoor([changing().source]);
  const { json } = await modern(
    'subscriptions/listen',
    { notifications: {} },
    { id: 5, onMessage: () => void endpoint.close() },
  );
  expect(json).toMatchObject({ id: 5, result: { resultType: 'complete', _meta: { [subscription]: 5 } } });
});

test('over a pipe several subscriptions live side by side and end when cancelled', async () => {
  const { source, add } = changing();
  const { modern, seen, write, registry, messages } = await piped([source]);
  const ends = [
    modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    modern('subscriptions/listen', { notifications: { promptsListChanged: true } }),
  ];
  await seen((message) => message.params?._meta?.[subscription] === 2);
  add();
  await registry.refresh(never);
  const change = await seen((message) => message.method === 'notifications/tools/list_changed');
  expect(change.params._meta[subscription]).toBe(1);
  for (const requestId of [1, 2]) write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  expect((await Promise.all(ends)).map((message) => message.result._meta[subscription])).toEqual([1, 2]);
  expect(messages.filter((message) => message.method === 'notifications/tools/list_changed')).toHaveLength(1);
});

test.each([undefined, 7, null, []])('a filter that is %j is refused', async (notifications) => {
  const { modern } = await aDoor([changing().source]);
  expect((await modern('subscriptions/listen', { notifications })).json.error.code).toBe(-32602);
});
