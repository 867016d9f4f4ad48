import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../dist/console');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  statSync(join(folder, name)).isFile(),
);

test('all pages together stay below 100 KB of gzip', () => {
  const bytes = files
    .filter((name) => name.endsWith('.gz'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(100_000);
});

test('every file has a compressed copy with the same content, and assets are named by their content', () => {
  const plain = files.filter((name) => !name.endsWith('.gz'));
  for (const name of plain)
    expect(gunzipSync(readFileSync(join(folder, `${name}.gz`))).equals(readFileSync(join(folder, name)))).toBe(true);
  expect(plain.filter((name) => /\.(?:js|css)$/.test(name) && !/-[A-Z0-9]{8}\.\w+$/.test(name))).toEqual([]);
});
