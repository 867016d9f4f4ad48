import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rules } from '../rules/index.js';
import { scan } from '../scan.js';
import { pythonAdvisories } from './fixtures/advisories-python.js';
import { scriptAdvisories } from './fixtures/advisories-script.js';
import { morePythonAdvisories } from './fixtures/more-advisories-python.js';
import { moreScriptAdvisories } from './fixtures/more-advisories-script.js';
import { pythonMisread } from './fixtures/misread-python.js';
import { laterPython } from './fixtures/later-python.js';
import { laterScript } from './fixtures/later-script.js';
import { pythonByHand, scriptByHand } from './fixtures/by-hand.js';
import { pythonChecks, scriptChecks } from './fixtures/checks.js';
import { pythonIndirect } from './fixtures/indirect-python.js';
import { scriptIndirect } from './fixtures/indirect-script.js';
import { scriptLists } from './fixtures/lists-script.js';
import { pythonPairs } from './fixtures/python.js';
import { scriptPairs } from './fixtures/script.js';
import { scriptSchemas } from './fixtures/schemas-script.js';
import { scriptSent } from './fixtures/sent-script.js';
import { unseenPython } from './fixtures/unseen-python.js';
import { unseenScript } from './fixtures/unseen-script.js';

describe('a vulnerability is found and its fixed version is silent [S4.14]', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-pairs-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const found = async (file: string, source: string): Promise<readonly string[]> => {
    const path = join(folder, file);
    await writeFile(path, source);
    const { findings } = await scan(path, { heuristics: false });
    return findings.filter((finding) => finding.kind === 'bug').map((finding) => finding.rule);
  };

  test.each([
    ...pythonPairs,
    ...pythonAdvisories,
    ...morePythonAdvisories,
    ...pythonMisread,
    ...laterPython,
    ...pythonIndirect,
    ...unseenPython,
    ...pythonChecks,
    ...pythonByHand,
  ])('Python: $name', async ({ rule, bad, good }) => {
    expect(await found('server.py', bad)).toContain(rule);
    expect(await found('server.py', good)).not.toContain(rule);
  });
  test.each([
    ...scriptPairs,
    ...scriptAdvisories,
    ...moreScriptAdvisories,
    ...laterScript,
    ...scriptIndirect,
    ...scriptLists,
    ...scriptSchemas,
    ...scriptSent,
    ...unseenScript,
    ...scriptChecks,
    ...scriptByHand,
  ])('TypeScript: $name', async ({ rule, bad, good }) => {
    expect(await found('server.ts', bad)).toContain(rule);
    expect(await found('server.ts', good)).not.toContain(rule);
  });
});

test('there are at least forty pairs with those of the rules, in both languages', () => {
  const cases = rules.flatMap((rule) => rule.cases);
  expect(pythonPairs.length + scriptPairs.length + cases.length).toBeGreaterThanOrEqual(40);
  expect(scriptPairs.length + cases.filter((each) => each.language === 'typescript').length).toBeGreaterThanOrEqual(20);
});
