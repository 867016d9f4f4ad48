import { expect, test } from 'vitest';
import { done } from '../../core/outcome.js';
import { aTool } from '../../../test/support/make.js';
import { piped, sourceOf } from '../../../test/support/mcp.js';

const steps = aTool({
  name: 'steps',
  run: async ({ back }) => {
    for (const progress of [1, 2, 3]) back?.progress?.({ progress, total: 3 });
    return done('walked');
  },
});

test.each(['legacy', 'modern'])('%s: the last progress message and the result never share a chunk', async (era) => {
  const { initialize, call, modern, chunks } = await piped([sourceOf([steps])]);
  if (era === 'legacy') await initialize();
  const before = chunks.length;
  const params = { name: 'steps', arguments: { text: '' } };
  const answer =
    era === 'legacy'
      ? await call('tools/call', { ...params, _meta: { progressToken: 'p' } })
      : await modern('tools/call', params, {}, { progressToken: 'p' });
  expect(answer.result.content[0].text).toBe('walked');
  const kinds = chunks
    .slice(before)
    .map((chunk) => chunk.trim().split('\n'))
    .map((lines) => lines.map((line) => JSON.parse(line).params?.progress ?? 'result'));
  expect(kinds.flat()).toEqual([1, 2, 3, 'result']);
  expect(kinds.at(-1)).toEqual(['result']);
});

test('a result without progress is not delayed by the progress of another call', async () => {
  const { initialize, call, messages } = await piped([sourceOf([steps, aTool()])]);
  await initialize();
  const slow = call('tools/call', { name: 'steps', arguments: { text: '' }, _meta: { progressToken: 'p' } });
  const quick = call('tools/call', { name: 'echo', arguments: { text: 'quick' } });
  await Promise.all([slow, quick]);
  const texts = messages.map((message) => message.result?.content?.[0]?.text).filter(Boolean);
  expect(texts).toEqual(['quick', 'walked']);
});
