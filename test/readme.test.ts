import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../src/config/load.js';
import { aPlace, toolgate } from './support/toolgate.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('the configuration in the README is one that the gateway takes', async () => {
  const yaml = /```yaml\n([^]*?)```/.exec(readme)?.[1] ?? '';
  const cwd = aPlace();
  writeFileSync(join(cwd, 'toolgate.yaml'), yaml);
  expect(await loadConfig({ cwd, env: {}, argv: [] })).toMatchObject({ ok: true });
});

test('the README shows both commands, and links only to what is there', () => {
  expect(readme).toContain('npm start');
  expect(readme).toContain('npm test');
  const missing = [...readme.matchAll(/\]\(([^)#:]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !existsSync(join(root, target)));
  expect(missing).toEqual([]);
});

test('every verb that the program lists is in the README', async () => {
  const { out } = await toolgate(aPlace(), ['--help']);
  const verbs = [...out.matchAll(/^ {2}(\w+) {2,}/gm)].map((match) => match[1] ?? '');
  expect(verbs.length).toBeGreaterThan(10);
  expect(verbs.filter((verb) => !readme.includes(`\`${verb}\``))).toEqual([]);
});
