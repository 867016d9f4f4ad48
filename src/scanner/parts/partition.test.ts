import { expect, test } from 'vitest';
import { partitionFiles, type PartFile } from './partition.js';

const limits = { maxCost: 10, maxFiles: 100, maxReadings: 3 };
const file = (path: string, imports: readonly string[] = [], over: Partial<PartFile> = {}): PartFile => ({
  path,
  cost: 4,
  imports,
  mayRegister: false,
  ...over,
});
const shown = (files: readonly PartFile[], entries: readonly string[], over = {}): readonly string[] =>
  partitionFiles(files, entries, { ...limits, ...over }).map(
    ({ paths, isStarted, isCut }) => `${isStarted ? 'started' : 'beside'}${isCut ? ' cut' : ''}: ${paths.join(' ')}`,
  );

test('programs are filled into parts with all that they import, and what nothing starts comes after them', () => {
  const files = [
    file('a', ['c']),
    file('b'),
    file('c'),
    file('d'),
    file('e', [], { mayRegister: true }),
    file('f', ['e']),
  ];
  expect(shown(files, ['a', 'b'])).toEqual(['started: a c', 'started: b', 'beside: e f', 'beside: d']);
});

test('a file that programs share is read with each of them', () => {
  const files = [file('a', ['lib']), file('b', ['lib']), file('c', ['lib']), file('lib')];
  expect(shown(files, ['a', 'b', 'c'])).toEqual(['started: a lib', 'started: b lib', 'started: c lib']);
});

test('a program that is larger than a part is a separate part, and imports in a circle end', () => {
  const files = [file('a', ['b']), file('b', ['c']), file('c', ['d', 'a']), file('d'), file('z')];
  expect(shown(files, ['a', 'z'])).toEqual(['started: a b c d', 'started: z']);
});

test('where too much is shared to read it for everybody, the parts that lack it say so', () => {
  const entries = Array.from({ length: 9 }, (_, at) => file(`e${at}`, ['lib'], { cost: 1 }));
  const files = [...entries, file('lib', [], { cost: 10 })];
  const made = shown(
    files,
    entries.map(({ path }) => path),
    { maxReadings: 1.5 },
  );
  expect(made.filter((part) => part.includes('lib'))).toHaveLength(2);
  expect(made.slice(2)).toEqual(['started cut: e2 e3 e4 e5 e6 e7 e8']);
});

test('a path that leads nowhere and an entry that is no file are passed over', () => {
  expect(shown([file('a', ['gone'])], ['a', 'nowhere'])).toEqual(['started: a']);
});

test('many files with many links are cut in time, each in at least one part', () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `f${String(at).padStart(4, '0')}`);
  const files = names.map((name, at) => file(name, names.slice(at + 1, at + 20), { cost: 1 }));
  const made = partitionFiles(files, names.toReversed(), { maxCost: 50, maxFiles: 60, maxReadings: 3 });
  expect(new Set(made.flatMap(({ paths }) => paths)).size).toBe(5_000);
  expect(made.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThanOrEqual(20_000);
});
