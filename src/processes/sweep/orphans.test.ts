import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { orphans } from './orphans.js';

let folder = '';
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'toolgate-orphans-')), 'state')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

test('a gateway that lives is not taken for dead, and no other user may read who it is', () => {
  const first = orphans(folder, 1);
  expect(orphans(folder, 2).stale).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'gateway-1')).mode & 0o777).toBe(0o600);
  first.release();
  expect(readdirSync(folder)).toEqual(['gateway-2']);
});

test.each([
  ['a pid that is gone', '4194304 1 boot'],
  ['our pid with another start time', `${process.pid} 1 boot`],
  ['an empty file, torn by a crash', ''],
  ['nonsense', '../../etc/passwd'],
])('%s is a dead gateway', (_, written) => {
  orphans(folder, 1).release();
  writeFileSync(join(folder, 'gateway-77'), written);
  const next = orphans(folder, 3);
  expect(next.stale).toEqual([77]);
  next.clearStale();
  expect(readdirSync(folder)).toEqual(['gateway-3']);
});

test('files that are not ours are left alone', () => {
  orphans(folder, 1).release();
  for (const name of ['gateway-x', 'gateway-12345678901', 'notes']) writeFileSync(join(folder, name), '');
  expect(orphans(folder, 4).stale).toEqual([]);
});
