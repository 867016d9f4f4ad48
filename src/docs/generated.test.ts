import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { settings } from '../config/env.js';
import { loadConfig } from '../config/load.js';
import { editorSchema, keysOf } from '../config/keys.js';
import { errors } from '../core/errors.js';
import { configurationExamples } from './configuration-examples.js';
import { configurationPage, sectionPages } from './configuration.js';
import { errorsPage } from './errors.js';
import { generatedFiles, generatedPassages, withPassage } from './generated.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

test.each(generatedFiles)('$path matches the code; if not, run npm run docs', ({ path, text }) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(text());
});

test.each(generatedPassages)(
  'the order of the guards in $path matches the pipeline; if not, run npm run docs',
  (passage) => {
    const page = readFileSync(join(root, passage.path), 'utf8');
    expect(page).toBe(withPassage(page, passage));
  },
);

test('every error code has its own heading', () => {
  const page = errorsPage();
  for (const code of Object.keys(errors)) expect(page).toContain(`\n## ${code}\n`);
});

test('every key, every variable and every flag is in the configuration pages', () => {
  const page = [configurationPage(), ...sectionPages().map(({ text }) => text)].join('\n');
  for (const { name, flag, path } of settings)
    for (const word of [name, flag, path]) expect(page).toContain(word ?? '');
  for (const { path, shape } of keysOf(editorSchema())) {
    if (shape.properties === undefined) expect(page).toContain(path.at(-1));
  }
});

test('every section has an example that loads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-examples-'));
  const env = {
    CI_TOKEN: 'c'.repeat(32),
    SEARCH_TOKEN: 's'.repeat(32),
    CLUSTER_SECRET: 'k'.repeat(40),
    POSTGRES_URL: 'postgres://gate@db.internal/toolgate',
    VALKEY_URL: 'redis://cache.internal:6379',
  };
  try {
    for (const { name } of sectionPages()) {
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, configurationExamples[name] ?? '');
      const loaded = await loadConfig({ env, argv: ['--config', file], cwd: folder });
      expect({
        name,
        problems: loaded.ok ? [] : loaded.problems,
        hasSection: configurationExamples[name]?.startsWith(`${name}:`),
      }).toEqual({
        name,
        problems: [],
        hasSection: true,
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every key is explained', () => {
  const silent = keysOf(editorSchema()).filter(({ shape }) => (shape.description ?? '') === '');
  expect(silent.map(({ path }) => path.join('.'))).toEqual([]);
});

test('every variable stands for a key that exists', () => {
  const known = new Set(keysOf(editorSchema()).map(({ path }) => path.join('.')));
  expect(settings.filter(({ path }) => !known.has(path))).toEqual([]);
});

describe('the schema for editors', () => {
  const validate = new Ajv2020({ strict: false }).compile(editorSchema());

  test.each([
    [true, {}],
    [true, { server: { port: 80 }, auth: { tokens: [{ name: 'bob', token: '${BOB}' }] } }],
    [false, { server: { prot: 80 } }],
    [false, { server: { port: '80' } }],
    [false, { circuit_breaker: { failure_threshold: 11 } }],
    [false, { sevrer: {} }],
  ])('answers %s to %j', (isGood, value) => {
    expect(validate(value)).toBe(isGood);
  });
});
