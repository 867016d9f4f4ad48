import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aFolder, aProgram } from '../../test/support/program.js';
import { lockFile } from './lock-file.js';

const taken = (path: string): boolean => {
  const locked = lockFile(path);
  if (locked.ok) locked.lock.release();
  return locked.ok;
};

test('a lock is given once and again after release, and leaves nothing behind', () => {
  const folder = aFolder();
  const first = lockFile(join(folder, 'lock'));
  expect(first.ok).toBe(true);
  expect(lockFile(join(folder, 'lock'))).toEqual({ ok: false, heldBy: `process ${process.pid}` });
  if (first.ok) first.lock.release();
  expect(taken(join(folder, 'lock'))).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

const holder = (path: string, over: object): void => {
  const locked = lockFile(path);
  const mine = JSON.parse(readFileSync(path, 'utf8'));
  if (locked.ok) locked.lock.release();
  writeFileSync(path, JSON.stringify({ ...mine, ...over }));
};

test.each<[string, object | string, boolean]>([
  ['whose process is gone', { pid: 2 ** 22 - 1 }, true],
  ['whose process id was given to another process since', { started: '1' }, true],
  ['that was left half-written', '{"pid":1', true],
  ['that is not even text', '\0\0\0', true],
  ['that names no process', '{"pid":"1","started":"","where":""}', true],
  ['whose process runs', {}, false],
  ['of another machine or container that touched it just now', { where: 'elsewhere', pid: 2 ** 22 - 1 }, false],
])('a lock %s may be taken over: %j %j', (_, content, expected) => {
  const path = join(aFolder(), 'lock');
  if (typeof content === 'string') writeFileSync(path, content);
  else holder(path, content);
  expect(taken(path)).toBe(expected);
});

test('a lock of another machine that was not touched for long is taken over', () => {
  const path = join(aFolder(), 'lock');
  holder(path, { where: 'elsewhere' });
  utimesSync(path, new Date(0), new Date(0));
  expect(taken(path)).toBe(true);
});

test('of many that start at once beside a dead holder, exactly one gets the lock', async () => {
  const folder = aFolder();
  const path = join(folder, 'lock');
  holder(path, { pid: 2 ** 22 - 1 });
  const program = aProgram(
    `import { lockFile } from './src/lib/lock-file.js';
     process.stdin.once('data', () => {
       const locked = lockFile(process.argv[2]);
       process.stdout.write(locked.ok ? 'got' : 'not');
       process.stdin.once('data', () => process.exit(0));
     });
     process.stdout.write('ready');`,
  );
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, [program, path], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const says = (child: (typeof children)[number]): Promise<string> =>
    once(child.stdout, 'data').then(([data]) => String(data));
  await Promise.all(children.map(says));
  const answers = Promise.all(children.map(says));
  for (const child of children) child.stdin.write('go');
  expect((await answers).filter((answer) => answer === 'got')).toHaveLength(1);
  for (const child of children) child.stdin.write('end');
  await Promise.all(children.map((child) => once(child, 'close')));
  expect(taken(path)).toBe(true);
});

test('a process killed while it holds the lock loses it', () => {
  const path = join(aFolder(), 'lock');
  const program = aProgram(
    `import { lockFile } from './src/lib/lock-file.js'; lockFile(process.argv[2]); process.kill(process.pid, 'SIGKILL');`,
  );
  expect(spawnSync(process.execPath, [program, path]).signal).toBe('SIGKILL');
  expect(readFileSync(path, 'utf8')).toContain('pid');
  expect(taken(path)).toBe(true);
});
