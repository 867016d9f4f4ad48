import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { flagSchema } from './manifest/flag.js';
import { manifestSchema } from './manifest/manifest.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const guide = readFileSync(join(root, 'docs/guides/commands.md'), 'utf8');

test('the guide shows the example file as it is', () => {
  const example = readFileSync(join(root, 'examples/commands/disk_usage.tool.yaml'), 'utf8');
  expect(guide).toContain(example.slice(example.indexOf('command:')));
});

test('the guide names every key of a manifest and of a flag', () => {
  const keys = [...Object.keys(manifestSchema.shape), ...Object.keys(flagSchema.shape)].filter(
    (key) => !['tool', 'description', 'example', 'passes'].includes(key),
  );
  expect(keys.filter((key) => !guide.includes(`\`${key}\``))).toEqual([]);
});
