import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scan } from '../scan.js';
import { rules } from './index.js';

const endings = { python: 'server.py', typescript: 'server.ts', json: 'package.json' } as const;

describe('each rule finds its fault and is silent once it is mended [S4.14]', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-rules-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const cases = rules.flatMap((rule) => rule.cases.map((each, at) => ({ id: rule.id, name: `${rule.id} ${each.language} ${at + 1}`, ...each })));
  test.each(cases)('$name', async ({ id, language, bad, good }) => {
    const file = join(folder, endings[language]);
    const found = async (source: string): Promise<readonly string[]> => {
      await writeFile(file, source);
      const { findings } = await scan(language === 'json' ? folder : file);
      await rm(file);
      return findings.filter((finding) => finding.kind === 'bug').map((finding) => finding.rule);
    };
    expect(await found(bad)).toContain(id);
    expect(await found(good)).not.toContain(id);
  });
});

test('rule ids are distinct and of one form', () => {
  const ids = rules.map((rule) => rule.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^TG-[A-Z]+(?:-[A-Z]+)*$/);
});
