import { expect, test } from 'vitest';
import { done } from '../../../core/outcome.js';
import { aTool } from '../../../../test/support/make.js';
import { aDoor, sourceOf } from '../../../../test/support/mcp.js';

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
  const { modern, session, records } = await aDoor([sourceOf([tool])], { mcp: { inlineBytes: 10_000 } });
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

test('a stored result is hidden with the tool that produced it', async () => {
  const hidden = new Set<string>();
  const tool = aTool({ run: async () => done('x'.repeat(50_000)) });
  const { modern, records } = await aDoor([sourceOf([tool])], {
    mcp: { inlineBytes: 10_000 },
    visibility: { isVisible: (_, { name }) => !hidden.has(name) },
  });
  const { uri } = (await modern('tools/call', { name: 'echo' })).json.result.content[1];
  hidden.add('echo');
  expect((await modern('resources/read', { uri })).json.error.code).toBe(-32602);
  expect(records.at(-1)).toMatchObject({ event: 'refused', tool: 'resources/read' });
  hidden.clear();
  expect((await modern('resources/read', { uri })).json.result.contents[0].text).toHaveLength(50_000);
});
