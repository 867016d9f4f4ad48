import { expect, test } from 'vitest';
import { done } from '../../../core/outcome.js';
import { ada, aTool, bob } from '../../../../test/support/make.js';
import { aDoor, sourceOf } from '../../../../test/support/mcp.js';
import { resultStore } from './result-store.js';

const answer = (text: string) => ({ outcome: done(text), correlationId: 'c', durationMs: 1 });

test('a large result is kept and read by its link, only by the caller that got it [S1.10]', async () => {
  const big = 'x'.repeat(50_000);
  const tool = aTool({
    run: async () =>
      done([
        { type: 'text', text: big },
        { type: 'image', data: 'A'.repeat(40_000), mimeType: 'image/png' },
        { type: 'text', text: 'small' },
      ]),
  });
  const { modern, session, records } = await aDoor([sourceOf([tool])], { mcp: { results: { inlineBytes: 10_000 } } });
  const { content } = (await modern('tools/call', { name: 'echo' })).json.result;
  expect(content.map((part: { type: string }) => part.type)).toEqual([
    'text',
    'resource_link',
    'resource_link',
    'text',
  ]);
  expect(content[0].text.length).toBeLessThan(5_000);
  const { uri } = content[1];
  const before = records.length;
  expect((await modern('resources/read', { uri })).json.result.contents[0]).toMatchObject({ uri, text: big });
  // Reading it passes the guards: one audit record of its own.
  expect(records.slice(before)).toMatchObject([{ event: 'end', tool: 'resources/read', decision: 'allowed' }]);
  expect((await modern('resources/read', { uri: content[2].uri })).json.result.contents[0].blob).toHaveLength(40_000);
  expect((await modern('resources/read', { uri }, { as: 'bob' })).json.error.code).toBe(-32602);
  const old = (await (await session('2024-11-05')).call('tools/call', { name: 'echo' })).json.result.content;
  expect(old[1].text).toMatch(/toolgate:\/\/results\//);
});

test('the shelf is bounded in bytes and time, and the oldest goes first', () => {
  let now = 0;
  const shelf = resultStore({ inlineBytes: 10, keepMs: 100, maxBytes: 100 }, () => now);
  const link = () => {
    const shelved = shelf.storeLarge(answer('x'.repeat(40)), { principal: ada });
    const last = shelved.outcome.kind === 'done' ? shelved.outcome.content.at(-1) : undefined;
    return last?.type === 'resource_link' ? last.uri : '';
  };
  const [first, second, third] = [link(), link(), link()];
  const there = (uri: string) => shelf.find(uri, { principal: ada }) !== undefined;
  expect([first, second, third].map(there)).toEqual([false, true, true]);
  expect(shelf.find(third, { principal: bob })).toBeUndefined();
  now = 100;
  expect(there(third)).toBe(false);
});
