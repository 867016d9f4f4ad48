import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { editorSchema, keysOf } from '../../src/config/keys.js';
import { prove } from './prove.js';
import { gatewayRows, rows, unseen } from './rows/index.js';

const all = keysOf(editorSchema()).map(({ path, shape }) => ({ key: path.join('.'), shape }));
const isSection = (key: string): boolean => all.some((other) => other.key.startsWith(`${key}.`));
/** Keys that hold a value of their own; a section stands for its keys, and a kind for the rows of that kind. */
const leaves = [
  ...new Set(
    all
      .filter(({ key, shape }) => !isSection(key) && !(key.endsWith('.kind') && shape.const !== undefined))
      .map(({ key }) => key),
  ),
];

test('every key of the schema has a row, and every row a key', () => {
  const covered = [...rows, ...unseen].map(({ key }) => key);
  expect({
    missing: leaves.filter((key) => !covered.includes(key)),
    unknown: covered.filter((key) => !leaves.includes(key)),
    twice: covered.filter((key, at) => covered.indexOf(key) !== at),
  }).toEqual({ missing: [], unknown: [], twice: [] });
});

test.each(unseen)('$key is proved elsewhere: $why', ({ test: [file, title] }) => {
  expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(title);
});

await prove(gatewayRows);
