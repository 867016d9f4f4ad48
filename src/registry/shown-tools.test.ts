import { expect, test } from 'vitest';
import { aTool, never } from '../../test/support/make.js';
import { definitionHash } from '../core/definition.js';
import { done } from '../core/outcome.js';
import type { Resource } from '../core/prompt.js';
import type { ToolSource } from '../core/source.js';
import { listedName, type Tool } from '../core/tool.js';
import { registry, type CatalogueTerms } from './registry.js';
import { shownTools, type ShownAs } from './shown-tools.js';

const filter = { include: [], exclude: [] };
const aSource = (id: string, tools: readonly Partial<Tool>[], resources: readonly Resource[] = []): ToolSource => ({
  id,
  list: () => Promise.resolve(tools.map((tool) => aTool({ source: id, ...tool }))),
  resources: () => Promise.resolve(resources),
});
const termsOf = (overrides: Readonly<Record<string, ShownAs>>): CatalogueTerms => ({
  filter,
  adjust: (tool) => tool,
  shown: shownTools(overrides),
  isDisabled: () => false,
});
async function listed(
  sources: readonly ToolSource[],
  overrides: Readonly<Record<string, ShownAs>>,
  more: Partial<Parameters<typeof registry>[0]> = {},
) {
  const known = registry({ sources, ...termsOf(overrides), ...more });
  await known.refresh(never);
  return known;
}
const namesOf = (known: Awaited<ReturnType<typeof listed>>): readonly string[] => [...known.catalogue().tools.keys()];

test('a tool has the name, title and description of the operator, and stays the same object', async () => {
  const known = await listed(
    [aSource('up', [{ name: 'up__a', title: 'Theirs', annotations: { title: 'Theirs', vendor: 1 } }])],
    { up__a: { name: 'send_mail', title: 'Send', description: 'Sends a mail' } },
  );
  const tool = known.catalogue().tools.get('send_mail');
  expect(tool).toMatchObject({
    name: 'send_mail',
    title: 'Send',
    description: 'Sends a mail',
    annotations: { title: 'Send', vendor: 1 },
    listed: { name: 'up__a', title: 'Theirs', description: 'Says what it is told' },
  });
  expect(namesOf(known)).toEqual(['send_mail']);
  const one = aTool({ name: 'up__a' });
  const shown = shownTools({ up__a: { description: 'x' } });
  expect(shown.show(one)).toBe(shown.show(one));
  expect(shownTools({ up__a: { name: 'up__a' } }).show(one)).toBe(one);
});

test('two tools can swap their names', async () => {
  const known = await listed([aSource('up', [{ name: 'a' }, { name: 'b' }])], { a: { name: 'b' }, b: { name: 'a' } });
  expect([...known.catalogue().tools.values()].map((tool) => `${tool.name} ${listedName(tool)}`)).toEqual([
    'a b',
    'b a',
  ]);
});

test('a name of the operator belongs to that tool, whatever other sources list and also while it is away', async () => {
  const hostile = aSource('first', [{ name: 'send_mail' }]);
  const overrides = { up__a: { name: 'send_mail' } };
  const taken = { source: 'first', what: 'send_mail', why: 'the name is taken by tool.overrides.up__a.name' };
  const known = await listed([hostile, aSource('up', [{ name: 'up__a' }])], overrides);
  expect(known.catalogue().tools.get('send_mail')?.source).toBe('up');
  expect(known.withheld()).toEqual([taken]);
  const away = await listed([hostile, aSource('up', [])], overrides);
  expect(namesOf(away)).toEqual([]);
  expect(away.withheld()).toEqual([taken]);
});

test('of two tools with the same new name the second one is withheld', async () => {
  const known = await listed([aSource('up', [{ name: 'a' }, { name: 'b' }])], { a: { name: 'c' }, b: { name: 'c' } });
  expect(namesOf(known)).toEqual(['c']);
  expect(known.withheld()).toEqual([{ source: 'up', what: 'b', why: 'the name c is taken by a of source up' }]);
});

test('an old name is not given to another source', async () => {
  const known = await listed([aSource('one', [{ name: 'a' }]), aSource('two', [{ name: 'a' }])], { a: { name: 'b' } });
  expect([...known.catalogue().tools.values()].map(({ name, source }) => `${name} ${source}`)).toEqual(['b one']);
  expect(known.withheld()).toEqual([{ source: 'two', what: 'a', why: 'the name is taken by source one' }]);
});

test('filter, switches of the configuration and quarantine see the tool as listed', async () => {
  const sources = [aSource('up', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])];
  const seen: string[] = [];
  const known = await listed(
    sources,
    { a: { name: 'x', description: 'Ours' }, b: { name: 'y' }, c: { name: 'z' } },
    {
      filter: { include: [], exclude: ['b'] },
      isDisabled: (name) => name === 'c',
      quarantine(tools) {
        for (const { name, description } of tools) seen.push(`${name}: ${description}`);
        return new Map([['a', 'it looks like another']]);
      },
    },
  );
  expect(seen).toEqual(['a: Says what it is told', 'c: Says what it is told']);
  expect(namesOf(known)).toEqual(['z']);
  expect([...known.catalogue().filtered, ...known.catalogue().disabled]).toEqual(['b', 'z']);
  expect(known.withheld()).toEqual([{ source: 'up', what: 'a', why: 'it looks like another' }]);
});

test('the hash changes with the text of the source, although the operator shows another', () => {
  const { show } = shownTools({ a: { description: 'Ours' } });
  const hashOf = (tool: Partial<Tool>): string => definitionHash(show(aTool({ name: 'a', ...tool })));
  expect(hashOf({ description: 'Theirs' })).toBe(hashOf({ description: 'Theirs' }));
  expect(hashOf({ description: 'Theirs' })).not.toBe(hashOf({ description: 'Theirs, changed' }));
  expect(hashOf({ title: 'Theirs' })).not.toBe(hashOf({ title: 'Theirs, changed' }));
});

test('other terms rename at once and announce it', async () => {
  const known = await listed([aSource('up', [{ name: 'a' }])], {});
  const heard: string[] = [];
  known.onChange((what) => void heard.push(what));
  known.applyTerms(termsOf({ a: { name: 'b' } }));
  expect(namesOf(known)).toEqual(['b']);
  known.applyTerms(termsOf({ a: { name: 'b', description: 'Ours' } }));
  known.applyTerms(termsOf({ a: { name: 'b', description: 'Ours' } }));
  expect(heard).toEqual(['tools', 'tools']);
});

test('a resource that is a form of a tool follows it to its new name', async () => {
  const read = { tool: 'a', toArgs: () => ({}), toContents: () => ({}) };
  const resource: Resource = { uri: 'toolgate://up/a', name: 'a', source: 'up', read };
  const known = await listed([aSource('up', [{ name: 'a' }], [resource])], { a: { name: 'b' } });
  expect(known.catalogue().resources).toMatchObject([{ read: { tool: 'b' } }]);
});

test('a tool that only another one offers keeps its name', async () => {
  const run = () => Promise.resolve(done(''));
  const known = await listed([aSource('up', [{ name: 'a', unlisted: true, run }])], { a: { name: 'b' } });
  expect(namesOf(known)).toEqual(['a']);
});
