import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aCall, never, readAs } from '../../../test/support/make.js';
import { aPlugin, callTool, said, serverFile } from '../../../test/support/upstream.js';

const folder = dirname(serverFile);
const run = (...words: string[]) => ({
  plugin: { command: () => Promise.resolve({ program: process.execPath, args: words }) },
});

describe.each([
  ['SDK 1', [join(folder, 'sdk1.mjs')], '2025-11-25', 'auto'],
  ['SDK 2, greeted in the older way', [join(folder, 'sdk2.mjs')], '2025-11-25', 'auto'],
  ['SDK 2, asked as modern', [join(folder, 'sdk2.mjs')], '2026-07-28', 'modern'],
  ['SDK 2 that is modern only', [join(folder, 'sdk2.mjs'), '--only-modern'], '2026-07-28', 'auto'],
] as const)('a server on the official %s', (_, words, revision, era) => {
  test('is listed, called, asks and reports progress', async () => {
    const source = aPlugin({ ...run(...words), source: { era } });
    expect(await callTool(source, 'fix__add', { a: 2, b: 3 })).toMatchObject({
      kind: 'done',
      content: [{ text: '5' }],
      data: { sum: 5 },
    });
    expect(source.state().revision).toBe(revision);
    const heard: unknown[] = [];
    await callTool(source, 'fix__steps', {}, { back: { progress: (progress) => heard.push(progress) } });
    expect(heard).toEqual([{ progress: 1, total: 2 }]);
    const back = { capabilities: { elicitation: { form: {} } } };
    const asked = await callTool(source, 'fix__ask', {}, { back });
    if (asked.kind !== 'confirm') throw new Error(`not asked: ${JSON.stringify(asked)}`);
    const [key = ''] = Object.keys(asked.question.asks);
    expect(asked.question.asks[key]).toMatchObject({ method: 'elicitation/create', params: { message: 'Colour?' } });
    const answer = { action: 'accept', content: { colour: 'blue' } };
    const told = await callTool(
      source,
      'fix__ask',
      {},
      { back, confirmation: { state: asked.question.state, answers: { [key]: answer } } },
    );
    expect(JSON.parse(said(told))).toEqual(answer);
  });
});

test('prompts and resources of SDK 1 are offered', async () => {
  const source = aPlugin(run(join(folder, 'sdk1.mjs')));
  await source.list(never);
  const [prompt] = (await source.prompts?.(never)) ?? [];
  expect(await prompt?.get(aCall({ args: { who: 'Ada' } }))).toMatchObject({
    data: { messages: [{ content: { text: 'Hello Ada' } }] },
  });
  const [resource] = (await source.resources?.(never)) ?? [];
  expect(await readAs(resource, aCall({ args: { uri: 'note://one' } }))).toMatchObject({
    data: { contents: [{ text: 'a note' }] },
  });
});
