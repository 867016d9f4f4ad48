import { expect, test } from 'vitest';
import type { Prompt, Resource } from '../core/prompt.js';
import { done } from '../core/outcome.js';
import type { ToolSource } from '../core/source.js';
import { aTool, never } from '../../test/support/make.js';
import { registry } from './registry.js';

const answer = () => Promise.resolve(done(''));
const aPrompt = (source: string, description: string): Prompt => ({ name: 'greet', source, description, get: answer });
const aResource = (source: string): Resource => ({ uri: 'note://one', name: 'one', source, read: answer });
const aSource = (id: string, description = 'Greets'): ToolSource => ({
  id,
  list: () => Promise.resolve([]),
  prompts: () => Promise.resolve([aPrompt(id, description)]),
  resources: () => Promise.resolve([aResource(id)]),
});
const filter = { include: [], exclude: [] };

test('a prompt or resource that another source has already is withheld and reported', async () => {
  const known = registry({ sources: [aSource('first'), aSource('later')], filter });
  await known.refresh(never);
  expect(known.catalogue().prompts.map(({ source }) => source)).toEqual(['first']);
  expect(known.catalogue().resources.map(({ source }) => source)).toEqual(['first']);
  expect(known.withheld()).toEqual([
    { source: 'later', what: 'prompt greet', why: 'it is taken by source first' },
    { source: 'later', what: 'resource note://one', why: 'it is taken by source first' },
  ]);
});

test('a source that builds the same lists anew has changed nothing', async () => {
  let description = 'Greets';
  const known = registry({
    sources: [{ ...aSource('first'), prompts: () => Promise.resolve([aPrompt('first', description)]) }],
    filter,
  });
  await known.refresh(never);
  const heard: string[] = [];
  known.onChange((what) => void heard.push(what));
  await known.refresh(never);
  expect(heard).toEqual([]);
  description = 'Greets otherwise';
  await known.refresh(never);
  expect(heard).toEqual(['prompts']);
});

test('a quarantined tool is neither listed nor callable, and is reported with the reason', async () => {
  const made = registry({
    sources: [{ id: 'a', list: async () => [aTool({ name: 'good' }), aTool({ name: 'imitates' })] }],
    filter: { include: [], exclude: [] },
    quarantine: () => new Map([['imitates', 'it looks like good']]),
  });
  await made.refresh(never);
  expect([...made.catalogue().tools.keys()]).toEqual(['good']);
  expect(made.withheld()).toMatchObject([{ why: 'it looks like good' }]);
});
