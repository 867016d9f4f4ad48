import { expect, test } from 'vitest';
import type { JsonObject } from '../../../core/json.js';
import type { Tool } from '../../../core/tool.js';
import { aTool } from '../../../../test/support/make.js';
import { aDoor, sourceOf } from '../../../../test/support/mcp.js';

const numbered = (count: number): Tool[] =>
  Array.from({ length: count }, (_, at) => aTool({ name: `tool_${String(at).padStart(3, '0')}` }));

async function walk(list: (params: JsonObject) => Promise<{ json: ReturnType<typeof JSON.parse> }>): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { json } = await list(cursor === undefined ? {} : { cursor });
    names.push(...json.result.tools.map((tool: Tool) => tool.name));
    cursor = json.result.nextCursor;
  } while (cursor !== undefined);
  return names;
}

test('pages follow each other in one stable order in both eras', async () => {
  const tools = numbered(25);
  const { modern, session } = await aDoor([sourceOf(tools)], { mcp: { pageSize: 7 } });
  const { call } = await session();
  const names = tools.map((tool) => tool.name);
  expect(await walk((params) => modern('tools/list', params))).toEqual(names);
  expect(await walk((params) => call('tools/list', params))).toEqual(names);
});

test('a list that changed between two pages is picked up after the same entry', async () => {
  let tools: readonly Tool[] = numbered(10);
  const { modern, registry } = await aDoor([{ id: 'test', list: async () => tools }], { mcp: { pageSize: 4 } });
  const first = (await modern('tools/list')).json.result;
  tools = [aTool({ name: 'a_new_one' }), ...tools];
  await registry.refresh(new AbortController().signal);
  const second = (await modern('tools/list', { cursor: first.nextCursor })).json.result;
  const last = first.tools.at(-1).name;
  const all = (await modern('tools/list')).json.result.tools;
  expect(second.tools[0].name > last || all.some((tool: Tool) => tool.name === second.tools[0].name)).toBe(true);
  expect(second.tools.map((tool: Tool) => tool.name)).not.toContain(last);
});

test.each([
  '',
  'x',
  'WzEsIm5vIl0',
  Buffer.from('[1,2]').toString('base64url'),
  Buffer.from('[-1,"a"]').toString('base64url'),
  'A'.repeat(5_000),
  7,
])('the cursor %.20s leads nowhere', async (cursor) => {
  const { modern } = await aDoor([sourceOf(numbered(3))]);
  const { status, json } = await modern('tools/list', { cursor });
  expect([status, json.error.code]).toEqual([200, -32602]);
});

test('a list is serialised once for everyone who sees the same', async () => {
  let shown = 0;
  const schema = {
    type: 'object',
    get properties() {
      shown += 1;
      return {};
    },
  };
  const tool = aTool({ input: { schema, parse: () => ({ ok: true, value: {} }) } });
  const { modern } = await aDoor([sourceOf([tool, ...numbered(200)])], { visibility: { group: () => 'all' } });
  const texts = [];
  for (let at = 0; at < 5; at += 1) texts.push((await modern('tools/list', {}, { id: 1 })).text);
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]?.length).toBeGreaterThan(16_384);
  const before = shown;
  await modern('tools/list');
  expect(shown).toBe(before);
});

test('every revision gets the fields of a tool that it has and nothing else', async () => {
  const tool = aTool({ title: 'Echo', meta: { 'a/b': 1 }, output: { schema: { type: 'object' } }, tasks: 'optional' });
  const list = aTool({ name: 'listing', output: { schema: { type: 'array' } } });
  const { modern, session } = await aDoor([sourceOf([tool, list])]);
  const keys = async (version: string) => {
    const { json } =
      version === '2026-07-28' ? await modern('tools/list') : await (await session(version)).call('tools/list');
    return json.result.tools.map((each: object) => Object.keys(each).toSorted().join(' '));
  };
  expect(await keys('2024-11-05')).toEqual(['description inputSchema name', 'description inputSchema name']);
  expect(await keys('2025-03-26')).toEqual([
    'annotations description inputSchema name',
    'annotations description inputSchema name',
  ]);
  expect(await keys('2025-06-18')).toEqual([
    '_meta annotations description inputSchema name outputSchema title',
    'annotations description inputSchema name',
  ]);
  expect(await keys('2025-11-25')).toEqual([
    '_meta annotations description execution inputSchema name outputSchema title',
    'annotations description inputSchema name',
  ]);
  expect(await keys('2026-07-28')).toEqual([
    '_meta annotations description inputSchema name outputSchema title',
    'annotations description inputSchema name outputSchema',
  ]);
});

test('one principal never gets the list of another', async () => {
  const { modern } = await aDoor([sourceOf([aTool(), aTool({ name: 'secret' })])], {
    visibility: { isVisible: (view, item) => item.name !== 'secret' || view.principal.id === 'ada' },
  });
  const names = async (as: string) =>
    (await modern('tools/list', {}, { as })).json.result.tools.map((tool: Tool) => tool.name);
  expect(await names('ada')).toContain('secret');
  expect(await names('bob')).not.toContain('secret');
  expect(await names('ada')).toContain('secret');
});
