import { expect, test } from 'vitest';
import type { Module } from '../ir/nodes.js';
import { moduleCache } from './module-cache.js';

const put = (
  shelf: ReturnType<typeof moduleCache>,
  path: string,
  text: string,
  again: () => string = () => text,
): Module => {
  const module = shelf(path, text, again);
  if (typeof module === 'string') throw new Error(module);
  return module;
};
const later = Date.now() + 60_000;
const counting = (bytes: number) => moduleCache(() => ({ body: [], partial: false, bytes }), later);

test('code that finds no room is listed as partial, and looking into it still works', () => {
  const shelf = counting(6_000_000);
  const modules = ['a.js', 'b.js', 'c.js'].map((path) => put(shelf, path, 'x'));
  expect(modules.map((module) => module.partial)).toEqual([false, true, false]);
  expect([modules[2]?.deferred?.parseOnce(), modules[2]?.body, modules[2]?.partial]).toEqual([[], [], true]);
});

test('a tree that is no single server gets less room', () => {
  const shelf = moduleCache(() => ({ body: [], partial: false, bytes: 2_000_000 }), later, 100_000_000);
  expect(['a.js', 'b.js'].map((path) => put(shelf, path, 'x').partial)).toEqual([false, true]);
});

test('files beyond what is read early are read when they are asked for', () => {
  const shelf = counting(4_500_000);
  const [first, second, third] = ['a.js', 'b.js', 'c.js'].map((path) => put(shelf, path, 'x'));
  expect([first?.deferred, second?.deferred, third?.deferred]).toMatchObject([
    undefined,
    undefined,
    { parseOnce: expect.any(Function) },
  ]);
  expect(third?.partial).toBe(false);
  void third?.body;
  expect(third?.partial).toBe(true);
});

test('tests and examples are read only when something asks for them', () => {
  let times = 0;
  const shelf = moduleCache(() => ({ body: [], partial: (times += 1) > 0, bytes: 1 }), later);
  const module = put(shelf, 'tests/a.py', 'x');
  expect([times, module.partial]).toEqual([0, false]);
  void module.body;
  expect([times, module.partial]).toEqual([1, true]);
});

test('a text that was dropped comes back from its file, and a file that changed since is not whole', () => {
  const shelf = counting(0);
  const text = 'x'.repeat(20_000_000);
  const [same, other] = [put(shelf, 'a.py', text), put(shelf, 'b.py', text, () => 'changed')];
  put(shelf, 'c.py', text);
  expect([same.text.length, same.partial]).toEqual([20_000_000, false]);
  put(shelf, 'd.py', text);
  expect([other.text, other.partial]).toEqual(['changed', true]);
});
