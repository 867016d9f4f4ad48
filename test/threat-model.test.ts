import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

test('every row of the threat model names a test that is there and cites what the row cites', () => {
  const rows = readFileSync(join(root, 'docs/threat-model.md'), 'utf8')
    .split('\n')
    .filter((line) => /\| `[^`]+\.test\.ts` \|$/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  const wrong = rows.flatMap((row) => {
    const file = /`([^`]+\.test\.ts)` \|$/.exec(row)?.[1] ?? '';
    if (!existsSync(join(root, file))) return [`${file} is not there`];
    const text = readFileSync(join(root, file), 'utf8');
    const ids = [...row.matchAll(/\[([^\]]+)\]/g)].map((match) => match[1] ?? '');
    return ids.filter((id) => !text.includes(`[${id}]`)).map((id) => `${file} does not cite [${id}]`);
  });
  expect(wrong).toEqual([]);
});
