// Prints the share of comment lines per room of src/ (tests and fixtures excluded): node scripts/comments.mjs [folder] [--files]
//
// A line counts once, as comment if any comment covers part of it. The first share is of all lines, the second of those that are
// not blank. A parser finds the comments, so that "//" inside a string, a pattern or a URL does not count.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from '@babel/parser';

const { values, positionals } = parseArgs({ options: { files: { type: 'boolean' } }, allowPositionals: true });
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = positionals[0] ?? 'src';

const isProduct = (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$|(?:^|\/)fixtures\//.test(file);

function count(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const { comments } = parse(text, {
    sourceType: 'module',
    plugins: file.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript'],
    errorRecovery: true,
  });
  const commented = new Set();
  for (const { loc } of comments) for (let line = loc.start.line; line <= loc.end.line; line++) commented.add(line);
  const lines = text.replace(/\n$/, '').split('\n');
  return { lines: lines.length, written: lines.filter((line) => line.trim() !== '').length, comments: commented.size };
}

/** The row of a file: itself with --files, else the next folder below the one that is counted. */
function rowOf(file) {
  const below = relative(folder, file);
  return values.files || !below.includes('/') ? below : below.slice(0, below.indexOf('/'));
}

const rows = new Map();
const total = { lines: 0, written: 0, comments: 0 };
const files = readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name));
for (const file of files.filter(isProduct)) {
  const counted = count(file);
  const key = rowOf(file);
  const row = rows.get(key) ?? { lines: 0, written: 0, comments: 0 };
  for (const sum of [row, total]) {
    sum.lines += counted.lines;
    sum.written += counted.written;
    sum.comments += counted.comments;
  }
  rows.set(key, row);
}

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`.padStart(7);
const sorted = [...rows].toSorted(([, a], [, b]) => a.comments / a.lines - b.comments / b.lines);
for (const [name, row] of [...sorted, ['total', total]]) {
  const { lines, written, comments } = row;
  const shares = `${percent(comments, lines)} ${percent(comments, written)}`;
  console.log(`${shares} ${String(comments).padStart(6)} of ${String(lines).padStart(6)}  ${name}`);
}
