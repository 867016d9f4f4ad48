import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary.js';
import { changeSources } from './sources-file.js';

const before = '# kept\nsources:\n  notes: { kind: mcp, command: notes }\n';

function aFile(): string {
  const path = join(temporaryFolder('sources'), 'toolgate.yaml');
  writeFileSync(path, before);
  return path;
}

test.each(['__proto__', 'constructor', 'prototype', 'a name with blanks', ''])(
  'a source called %j is not written into a file that could not be read afterwards [CVE-2025-64340]',
  (id) => {
    const path = aFile();
    const problems = changeSources(path, (sources) => sources.set(id, { kind: 'mcp', command: 'x' }));
    expect(problems.length).toBeGreaterThan(0);
    expect(readFileSync(path, 'utf8')).toBe(before);
  },
);

test('a source is added and the rest of the file stays as it was', () => {
  const path = aFile();
  expect(changeSources(path, (sources) => sources.set('more', { kind: 'mcp', command: 'x' }))).toEqual([]);
  expect(readFileSync(path, 'utf8')).toMatch(/^# kept\nsources:\n  notes: \{ kind: mcp, command: notes \}\n  more:\n/);
});
