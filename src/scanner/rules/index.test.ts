import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scan } from '../scan.js';
import { rules } from './index.js';

const endings = { python: 'server.py', typescript: 'server.ts', json: 'package.json' } as const;

describe('each rule finds its vulnerability and is silent once it is fixed [S4.14]', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-rules-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const cases = rules.flatMap((rule) =>
    rule.cases.map((each, at) => ({ id: rule.id, name: `${rule.id} ${each.language} ${at + 1}`, ...each })),
  );
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

/** The OWASP MCP Top 10, 2025. */
const owasp = [
  'MCP01:2025 Token Mismanagement and Secret Exposure',
  'MCP02:2025 Privilege Escalation via Scope Creep',
  'MCP03:2025 Tool Poisoning',
  'MCP04:2025 Software Supply Chain Attacks and Dependency Tampering',
  'MCP05:2025 Command Injection and Execution',
  'MCP06:2025 Intent Flow Subversion',
  'MCP07:2025 Insufficient Authentication and Authorization',
  'MCP08:2025 Lack of Audit and Telemetry',
  'MCP09:2025 Shadow MCP Servers',
  'MCP10:2025 Context Injection and Over-Sharing',
];
/** Techniques of SAFE-MCP: the first number of each row, and how many follow it. */
const techniques = new Set(
  (
    [
      [1001, 9],
      [1101, 6],
      [1109, 4],
      [1201, 7],
      [1301, 9],
      [1401, 8],
      [1501, 7],
      [1601, 6],
      [1701, 7],
      [1801, 5],
      [1901, 4],
      [1910, 6],
      [2101, 7],
      [3001, 1],
    ] as const
  ).flatMap(([first, count]) => Array.from({ length: count }, (_, at) => `SAFE-T${first + at}`)),
);

test.each(rules)('$id bears only tags that exist', ({ cwe, owasp: risks, safeMcp }) => {
  expect(cwe.length).toBeGreaterThan(0);
  expect(owasp).toEqual(expect.arrayContaining([...risks]));
  expect(risks.length).toBeGreaterThan(0);
  expect([...techniques]).toEqual(expect.arrayContaining([...safeMcp]));
  expect(safeMcp.length).toBeGreaterThan(0);
});
