import { expect, test } from 'vitest';
import { stderrSummary } from './stderr-summary.js';

test.each([
  [
    'node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module "x"\n    at Function._load\n\nNode.js v20.19.0',
    'Error: Cannot find module "x"',
  ],
  ['Traceback (most recent call last):\n  File "s.py", line 2\nValueError: boom\n', 'ValueError: boom'],
  ['starting\n\ncannot start: no disk\n', 'starting | cannot start: no disk'],
  ['one\ntwo\nthree\nfour', 'two | three | four'],
  ['', ''],
])('%j is shown as the line that names the problem', (stderr, summary) => {
  expect(stderrSummary(stderr)).toBe(summary);
});
