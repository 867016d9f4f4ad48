import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { requirements } from './requirements.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function citations(): Set<string> {
  const cited = new Set<string>();
  for (const folder of ['src', 'test']) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.test.ts') || file.includes('node_modules')) continue;
      for (const match of readFileSync(join(root, folder, file), 'utf8').matchAll(/\[(S\d\.\d+)\]/g))
        cited.add(match[1] ?? '');
    }
  }
  return cited;
}

test('every requirement is cited by a test', () => {
  const cited = citations();
  expect(requirements.filter(({ id }) => !cited.has(id))).toEqual([]);
});

test('no requirement is listed twice', () => {
  const ids = requirements.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
