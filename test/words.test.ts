import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = join(dirname(fileURLToPath(import.meta.url)), '../scripts/words.mjs');

/** Runs the word check over a repository with these files. */
function check(files: Readonly<Record<string, string>>): { readonly code: number | null; readonly text: string } {
  const root = mkdtempSync(join(tmpdir(), 'toolgate-words-'));
  try {
    execFileSync('git', ['init', '-q', root]);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const { status, stderr } = spawnSync(process.execPath, [script, '--root', root], { encoding: 'utf8' });
    return { code: status, text: stderr };
  } finally {
    rmSync(root, { recursive: true });
  }
}

test.each([
  ['a comment', { 'src/a.ts': '// Whoever calls this waits.\nexport const a = 1;\n' }, 'src/a.ts:1: "Whoever"'],
  ['a message', { 'src/a.ts': "\nexport const text = 'the caller is told to wait';\n" }, 'src/a.ts:2: "told"'],
  ['a template', { 'src/a.ts': 'export const text = (n: number) => `nobody sees ${n} of it`;\n' }, '"nobody"'],
  ['a test title', { 'src/a.test.ts': "test('the caller is told', () => {});\n" }, 'src/a.test.ts:1: "told"'],
  [
    'the title of a table of tests',
    { 'test/a.test.ts': "describe.skipIf(x)('d', () => {\n  test.each([1])(`%i is nobody's`, (n) => n);\n});\n" },
    'test/a.test.ts:2: "nobody\'s"',
  ],
  ['a document', { 'docs/x.md': '# X\n\nIt tells the model.\n' }, 'docs/x.md:3: "tells"'],
])('a planted word is flagged in %s, with its place', (_where, files, expected) => {
  const { code, text } = check(files);
  expect(text).toContain(expected);
  expect(code).toBe(1);
});

test('a name that four files define is flagged', () => {
  const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`src/${name}.ts`, 'export const parts = 1;\n']));
  expect(check(files).text).toContain('parts is defined in 4 files');
});

test('plain words, quoted code and test data pass', () => {
  const files = {
    'src/a.ts': '// Debounces change notifications.\nexport const a = 1;\n',
    'src/a.test.ts': "// nobody\ntest('a plain title', () => 'one who is told');\n",
    'docs/x.md': 'Use `told` as a key.\n',
  };
  expect(check(files)).toEqual({ code: 0, text: '' });
});
