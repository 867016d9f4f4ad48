import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { documents, type DocumentId } from './acceptance/row.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const all = Object.keys(documents) as DocumentId[];

const pageOf = (document: string): string =>
  readFileSync(join(root, `docs/requirements/${document.toLowerCase()}.md`), 'utf8');
const linesOf = (document: string): readonly string[] =>
  pageOf(document)
    .split('\n')
    .filter((line) => line.startsWith(`| ${document}.`));
const isDecided = (line: string): boolean => line.includes('[differs by decision]');

test.each(all)('the page of %s has every row, each seen or decided', (document) => {
  const expected = Array.from({ length: documents[document] }, (_, index) => `${document}.${index + 1}`);
  expect(linesOf(document).map((line) => line.split(' | ')[0]?.slice(2))).toEqual(expected);
  for (const line of linesOf(document)) {
    const [, decision] = /\| (?:works|\[differs by decision\]\(\.\.\/decisions\/(.+)\)) \|$/.exec(line) ?? [
      '',
      'neither',
    ];
    if (decision !== undefined) expect(existsSync(join(root, 'docs/decisions', decision)), line).toBe(true);
    const [, unit] = /\(seen by `([^`]+)`/.exec(line) ?? [];
    if (unit !== undefined) expect(existsSync(join(root, unit)), line).toBe(true);
  }
});

test('docs/requirements.md counts the rows of every page', async () => {
  const rows = all.map((document) => {
    const lines = linesOf(document);
    const decided = lines.filter(isDecided).length;
    const [, subject = ''] = /^# (.+)/.exec(pageOf(document)) ?? [];
    const file = document.toLowerCase();
    return {
      text: `| [${document}](requirements/${file}.md) | ${subject} | ${lines.length} | ${lines.length - decided} | ${decided} | \`test/acceptance/${file}.test.ts\` |`,
      counts: [lines.length, lines.length - decided, decided],
    };
  });
  const sum = (at: number): number => rows.reduce((total, { counts }) => total + (counts[at] ?? 0), 0);
  const page = `# Requirements

The demands of the founding documents, each observed from outside on a running gateway.

| Document | Subject | Rows | Work | Differ by decision | Observed by |
| --- | --- | --- | --- | --- | --- |
${rows.map(({ text }) => text).join('\n')}
| All | | ${sum(0)} | ${sum(1)} | ${sum(2)} | |

A row performs an action, asserts the demand and returns what it saw; the page of its document is written from these results. A row that is
removed, or a check that asserts nothing, fails the suite. [How rows are proved](testing.md) lists the bugs that were planted to see rows fail.

Written by \`npx vitest run test/requirements.test.ts -u\`.
`;
  await expect(page).toMatchFileSnapshot(join(root, 'docs/requirements.md'));
});
