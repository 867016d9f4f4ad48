import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../docs/decisions');
const pages = readdirSync(folder).filter((file) => /^\d{4}-.*\.md$/.test(file));

test('every decision has its own number, a date and a status, and stands in the index', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const numbers = pages.map((file) => file.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  for (const file of pages) {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text, file).toMatch(new RegExp(`^# ${file.slice(0, 4)}\\. `));
    expect(text, file).toMatch(/^Date: \d{4}-\d{2}-\d{2}\. Status: (?:proposed|accepted|superseded by \d{4})[.;]/m);
    expect(index, file).toContain(`[${file.slice(0, 4)}](${file})`);
  }
});
