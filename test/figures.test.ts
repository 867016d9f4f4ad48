import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

/** A figure stands in a document as `<!--fig part/path/to/value-->12.3<!--/fig-->`. */
const figure = /<!--fig ([^>]+?)-->(.*?)<!--\/fig-->/g;

function measured(path: string): number | undefined {
  const [part = '', ...steps] = path.split('/');
  let value: unknown;
  try {
    value = (JSON.parse(readFileSync(join(root, 'bench/results', `${part}.json`), 'utf8')) as { figures: unknown })
      .figures;
  } catch {
    return undefined;
  }
  for (const step of steps)
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
  return typeof value === 'number' ? value : undefined;
}

test('every figure in the documents is what the last bench measured', () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const document of documents) {
    for (const [, path = '', shown = ''] of readFileSync(join(root, document), 'utf8').matchAll(figure)) {
      seen += 1;
      const value = measured(path);
      const decimals = shown.split('.')[1]?.length ?? 0;
      if (value === undefined || value.toFixed(decimals) !== shown.replaceAll(',', ''))
        wrong.push(`${document}: ${path} says ${shown}, measured ${value}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(0);
});
