import { expect, test } from 'vitest';
import type { ToolSource } from '../core/source.js';
import { aTool, never } from '../../test/support/make.js';
import { eventually } from '../../test/support/processes.js';
import type { CatalogueTerms } from './registry.js';
import { registry } from './registry.js';

const filter = { include: [], exclude: [] };
const terms: CatalogueTerms = { filter, adjust: (tool) => tool, isDisabled: () => false };
const retry = { firstMs: 1, maxMs: 5, random: () => 0.5 };
const offering = (id: string, names: readonly string[], more: Partial<ToolSource> = {}): ToolSource => ({
  id,
  list: async () => names.map((name) => aTool({ name, source: id })),
  ...more,
});

test('a source that cannot be listed is reported once, retried, and keeps its last list meanwhile', async () => {
  let isDown = true;
  const events: string[] = [];
  const tools = [aTool({ name: 'one', source: 'a' })];
  const known = registry({
    sources: [{ id: 'a', list: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(tools)) }],
    filter,
    retry,
    onProblem: (source, problem) => events.push(`${source} ${problem}`),
    onRecovered: (source) => events.push(`${source} is back`),
  });
  await known.refresh(never);
  expect(known.health()['a']?.status).toBe('unhealthy');
  isDown = false;
  await eventually(
    () => known.catalogue().tools.size,
    (size) => size === 1,
  );
  isDown = true;
  await known.refresh(never);
  expect([...known.catalogue().tools.keys()]).toEqual(['one']);
  expect(events).toEqual(['a down', 'a is back', 'a down']);
  await known.close();
});

test('staged sources are offered only after the commit, in the same step as the rest of the runtime', async () => {
  const known = registry({ sources: [offering('a', ['one'])], filter });
  await known.refresh(never);
  const staged = await known.stage([...known.sources(), offering('b', ['two'])], never);
  expect([...known.catalogue().tools.keys()]).toEqual(['one']);
  const seen: string[] = [];
  let isSwapped = false;
  known.onChange((what) => seen.push(`${what} ${isSwapped}`));
  staged.commit(terms, () => (isSwapped = true));
  expect([...known.catalogue().tools.keys()]).toEqual(['one', 'two']);
  expect(seen).toEqual(['tools true']);
});

test('a replaced source serves until its successor is listed, but never for one with another identity', async () => {
  const removed: ToolSource[] = [];
  const old = offering('a', ['one'], { identity: 'server' });
  const known = registry({ sources: [old], filter, retry, onRemoved: (source) => removed.push(source) });
  await known.refresh(never);
  let isDown = true;
  const next: ToolSource = {
    id: 'a',
    identity: 'server',
    list: () =>
      isDown ? Promise.reject(new Error('starting')) : Promise.resolve([aTool({ name: 'new', source: 'a' })]),
  };
  (await known.stage([next], never)).commit(terms);
  expect([...known.catalogue().tools.keys()]).toEqual(['one']);
  expect(known.health()['a']).toMatchObject({ status: 'degraded' });
  isDown = false;
  await eventually(
    () => [...known.catalogue().tools.keys()].join(),
    (names) => names === 'new',
  );
  expect(removed).toEqual([old]);
  const other: ToolSource = { id: 'a', identity: 'other server', list: () => Promise.reject(new Error('down')) };
  (await known.stage([other], never)).commit(terms);
  expect([...known.catalogue().tools.keys()]).toEqual([]);
  expect(removed).toEqual([old, next]);
  await known.close();
});

test('switches and filters of the configuration hold for every listing; those of an administrator stay above them', async () => {
  let names = ['one'];
  const source: ToolSource = { id: 'a', list: async () => names.map((name) => aTool({ name, source: 'a' })) };
  const known = registry({ sources: [source], filter, isDisabled: (name) => name === 'late' });
  await known.refresh(never);
  expect(known.setEnabled('one', false)).toBe(true);
  names = ['one', 'late', 'hidden'];
  await known.refresh(never);
  expect([...known.catalogue().disabled]).toEqual(['one', 'late']);
  known.applyTerms({ ...terms, filter: { include: [], exclude: ['hidden'] } });
  expect([...known.catalogue().tools.keys()]).toEqual(['late', 'one']);
  expect([...known.catalogue().disabled]).toEqual(['one']);
});
