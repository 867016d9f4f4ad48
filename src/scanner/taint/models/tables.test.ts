import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { dangerBits, modelIndex, qualifiedRowName } from './model-index.js';
import { conditions } from './conditions.js';
import { modelKinds, type ModelKind, type ModelRow } from './rows.js';
import { modelTables } from './tables/index.js';

const specOf = (kind: ModelKind) => modelKinds[kind];

/** What is wrong with a row; undefined if nothing is. */
function faultOf([library, member, given, out, kind, condition]: ModelRow): string | undefined {
  const spec = specOf(kind);
  if (library === '' && member === '') return 'names nothing';
  if (/\s/.test(library + member)) return 'holds more than one member';
  if (spec.in !== 'arguments' && given !== spec.in) return `has "${given}" in the third column`;
  if (spec.in === 'arguments' && !/^(?:(?:\d+|\w+)(?: (?:\d+|\w+))*)?$/.test(given)) return 'has unreadable arguments';
  if (spec.in === 'arguments' && given === '') return 'names no argument';
  if (spec.out === 'dangers') dangerBits(out);
  else if (spec.out !== 'name' && !(spec.out as readonly string[]).includes(out)) return `has "${out}" as its result`;
  return condition !== undefined && !Object.hasOwn(conditions, condition) ? 'has an unknown condition' : undefined;
}

describe('model tables', () => {
  test.each(Object.entries(modelTables))('every row of %s has the shape of its kind', (_name, rows) => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.flatMap((row) => (faultOf(row) === undefined ? [] : [`${row.join(' | ')}: ${faultOf(row)}`]))).toEqual(
      [],
    );
  });

  test.each(Object.entries(modelTables))('no member of %s has two rows of one kind', (_name, rows) => {
    const seen = new Set<string>();
    const twice = rows
      .map(([library, member, , , kind]) => `${qualifiedRowName(library, member)} ${kind}`)
      .filter((key) => seen.size === seen.add(key).size);
    expect(twice).toEqual([]);
  });

  test('every kind has rows, and every table file is listed', () => {
    const used = new Set(Object.values(modelTables).flatMap((rows) => rows.map(([, , , , kind]) => kind)));
    expect(Object.keys(modelKinds).filter((kind) => !used.has(kind as ModelKind))).toEqual([]);
    const folder = join(dirname(fileURLToPath(import.meta.url)), 'tables');
    expect(readdirSync(folder).length).toBe(19);
  });
});

describe('model index', () => {
  const index = modelIndex([
    ['mylib', 'Client().fetch', '0 url', '', 'sink:url'],
    ['mylib', '**.save', 'this', '', 'sink:path-write'],
    ['mylib', 'quote_*', '*', 'command -command path', 'sanitizer'],
    ['**', 'git.add', '*', '', 'git-words'],
    ['mylib', '', '', '', 'database'],
  ]);

  test('a new row is found by its qualified name, with its arguments', () => {
    expect(index.find('sink:url', 'mylib.Client().fetch')).toMatchObject({ positions: [0], names: ['url'] });
    expect(index.find('sink:url', 'mylib.Client().other')).toBeUndefined();
    expect(index.find('sink:path', 'mylib.Client().fetch')).toBeUndefined();
  });

  test.each(['mylib.save', 'mylib.Doc().save', 'mylib.a.b().save'])('a chain of names matches: %s', (name) => {
    expect(index.find('sink:path-write', name)?.isReceiver).toBe(true);
  });

  test('letters of one name match, and dangers are added and removed in order', () => {
    expect(index.find('sanitizer', 'mylib.quote_path')?.safe).toBe(dangerBits('path'));
    expect(index.find('sanitizer', 'mylib.sub.quote_path')).toBeUndefined();
  });

  test('a method of any receiver is found behind every dot', () => {
    for (const name of ['git.add', 'repo.git.add', '?.self.repo.git.add'])
      expect(index.find('git-words', name)).toBeDefined();
    expect(index.find('git-words', 'mygit.add')).toBeUndefined();
  });

  test('a package covers its members and results, and no package whose name only begins alike', () => {
    expect(['mylib.connect', 'mylib().run'].map((name) => index.startsWithPackage('database', name))).toEqual([
      true,
      true,
    ]);
    expect(index.startsWithPackage('database', 'mylib-extra.connect')).toBe(false);
  });
});
